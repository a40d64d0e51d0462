import { expect, test } from "vitest";
import { paced, shortageOf } from "../../../src/jobs/pace.ts";

const left = (requests: number | undefined) => ({ requestsLeft: () => requests });

test.each([
  [undefined, 15_000],
  [1000, 15_000],
  [100, 15_000],
  [99, 60_000],
  [0, 60_000],
])("with %j requests left in this hour the jobs are looked at every %i ms", (requests, milliseconds) => {
  expect(paced(15_000, left(requests))).toBe(milliseconds);
});

test("the shortage is told, and only then", () => {
  expect(shortageOf(left(99))).toContain("Fewer than 100 requests of job-token are left");
  expect(shortageOf(left(100))).toBeUndefined();
  expect(shortageOf({})).toBeUndefined();
});
