import { describe, expect, test } from "vitest";
import type { Rules } from "../../../../src/fleet/options.ts";
import { countMachines } from "../../../../src/fleet/renting/how-many.ts";
import type { FleetState, StoredMachine, Timing } from "../../../../src/fleet/state.ts";
import { type Expectation, expectedJobMs } from "../../../../src/offers/expectation.ts";
import type { Candidate } from "../../../../src/offers/ranking.ts";
import type { Standing } from "../../../../src/timing/boot.ts";
import { aFleet, aMarket, anEmptyMarket, gpuJob, gpuJobs, NOW, someFacts } from "../../support/a-fleet.ts";
import { aCandidate } from "../../support/an-offer.ts";
import { anEnding, aSlot, aSlotJob, withNext, withSlot } from "../../support/machine-parts.ts";
import { asked, booting, busy, ready, spent, starting, unlisted } from "../../support/machines.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const FIVE = 5 * MINUTE;

type Counted = Partial<{ wanted: number; lacking: number; unneeded: number[] }>;
/** Machines in words, what is counted, the state and the rules. A number: how many are lacking. */
type Case = [words: string, StoredMachine[], state: Partial<FleetState>, Counted | number, rules?: Partial<Rules>];

function counts(rule: string, cases: readonly Case[], shared: Partial<Rules> = {}): void {
  test.each(cases)(`${rule}: %s`, (_words, machines, state, expected, rules = {}) => {
    const { lacking, unneeded, wanted } = countMachines(someFacts(aFleet(machines, state), { ...shared, ...rules }));
    const counted = { lacking, wanted, unneeded: unneeded.map(({ machineNo }) => machineNo) };
    expect(counted).toMatchObject(typeof expected === "number" ? { lacking: expected } : expected);
  });
}

const waiting = (n: number, more = {}) => ({ jobs: gpuJobs({ waiting: n, ...more }) });
const ONE = waiting(1);
const ONE_RUNS = waiting(1, { running: 1 });
const ONE_OVER = { jobs: gpuJobs({ over: 1 }) };
const NONE = { jobs: gpuJobs({}) };
const sixteen = { machines: 16 };
const many = (count: number, from = 1) => Array.from({ length: count }, (_one, index) => index + from);
const slow = (n: number) => booting(n, { foundAt: NOW - 131 * SECOND });
const slowOnes = many(8).map(slow);
const failed = (n: number) => booting(n, { ending: anEnding("failed") });
const failedAndGone = (n: number) => booting(n, { ending: anEnding("failed"), goneAt: NOW });
const idle = (ago: number) =>
  ready(1, { readyAt: NOW - ago, slots: [aSlot(1, { runner: "online", onlineAt: NOW - ago })] });
/** A machine with a slot left that has been busy, or between two jobs, for so long. */
const busyFor = (ago: number) =>
  withNext(busy(1, { readyAt: NOW - ago, slots: [aSlot(1, { runner: "busy", onlineAt: NOW - ago })] }));
const between = (ago: number) => withNext(withSlot(spent(1, { readyAt: 0 }), { onlineAt: 0, spentAt: NOW - ago }));

describe("n ≥ 1, hedge: starts until min(n = 1 ? 1 : ⌈1.7 n⌉, machines − busy − late) are in time", () => {
  test.each(Object.entries({ 1: 1, 2: 4, 3: 6, 9: 16 }))("%d jobs: %d machines", (n, lacking) => {
    expect(countMachines(someFacts(aFleet([], waiting(Number(n))), sixteen)).lacking).toBe(lacking);
  });

  const soon = withSlot(busyFor(450 * SECOND), { job: aSlotJob(1) });

  counts("how many are lacking", [
    ["one is late: one more is started", [slow(1)], ONE, { lacking: 1, unneeded: [] }],
    ["once", [slow(1), booting(2)], ONE, { lacking: 0, unneeded: [] }],
    ["eight are late: one more", slowOnes, ONE, { lacking: 1, unneeded: [] }, sixteen],
    ["the last of several jobs has two where its machine is late", [busy(1), slow(2)], ONE_RUNS, 2],
    ["or failed", [busy(1), failedAndGone(3)], ONE_RUNS, 2],
    ["not where it is in time", [busy(1), booting(2)], ONE_RUNS, 0],
    ["busy machines that are soon free take no room", [soon], waiting(2, { running: 1 }), 3],
  ]);

  const cost = { gpu: 0, storage: 0, bytes: 0, waiting: 0, total: 0 };
  const of = (n: number, standing: Standing, hasImage = false) => {
    const expected: Expectation = { bootMs: 100 * SECOND, standing, failedLately: false, hasImage, cost };
    return booting(n, { candidate: { ...aCandidate(n), expected } });
  };
  const unproven = of(1, "unproven");

  counts("a single job, and a history", [
    ["for an unproven host another machine is started at once", [unproven], ONE, 1],
    ["not for one that served", [of(1, "proven")], ONE, 0],
    ["nor one whose runner was online", [{ ...unproven, readyAt: NOW }], ONE, 0],
    ["each wait anew", [{ ...unproven, askedAt: NOW - 1 }], { ...ONE, lastEndAt: NOW }, 0],
    ["of several jobs the spares do that", many(4).map((n) => of(n, "unproven")), waiting(2), 0, sixteen],
  ]);

  test.each<[string, boolean, StoredMachine[], Partial<FleetState>?]>([
    ["beside a late one", true, [slow(1)]],
    ["not once a job ended after that", false, [failedAndGone(1)], { lastEndAt: NOW + 1 }],
  ])("what is started for a job that waited in vain is to be quick: %s, %j", (_what, isUrgent, machines, given) => {
    expect(countMachines(someFacts(aFleet(machines, { ...ONE, ...given }))).isUrgent).toBe(isUrgent);
  });
});

const nine = [starting(1), ...many(7, 2).map((n) => booting(n)), asked(9)];

counts("n ≥ 1, hedge: drains, once n are ready all but these, else what exceeds 2 n and n + 6", [
  ["one is ready, the other goes", [booting(1), ready(2)], ONE, { unneeded: [1] }],
  ["none is ready: six more than jobs are kept, the least far go first", nine, ONE, { unneeded: [9, 8] }, sixteen],
  ["or twice as many", many(16).map((n) => booting(n)), waiting(7), { unneeded: [16, 15] }, sixteen],
]);

const more = gpuJob(102, "waiting", { otherLabels: ["self-hosted"] });
const jobsFault = { since: NOW, why: "GitHub could not be asked" };
const J = (ago: number) => [withSlot(busyFor(ago), { job: aSlotJob(1) })];
const began = (ago: number) => withSlot(busyFor(10 * MINUTE), { job: aSlotJob(1, { startedAt: NOW - ago }) });

describe("n ≥ 1, no hedge: late or not, min(n, machines − busy)", () => {
  const counted = (cases: readonly Case[]) => counts("counted", cases, { hedge: false });

  counted([
    ["those beyond go, the least far first", [booting(1), ready(2), starting(3)], ONE, { unneeded: [1, 3] }],
    ["those that wait for an approval or their concurrency group are not in n", [], { jobs: gpuJobs({ held: 3 }) }, 0],
    ["nor those that ask for more labels", [], { jobs: gpuJobs({}, { ours: [gpuJob(101, "waiting"), more] }) }, 1],
    ["nor one that a busy runner has unlisted", [busy(1, { slots: [aSlot(1, { runner: "busy" })] })], ONE, 0],
    ["for 5 min at most", [unlisted(1, FIVE - 1)], ONE, 0],
  ]);

  counts("a list that can't be read changes nothing", [
    ["nothing goes", [ready(1), booting(2)], { ...NONE, jobsFault }, { lacking: 0, unneeded: [] }],
    ["nothing is started", [], { ...waiting(3), jobsFault }, 0],
  ]);

  // J is 500 s while no job is over, E 100 s. Its job is listed as running.
  counts(
    "a busy machine with a slot left keeps from starting another while 0 ≤ J − elapsed < E",
    [
      ["for 500 s", J(500 * SECOND), ONE_RUNS, 0],
      ["for 501 s", J(501 * SECOND), ONE_RUNS, 1],
      ["elapsed counts from the begin of its job, as GitHub shows it", [began(390 * SECOND)], ONE_RUNS, 1],
    ],
    { hedge: false },
  );
});

describe("n = 0", () => {
  const two = { jobs: 2 };
  const atOnce = { waitForJob: 0 };
  const unlistedAnd = [unlisted(2, SECOND), idle(MINUTE)];

  counts("kept for more of ours", [
    ["for idle-timeout", [idle(FIVE)], ONE_OVER, { unneeded: [1] }, two],
    ["one whose next listener starts", [between(20 * SECOND)], ONE_OVER, { unneeded: [] }, two],
    ["not from the second attempt on", [idle(MINUTE)], ONE_OVER, { unneeded: [1] }, { ...two, attempt: 2 }],
    ["a job on a busy runner has come, though the list lacks it", unlistedAnd, ONE_OVER, { unneeded: [1] }, two],
  ]);

  counts("wait-for-job: 0s, and none was seen", [
    ["one is rented", [], NONE, { wanted: 1, lacking: 1, unneeded: [] }, atOnce],
    ["it is waited for", [booting(1)], NONE, { wanted: 1, lacking: 0, unneeded: [] }, atOnce],
    ["a job that came to it at once has come, though the list lacks it", [unlisted(1, SECOND)], NONE, 0, atOnce],
  ]);
});

counts(
  "hold: false, one machine, whatever jobs there are",
  [
    ["it had a job, though that is over and it is gone", [spent(1, { ending: anEnding("over"), goneAt: 1 })], {}, 0],
    ["a job took it, while a failed one is given back", [failed(1), unlisted(2, SECOND)], { jobs: undefined }, 0],
  ],
  { hold: false },
);

// `jobs-per-machine` > 1. Of the jobs nothing is known yet.

/** A fifth of a job's expected time: all times here are so many of it. */
const FIFTH = expectedJobMs([]) / 5;
const timing = (fifths: number): Timing => ({
  expectedMs: fifths * FIFTH,
  lateMs: 60 * FIFTH,
  bootMs: 60 * FIFTH,
  onlineMs: 60 * FIFTH,
  lifeMs: 60 * FIFTH,
  mayWait: false,
});

type Given = Partial<FleetState>;
function lacking(waiting: number, machines: StoredMachine[] = [], rules: Partial<Rules> = {}, given: Given = {}) {
  const running = machines.filter(({ slots }) => slots.some(({ job }) => job?.isOver === false)).length;
  const fleet = aFleet(machines, { jobs: gpuJobs({ waiting, running }), market: anEmptyMarket(), ...given });
  return countMachines(someFacts(fleet, { hedge: false, jobsPerMachine: 3, ...rules })).lacking;
}

/** The next offer's machine boots for so long. */
function offers(fifths: number): Partial<FleetState> {
  const expected = { bootMs: fifths * FIFTH, standing: "none" } as Candidate["expected"];
  return { market: aMarket({ candidates: [{ ...aCandidate(51), expected }] }) };
}

test.each([
  [4, 4, 3, 4],
  [5, 4, 3, 3],
  [6, 4, 3, 3],
  [8, 4, 2, 4],
  [9, 2, 3, 2],
])("%d jobs, machines: %d, jobs-per-machine: %d: %d new ones do", (n, machines, jobsPerMachine, wanted) => {
  expect(lacking(n, [], { machines, jobsPerMachine })).toBe(wanted);
});

test("a ready machine runs them all where another one would boot for longer", () => {
  const there = withNext(withNext(ready(1)));
  expect(lacking(2, [there], {}, offers(4))).toBe(1);
  expect(lacking(2, [there], {}, offers(5))).toBe(0);
  expect(lacking(3, [there], {}, offers(9))).toBe(1);
  expect(lacking(3, [there], {}, offers(10))).toBe(0);
});

test("a machine has no job that its time would cut", () => {
  const there = withNext(withNext(ready(1, { deadline: NOW + 9 * FIFTH })));
  expect(lacking(2, [there], {}, offers(30))).toBe(1);
});

test("nor one for which no runner begins, as less than half of max-lifetime is left", () => {
  const there = (fifths: number) => {
    const machine = withNext(withNext(ready(1)));
    return { ...machine, timing: { ...timing(6), lifeMs: fifths * FIFTH } };
  };
  const given = (fifths: number) => ({ maxLifetime: fifths * FIFTH });
  expect(lacking(3, [there(16)], given(16), offers(30))).toBe(1);
  expect(lacking(3, [there(24)], given(24), offers(30))).toBe(0);
});

test("one that is late is as far as a new one", () => {
  const there = (ago: number) => withNext(withNext(booting(1, { askedAt: NOW - ago * FIFTH, timing: timing(6) })));
  expect(lacking(2, [there(5)], {}, offers(6))).toBe(0);
  expect(lacking(2, [there(6)], {}, offers(6))).toBe(1);
});

test("jobs that no machine has a place for want one of their own", () => {
  expect(lacking(9, [withNext(busy(1))], { machines: 2 })).toBe(1);
});
