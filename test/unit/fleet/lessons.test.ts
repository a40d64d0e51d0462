import { expect, test } from "vitest";
import { adviceFacts, pastRunOf, rememberer } from "../../../src/fleet/lessons.ts";
import type { FleetRequest } from "../../../src/fleet/options.ts";
import type { Ending, Fleet, StoredMachine } from "../../../src/fleet/state.ts";
import { type HistoryPort, type HostFate, markOf, NO_HISTORY } from "../../../src/history/hosts.ts";
import { pastRunSchema } from "../../../src/history/past-runs.ts";
import { aFleet, NOW } from "../support/a-fleet.ts";
import { anEnding, withSlot } from "../support/machine-parts.ts";
import { booting, busy, type MachineGiven, ready, spent, starting } from "../support/machines.ts";

const IMAGE = { name: "debian:13", bytes: 3e9, isDevel: false, decidesBoot: true };

/** The fates that are noted of a machine as it was seen, one look after another. */
function noted(...looks: StoredMachine[]): HostFate[] {
  return toldOf(...looks.map((machine) => aFleet([machine])));
}

function toldOf(...looks: Fleet[]): HostFate[] {
  const fates: HostFate[] = [];
  const note = (fate: HostFate) => void fates.push(fate);
  const history: HistoryPort = { known: NO_HISTORY, isKept: false, usualJobMs: () => undefined, note };
  const remember = rememberer(history, { image: IMAGE } as FleetRequest);
  for (const fleet of looks) remember(fleet);
  return fates;
}

const kinds = (...looks: StoredMachine[]) => noted(...looks).map(({ kind }) => kind);
const ends = (kind: Ending["kind"], given: Partial<Ending> = {}) =>
  kinds(booting(1, { ending: anEnding(kind, { since: NOW - 1000, ...given }) }));

test.each<[string, ...StoredMachine[]]>([
  ["booted", ready(1)],
  ["booted, served", starting(1), ready(1), busy(1), busy(1), spent(1)],
  // A machine that ran is not known to have failed before its log was read.
  ["booted", starting(1, { ending: anEnding("dropped") })],
  ["booted, failed", starting(1, { ending: anEnding("dropped"), goneAt: NOW })],
])("each thing is noted once, however often it is seen: %s, %#", (expected, ...looks) => {
  expect(kinds(...looks).join(", ")).toBe(expected);
});

test("a failure is the host's, unless the image, the bid, the account or the user ended it", () => {
  for (const kind of ["failed", "lost", "dropped"] as const) expect(ends(kind)).toEqual(["failed"]);
  for (const kind of ["unneeded", "over", "deadline"] as const) expect(ends(kind)).toEqual([]);
  for (const cause of ["image", "unfit-image", "refused"] as const) expect(ends("failed", { cause })).toEqual([]);
  for (const cause of ["outbid", "stopped"] as const) expect(ends("lost", { cause })).toEqual([]);
});

test("what its runner said last is the host's fault only once another machine's runner got a job", () => {
  const words = { by: "runner", text: "Failed to create session. Error: Forbidden" } as const;
  const failed = (n: number, given: MachineGiven = {}) =>
    starting(n, { ending: anEnding("failed", { cause: "runner", since: NOW - 1000 }), words, goneAt: NOW, ...given });
  const failures = (...machines: StoredMachine[]) => toldOf(aFleet(machines)).filter(({ kind }) => kind === "failed");
  expect(failures(failed(1))).toEqual([]);
  expect(failures(failed(1), failed(2))).toEqual([]);
  // It may be refused the same way a moment later.
  expect(failures(failed(1), ready(2, { readyAt: NOW }))).toEqual([]);
  expect(failures(failed(1), busy(2, { readyAt: NOW }))).toMatchObject([{ machine: 100 }]);
  expect(failures(failed(1), failed(2), busy(3, { readyAt: NOW }))).toEqual([]);
  expect(failures(failed(1, { words: { by: "script", text: "its clock" } }))).toMatchObject([{ machine: 100 }]);
});

test("an offer that does not name its machine teaches nothing", () => {
  const { candidate } = booting(1);
  const offer = { ...candidate.offer, machineId: undefined };
  expect(noted(busy(1, { candidate: { ...candidate, offer } }))).toEqual([]);
});

const OF = { runId: 4711, attempt: 2, prefix: "ghr1.1.4711-2.abcdef", now: NOW };
const FIGURES = { samples: 720, useMedian: 31, usePeak: 98, memoryPeakMib: 7372, memoryTotalMib: 24_564 };

function served(n: number, figures: object, conclusion = "success") {
  const machine = spent(n, { job: { name: "test", conclusion, startedAt: NOW - 90_000, completedAt: NOW - 10_000 } });
  return withSlot(machine, { log: { at: NOW, figures } });
}

test("a run: what it cost, how long it waited, and what its jobs did, without a name", () => {
  const run = pastRunOf(aFleet([served(1, FIGURES)], { firstWantedAt: NOW - 60_000 }), OF);
  expect(run).toMatchObject({ run: 4711, attempt: 2, at: NOW, waitSeconds: 50, bootSeconds: 40 });
  expect(run?.kinds).toEqual([{ kind: markOf("test"), machine: 100, seconds: 80, ...FIGURES }]);
  expect(run?.usd).toBeGreaterThan(0);
  expect(JSON.stringify(run)).not.toContain('"test"');
  expect(pastRunSchema.parse(run)).toEqual(run);
});

test("a job that failed may have ended before it needed what others need: its figures teach nothing; nor does no job", () => {
  const kinds = pastRunOf(aFleet([served(1, FIGURES, "failure")]), OF)?.kinds;
  expect(kinds).toEqual([{ kind: markOf("test"), machine: 100 }]);
  expect(pastRunOf(aFleet([booting(1)]), OF)).toBeUndefined();
});

test("offers that main saw, and what its machines cost an hour", () => {
  const facts = adviceFacts(aFleet([served(1, FIGURES)]), { now: NOW, runs: [] });
  expect(facts).toMatchObject({ perHour: 0.4, imagePart: undefined });
  expect(facts.offers).toHaveLength(5);
});
