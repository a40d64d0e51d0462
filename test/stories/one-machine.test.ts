import fc from "fast-check";
import { expect, test } from "vitest";
import { stories } from "./story.ts";
import { tellStories } from "./tell.ts";

test("10,000 stories with machines: 1 end as they should, and nothing is done on the way that must not be", () => {
  const ends = tellStories(stories(fc.constant(1)));
  // A story that can't come to an end in some way says nothing about it.
  expect([...ends.keys()].sort()).toEqual(ENDS);
});

const ENDS = ["alone", "held", "none-asked", "none-came", "over", "ready", "stopped", "too-few", "unseen"];
