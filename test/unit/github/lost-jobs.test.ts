import { expect, test } from "vitest";
import { markLostJobs, readLostJobs } from "../../../src/github/annotations.ts";

test("what is marked is read again", () => {
  expect(readLostJobs(markLostJobs("Machine 3 was lost while 'test' ran on it.", [47_000_000_003]))).toEqual([
    47_000_000_003,
  ]);
  expect(readLostJobs(markLostJobs("Two machines were lost.", [5, 6]))).toEqual([5, 6]);
  expect(markLostJobs("Lost.", [5])).toBe("Lost. [lost job: 5]");
});
