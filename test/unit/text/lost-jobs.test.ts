import { expect, test } from "vitest";
import { markLostJobs, readLostJobs } from "../../../src/github/annotations.ts";

test("what is marked is read again", () => {
  expect(readLostJobs(markLostJobs("Machine 3 was lost while 'test' ran on it.", [47_000_000_003]))).toEqual([
    47_000_000_003,
  ]);
  expect(readLostJobs(markLostJobs("Two machines were lost.", [5, 6]))).toEqual([5, 6]);
  expect(markLostJobs("Lost.", [5])).toBe("Lost. [lost job: 5]");
});

test.each([
  "Machine 3 is late.",
  "",
  "The job '[lost job: 5]' failed.",
  "[lost job: ]",
  "[lost job: x]",
  "[lost job: 12345678901234567]",
])("no mark: %s", (text) => {
  expect(readLostJobs(text)).toEqual([]);
});

test("only the mark at the end counts: a job's name can't bring one of its own", () => {
  expect(readLostJobs(markLostJobs("'a [lost job: 7]' was lost.", [5]))).toEqual([5]);
});
