import { expect, test } from "vitest";
import { readOptions, UsageError } from "./chaos-options.ts";

const read = (line: string) => readOptions(line.split(" ").filter(Boolean), 77);

test("without anything 20 runs of a fresh seed are played; with minutes the time decides, with both whichever ends first", () => {
  expect(read("")).toMatchObject({ runs: 20, minutes: Number.POSITIVE_INFINITY, seed: 77, worlds: 12, factor: 12 });
  expect(read("--minutes 1.5 --seed 5")).toMatchObject({ runs: Number.POSITIVE_INFINITY, minutes: 1.5, seed: 5 });
  expect(read("--minutes 10 --runs 300")).toMatchObject({ runs: 300, minutes: 10 });
  expect(read("--run 0 --shrink 0")).toMatchObject({ run: 0, shrink: 0, fleets: false });
  expect(read("--fleets --runs 3")).toMatchObject({ runs: 3, fleets: true, evidence: false });
  expect(read("--evidence --runs 3")).toMatchObject({ runs: 3, fleets: false, evidence: true });
});

test.each([
  ["--minutes x", '--minutes must be a number above 0, at most 10080 (a week), not "x".'],
  ["--minutes 0", '--minutes must be a number above 0, at most 10080 (a week), not "0".'],
  ["--minutes=-1", '--minutes must be a number above 0, at most 10080 (a week), not "-1".'],
  ["--runs 0", '--runs must be a whole number from 1 to 1000000, not "0".'],
  ["--runs 1e3", '--runs must be a whole number from 1 to 1000000, not "1e3".'],
  ["--seed 1.5", '--seed must be a whole number from 0 to 999999999, not "1.5".'],
  ["--worlds 0", '--worlds must be a whole number from 1 to 64, not "0".'],
  ["--factor 1000", '--factor must be a whole number from 1 to 100, not "1000".'],
  ["--shrink all", '--shrink must be a whole number from 0 to 1000, not "all".'],
  ["--run 3 --runs 5", "--run plays one run, so it can't be given with --runs or --minutes."],
  ["--seeds 3", "Unknown option '--seeds'."],
  ["--seed", "Option '--seed <value>' argument missing."],
])("%s is reported in one sentence", (line, sentence) => {
  expect(() => read(line)).toThrow(new UsageError(sentence));
});
