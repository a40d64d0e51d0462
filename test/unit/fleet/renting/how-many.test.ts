import { describe, expect, test } from "vitest";
import type { Rules } from "../../../../src/fleet/options.ts";
import { countMachines } from "../../../../src/fleet/renting/how-many.ts";
import type { FleetState, StoredMachine } from "../../../../src/fleet/state.ts";
import type { Expectation } from "../../../../src/offers/expectation.ts";
import type { Standing } from "../../../../src/timing/boot.ts";
import {
  aCandidate,
  aFleet,
  anEnding,
  aSlot,
  aSlotJob,
  asked,
  booting,
  busy,
  gpuJob,
  gpuJobs,
  NOW,
  ready,
  someFacts,
  someRules,
  spent,
  starting,
  unlisted,
  withNext,
  withSlot,
} from "../../support/a-fleet.ts";

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
const alone = { machines: 1 };
const many = (count: number, from = 1) => Array.from({ length: count }, (_one, index) => index + from);
const slow = (n: number) => booting(n, { foundAt: NOW - 131 * SECOND });
const slowOnes = many(8).map(slow);
const unneeded = anEnding("unneeded");
const failed = (n: number) => booting(n, { ending: anEnding("failed") });
const failedAndGone = (n: number) => booting(n, { ending: anEnding("failed"), goneAt: NOW });
const idle = (ago: number) =>
  ready(1, { readyAt: NOW - ago, slots: [aSlot(1, { runner: "online", onlineAt: NOW - ago })] });
/** A machine with a slot left that has been busy, or between two jobs, for so long. */
const busyFor = (ago: number) =>
  withNext(busy(1, { readyAt: NOW - ago, slots: [aSlot(1, { runner: "busy", onlineAt: NOW - ago })] }));
const between = (ago: number) => withNext(withSlot(spent(1, { readyAt: 0 }), { onlineAt: 0, spentAt: NOW - ago }));

describe("n ≥ 1, hedge: starts until min(n = 1 ? 1 : ⌈1.7 n⌉, machines − busy − late) are in time", () => {
  test.each([
    [1, 1],
    [2, 4],
    [3, 6],
    [5, 9],
    [9, 16],
  ])("%d jobs: %d machines", (n, lacking) => {
    expect(countMachines(someFacts(aFleet([], waiting(n)), sixteen)).lacking).toBe(lacking);
  });

  const soon = withSlot(busyFor(450 * SECOND), { job: aSlotJob(1) });

  counts("how many are lacking", [
    ["those over don't count", [spent(1, { ending: anEnding("over") })], waiting(5), 4],
    [
      "one too many that is drained takes no place of one that is wanted",
      [booting(1), booting(2, { ending: unneeded })],
      ONE,
      { wanted: 1, lacking: 0, unneeded: [] },
      alone,
    ],
    ["a job waits, whether there is room for its machine or not", [failed(1)], ONE, { wanted: 1, lacking: 0 }, alone],
    ["one that is being drained counts", [ready(1, { ending: unneeded })], waiting(5), 3],
    ["until it is gone", [ready(1, { ending: unneeded, goneAt: NOW })], waiting(5), 4],
    ["one is late: one more is started", [slow(1)], ONE, { lacking: 1, unneeded: [] }],
    ["once", [slow(1), booting(2)], ONE, { lacking: 0, unneeded: [] }],
    ["not where there is no room", [slow(1)], ONE, 0, alone],
    ["two are late: one more", slowOnes.slice(0, 2), ONE, { lacking: 1, unneeded: [] }, sixteen],
    ["it is kept as well as them", [...slowOnes.slice(0, 2), booting(9)], ONE, { lacking: 0, unneeded: [] }, sixteen],
    ["eight are late: one more", slowOnes, ONE, { lacking: 1, unneeded: [] }, sixteen],
    ["it is kept as well as them", [...slowOnes, booting(9)], ONE, { lacking: 0, unneeded: [] }, sixteen],
    ["the last of several jobs has two where its machine is late", [busy(1), slow(2)], ONE_RUNS, 2],
    ["or failed", [busy(1), failedAndGone(3)], ONE_RUNS, 2],
    ["not where it is in time", [busy(1), booting(2)], ONE_RUNS, 0],
    ["busy machines that are soon free take no room", [soon], waiting(2, { running: 1 }), 3],
    ["nor without hedge", [soon], waiting(2, { running: 1 }), 1, { hedge: false, machines: 2 }],
    ["a create whose runners are registered is on its way", [asked(1)], ONE, { wanted: 1, lacking: 0, unneeded: [] }],
  ]);

  const cost = { gpu: 0, storage: 0, bytes: 0, waiting: 0, total: 0 };
  const of = (n: number, standing: Standing, hasImage = false) => {
    const expected: Expectation = { bootMs: 100 * SECOND, standing, failedLately: false, hasImage, cost };
    return booting(n, { candidate: { ...aCandidate(n), expected } });
  };
  const unproven = of(1, "unproven");
  const both = [unproven, of(2, "unproven")];

  counts("a single job, and a history", [
    ["for an unproven host another machine is started at once", [unproven], ONE, 1],
    ["that one is waited for", both, ONE, 0],
    ["also where the first has failed", [{ ...unproven, ending: anEnding("failed") }, of(2, "unproven")], ONE, 0],
    ["not for one that served", [of(1, "proven")], ONE, 0],
    ["nor one that has the image", [of(1, "unproven", true)], ONE, 0],
    ["nor one whose runner was online", [{ ...unproven, readyAt: NOW }], ONE, 0],
    ["not without hedge", [unproven], ONE, 0, { hedge: false }],
    ["each wait anew", [{ ...unproven, askedAt: NOW - 1 }], { ...ONE, lastEndAt: NOW }, 0],
    ["of several jobs the spares do that", many(4).map((n) => of(n, "unproven")), waiting(2), 0, sixteen],
  ]);

  test.each<[string, boolean, StoredMachine[], Partial<FleetState>?]>([
    ["the first one", false, []],
    ["beside a late one", true, [slow(1)]],
    ["after one that failed", true, [failedAndGone(1)]],
    ["not once a job ended after that", false, [failedAndGone(1)], { lastEndAt: NOW + 1 }],
  ])("what is started for a job that waited in vain is to be quick: %s, %j", (_what, isUrgent, machines, given) => {
    expect(countMachines(someFacts(aFleet(machines, { ...ONE, ...given }))).isUrgent).toBe(isUrgent);
  });
});

counts("n ≥ 1, hedge: drains, once n are ready all but these, else what exceeds 2 n and n + 6", [
  ["one is ready, the other goes", [booting(1), ready(2)], ONE, { unneeded: [1] }],
  [
    "none is ready: six more than jobs are kept, the least far go first",
    [starting(1), ...many(7, 2).map((n) => booting(n)), asked(9)],
    ONE,
    { unneeded: [9, 8] },
    sixteen,
  ],
  ["or twice as many", many(16).map((n) => booting(n)), waiting(7), { unneeded: [16, 15] }, sixteen],
]);

const more = gpuJob(102, "waiting", { otherLabels: ["self-hosted"] });
const jobsFault = { since: NOW, why: "GitHub could not be asked" };
const J = (ago: number) => [withSlot(busyFor(ago), { job: aSlotJob(1) })];
const began = (ago: number) => withSlot(busyFor(10 * MINUTE), { job: aSlotJob(1, { startedAt: NOW - ago }) });
const rental = { ...someRules().rental, jobMs: 20 * MINUTE };

describe("n ≥ 1, no hedge: late or not, min(n, machines − busy)", () => {
  const counted = (cases: readonly Case[]) => counts("counted", cases, { hedge: false });

  counted([
    ["those beyond go, the least far first", [booting(1), ready(2), starting(3)], ONE, { unneeded: [1, 3] }],
    ["those that wait for an approval or their concurrency group are not in n", [], { jobs: gpuJobs({ held: 3 }) }, 0],
    ["nor those that ask for more labels", [], { jobs: gpuJobs({}, { ours: [gpuJob(101, "waiting"), more] }) }, 1],
    ["nor one that a busy runner has unlisted", [busy(1, { slots: [aSlot(1, { runner: "busy" })] })], ONE, 0],
    ["for 5 min at most", [unlisted(1, FIVE - 1)], ONE, 0],
    ["a runner that only seems busy keeps no job waiting for good", [unlisted(1, FIVE)], ONE, 1],
    ["one that is busy by the list takes none", [busy(1)], ONE_RUNS, 1],
  ]);

  counts("a list that can't be read changes nothing", [
    ["nothing goes", [ready(1), booting(2)], { ...NONE, jobsFault }, { lacking: 0, unneeded: [] }],
    ["nothing is started", [], { ...waiting(3), jobsFault }, 0],
    ["nor where none was read", [], { jobs: undefined }, 0],
  ]);

  // J is 500 s while no job is over, E 100 s. Its job is listed as running.
  counts(
    "a busy machine with a slot left keeps from starting another while 0 ≤ J − elapsed < E",
    [
      ["busy for 390 s", J(390 * SECOND), ONE_RUNS, 1],
      ["for 401 s", J(401 * SECOND), ONE_RUNS, 0],
      ["for 500 s", J(500 * SECOND), ONE_RUNS, 0],
      ["for 501 s", J(501 * SECOND), ONE_RUNS, 1],
      ["J is what job-minutes says", J(450 * SECOND), ONE_RUNS, 1, { rental }],
      ["which may be later", J(19 * MINUTE), ONE_RUNS, 0, { rental }],
      ["elapsed counts from the begin of its job, as GitHub shows it", [began(390 * SECOND)], ONE_RUNS, 1],
      ["not from when it became ready", [began(401 * SECOND)], ONE_RUNS, 0],
      ["to the end of J", [began(501 * SECOND)], ONE_RUNS, 1],
    ],
    { hedge: false },
  );
});

describe("n = 0", () => {
  const two = { jobs: 2 };
  const atOnce = { waitForJob: 0 };
  const unlistedAnd = [unlisted(2, SECOND), idle(MINUTE)];

  counts("kept for more of ours", [
    ["fewer than `jobs` says: a ready one", [idle(4 * MINUTE)], ONE_OVER, { unneeded: [] }, two],
    ["for idle-timeout", [idle(FIVE)], ONE_OVER, { unneeded: [1] }, two],
    ["not one that boots", [booting(1)], ONE_OVER, { unneeded: [1] }, two],
    ["one whose next listener starts", [between(20 * SECOND)], ONE_OVER, { unneeded: [] }, two],
    ["for idle-timeout", [between(FIVE)], ONE_OVER, { unneeded: [1] }, two],
    ["not where no more are expected", [between(20 * SECOND)], ONE_OVER, { unneeded: [1] }],
    ["not from the second attempt on", [idle(MINUTE)], ONE_OVER, { unneeded: [1] }, { ...two, attempt: 2 }],
    ["a job on a busy runner has come, though the list lacks it", unlistedAnd, ONE_OVER, { unneeded: [1] }, two],
    ["the list may show it as waiting: it is one job", unlistedAnd, ONE, { unneeded: [] }, two],
    ["none", [ready(1), booting(2)], ONE_OVER, { wanted: 0, lacking: 0, unneeded: [2, 1] }],
  ]);

  counts("wait-for-job: 0s, and none was seen", [
    ["one is rented", [], NONE, { wanted: 1, lacking: 1, unneeded: [] }, atOnce],
    ["it is waited for", [booting(1)], NONE, { wanted: 1, lacking: 0, unneeded: [] }, atOnce],
    ["again if it failed", [failedAndGone(1)], NONE, 1, atOnce],
    ["a job that came to it at once has come, though the list lacks it", [unlisted(1, SECOND)], NONE, 0, atOnce],
    ["for 5 min", [unlisted(1, FIVE)], NONE, 1, atOnce],
    ["otherwise nothing is rented before a job waits", [], NONE, 0],
  ]);
});

counts(
  "hold: false, one machine, whatever jobs there are",
  [
    ["it is started", [], { jobs: undefined }, { wanted: 1, lacking: 1, unneeded: [] }],
    ["it is late", [slow(1)], { jobs: undefined }, { wanted: 1, lacking: 0, unneeded: [] }],
    ["it had a job, though that is over and it is gone", [spent(1, { ending: anEnding("over"), goneAt: 1 })], {}, 0],
    ["a job took it, while a failed one is given back", [failed(1), unlisted(2, SECOND)], { jobs: undefined }, 0],
  ],
  { hold: false },
);
