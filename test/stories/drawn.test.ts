import fc from "fast-check";
import { expect, test } from "vitest";
import { stories } from "./draw.ts";
import { tellStories } from "./tell.ts";

const SEVERAL = fc.oneof(
  { arbitrary: fc.integer({ min: 2, max: 4 }), weight: 4 },
  { arbitrary: fc.constantFrom(8, 16), weight: 1 },
);

test("whatever happens to one machine, no rule is broken", async () => {
  const { ends } = await tellStories(stories(fc.constant(1)));
  // The stories reach the ends that matter.
  expect([...ends.keys()]).toEqual(expect.arrayContaining(["over well", "over GpuJobFailedError"]));
});

test("whatever happens to several machines, no rule is broken", async () => {
  const { ends } = await tellStories(stories(SEVERAL));
  expect([...ends.keys()]).toEqual(expect.arrayContaining(["over well", "over GpuJobFailedError"]));
});
