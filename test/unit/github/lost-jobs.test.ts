import { expect, test } from "vitest";
import { lostJobsMark, readLostJobs } from "../../../src/github/annotations.ts";

test.each([
  [[5], "[lost job: 5]"],
  [[5, 47_000_000_003], "[lost jobs: 5, 47000000003]"],
])("the mark of %j is read again", (ids, mark) => {
  expect(lostJobsMark(ids)).toBe(mark);
  expect(readLostJobs(`Machine 3 was lost. ${mark}`)).toEqual(ids);
});
