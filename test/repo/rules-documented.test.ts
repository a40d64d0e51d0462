import { expect, test } from "vitest";
import { ENDED_BADLY, RUNNING } from "../../src/fleet/lifecycle/cause-of.ts";
import { REASONS, UNNEEDED } from "../../src/fleet/lifecycle/reasons.ts";
import { PAUSES } from "../../src/fleet/renting/standing.ts";
import { STOPS } from "../../src/fleet/renting/stop.ts";
import { section, tableRows } from "./support/markdown.ts";
import { textOf } from "./support/repository.ts";

const page = textOf("docs/internals/holding.md");

/** The rows below a heading or the beginning of a paragraph. */
function rowsAfter(beginning: string): string[][] {
  const start = page.indexOf(beginning);
  expect(start, beginning).toBeGreaterThan(-1);
  return tableRows(page.slice(start));
}

function idOf(cell = ""): string {
  return /^`([a-z-]+)`/.exec(cell)?.[1] ?? cell;
}

function kebab({ name }: { name: string }): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const AGAIN = {
  instances: "instances",
  jobs: "jobs",
  "instances, then jobs": "both",
  "both, if it ran": "both if ran",
};

test("holding.md has each reason for which a machine ends, in the order in which they are judged", () => {
  const told = tableRows(section(page, "## Each machine")).map(([id, ...cells]) => [idOf(id), ...cells.slice(0, 3)]);
  const judged = [...REASONS, { ...UNNEEDED, again: "jobs" as const }].map(({ again, first, id, kind }) => [
    id,
    kind,
    again === undefined ? "" : AGAIN[again],
    first === "instance" ? "destroyed" : "",
  ]);
  expect(told).toEqual(judged);
});

test.each([
  ["a job that runs", "| a job that runs |", RUNNING],
  ["a job that ended badly", "| a job that ended badly |", ENDED_BADLY],
])("holding.md says who ended %s, row by row", (_, head, rows) => {
  expect(rowsAfter(head).map(([id]) => idOf(id))).toEqual(rows.map(kebab));
});

test("holding.md has each reason to rent no more, in the order in which they are judged", () => {
  const cells = tableRows(section(page, "## Renting stops")).map(([ids = ""]) => ids.split(", ").map(idOf));
  expect(cells.flat()).toEqual(Object.keys(STOPS));
});

test("holding.md has each pause, how long it is, and how it grows", () => {
  const minutes = (ms: number) =>
    ms === Number.POSITIVE_INFINITY ? "" : ms < 60_000 ? `${ms / 1000} s` : `${ms / 60_000} min`;
  const told = rowsAfter("| what was said | first |").map(([what, ...cells]) => [idOf(what), ...cells]);
  const known = Object.entries(PAUSES).map(([id, its]) => [id, minutes(its.firstMs), `${its.by}`, minutes(its.mostMs)]);
  expect(told).toEqual(known);
});
