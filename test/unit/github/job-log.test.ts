import { expect, test } from "vitest";
import { lostJobsMark, readLostJobs } from "../../../src/github/annotations.ts";
import { setupFailure } from "../../../src/github/job-log.ts";

const AT = "2026-11-23T18:22:02.1234567Z ";

test.each([
  [`${AT}##[error]setup ended with code 1.`, "setup ended with code 1"],
  ["##[error]setup ended with code 3. a\n##[error]setup ended with code 4. b\n", "setup ended with code 4. b"],
  [`${AT}##[error]setup took longer than 600 s. Downloading`, "setup took longer than 600 s. Downloading"],
])("%j says how setup failed", (log, said) => {
  expect(setupFailure(`${AT}before\n${log}\n${AT}after`)).toEqual(said);
});

test.each(["", `${AT}echo ##[error]setup ended with code 3.`, `##[error]setup ended with code 3. ${"x".repeat(500)}`])(
  "%j says nothing of a setup",
  (log) => {
    expect(setupFailure(log)).toBeUndefined();
  },
);

test.each([
  [[5], "[lost job: 5]"],
  [[5, 47_000_000_003], "[lost jobs: 5, 47000000003]"],
])("the mark of %j is read again", (ids, mark) => {
  expect(lostJobsMark(ids)).toBe(mark);
  expect(readLostJobs(`Machine 3 was lost. ${mark}`)).toEqual(ids);
});
