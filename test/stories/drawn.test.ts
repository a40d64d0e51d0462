import { expect, test } from "vitest";
import { ANY_STORY } from "./draw.ts";
import { tellStories } from "./tell.ts";

test("whatever happens, no rule is broken", async () => {
  const ends = await tellStories(ANY_STORY);
  // The stories reach the ends that matter.
  expect(ends).toEqual(expect.arrayContaining(["over well", "over GpuJobFailedError", "over MachineLostError"]));
});
