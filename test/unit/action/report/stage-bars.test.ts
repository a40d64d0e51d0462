import { expect, test } from "vitest";
import { stageBars, stagesOf } from "../../../../src/action/report/stage-bars.ts";
import { aFailedReport, aReport, START } from "../../support/a-told-use.ts";

test("the stages of a machine that did its job", () => {
  expect(stagesOf(aReport().at, START)).toEqual([
    ["search", 1000],
    ["create", 2000],
    ["boot", 93_000],
    ["online", 45_000],
    ["job", 3_462_000],
  ]);
});

test("a stage that it never ended lasted until it was gone, and the later ones are left out", () => {
  expect(stagesOf(aFailedReport().at, START)).toEqual([
    ["search", 1000],
    ["create", 2000],
    ["boot", 300_000],
  ]);
  const never = { asked: START, created: START + 1000, running: START + 5000 };
  expect(stagesOf(never, START + 65_000)).toEqual([
    ["create", 1000],
    ["boot", 4000],
    ["online", 60_000],
  ]);
});

test("a report without the time of its search", () => {
  const { searched: _none, ...at } = aReport().at;
  expect(stagesOf(at, START).map(([name]) => name)).toEqual(["create", "boot", "online", "job"]);
});

test("bars are aligned and scaled to the longest; the shortest is still to be seen", () => {
  const stages = [
    ["search", 1000],
    ["boot", 60_000],
    ["job", 90_000],
  ] as const;
  expect(stageBars(stages)).toEqual([
    "search      1s  ▏",
    `boot        1m  ${"█".repeat(20)}`,
    `job     1m 30s  ${"█".repeat(30)}`,
  ]);
});

test("nothing that lasted, and nothing at all", () => {
  expect(stageBars([["search", 0]])).toEqual(["search  0s  ▏"]);
  expect(stageBars([])).toEqual([]);
});
