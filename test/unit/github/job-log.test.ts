import { expect, test } from "vitest";
import { setupFailure } from "../../../src/github/job-log.ts";

const AT = "2026-11-23T18:22:02.1234567Z ";

test.each([
  [`${AT}##[error]setup ended with code 3. E: Unable to locate package foo`, "code 3. E: Unable to locate package foo"],
  [`${AT}##[error]setup ended with code 1.`, "code 1"],
  ["##[error]setup ended with code 3. a\n##[error]setup ended with code 4. b\n", "code 4. b"],
  ["##[error]setup ended with code 3. a\tb", "code 3. a b"],
])("%j says how setup failed", (log, said) => {
  expect(setupFailure(`${AT}before\n${log}\n${AT}after`)).toEqual(`setup ended with ${said}`);
});

test("a log says that setup took too long", () => {
  const said = "setup took longer than 600 s. Downloading weights";
  expect(setupFailure(`${AT}##[error]${said}`)).toEqual(said);
});

test.each([
  "",
  `${AT}setup ended with code 3. a`,
  `${AT}##[error]Process completed with exit code 1.`,
  `${AT}##[error]setup ended with code 99999999999999999999.`,
  `${AT}echo ##[error]setup ended with code 3.`,
  `##[error]setup ended with code 3. ${"x".repeat(500)}`,
])("%j says nothing of a setup", (log) => {
  expect(setupFailure(log)).toBeUndefined();
});
