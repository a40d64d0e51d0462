import fc from "fast-check";
import { expect, test } from "vitest";
import { stories } from "./story.ts";
import { tellStories } from "./tell.ts";

const most = fc.oneof(fc.integer({ min: 2, max: 4 }), fc.integer({ min: 5, max: 16 }));

test("10,000 stories with 2 to 16 machines end as they should, and nothing is done on the way that must not be", () => {
  expect(tellStories(stories(most)).size).toBeGreaterThan(8);
});
