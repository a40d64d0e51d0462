import { describe, expect, test } from "vitest";
import { WELL_OVER } from "../../../src/fleet/facts.ts";
import type { Quota } from "../../../src/fleet/hurry.ts";
import type { Rules } from "../../../src/fleet/options.ts";
import { isShort, paceOf, slotsToLookAt } from "../../../src/fleet/pace.ts";
import type { FleetState, StoredMachine } from "../../../src/fleet/state.ts";
import {
  aFleet,
  aSlotJob,
  asked,
  booting,
  busy,
  gpuJobs,
  inFlight,
  NOW,
  nextSlot,
  ready,
  refused,
  someRules,
  spent,
  starting,
  UNCERTAIN,
  unlisted,
  unmade,
  withNext,
  withSlot,
} from "../support/a-fleet.ts";

const never = Number.POSITIVE_INFINITY;

function pace(machines: StoredMachine[], given: Partial<FleetState> = {}, rules: Partial<Rules> = {}, left?: number) {
  return paceOf(aFleet(machines, given), someRules(rules), NOW, someQuota({ requestsLeft: left }));
}

/** Nothing is known. */
function someQuota(given: Partial<Quota> = {}): Quota {
  return { requestsLeft: undefined, requestsCounted: 0, runnersAskedAlone: 0, usualJobMs: () => undefined, ...given };
}

const waiting = { jobs: gpuJobs({ waiting: 1 }) };
const running = { jobs: gpuJobs({ running: 1 }) };

describe("runners", () => {
  test.each([
    ["starting", [starting(1), busy(2)], 2500],
    ["booting", [booting(1), ready(2)], 10_500],
    ["asked without an answer: it may be ready before a list shows it", [inFlight(1, UNCERTAIN)], 10_500],
    ["busy alone: its job shows it", [busy(1)], never],
    ["busy with a slot left", [withNext(busy(1))], never],
    ["none", [], never],
  ] as const)("%s", (_name, machines, every) => {
    expect(pace([...machines], running).runners).toBe(every);
  });

  test.each([
    ["the last job runs alone: its end shows there first", {}, {}, 5000],
    ["two run", { jobs: gpuJobs({ running: 2 }) }, {}, never],
    ["another waits", { jobs: gpuJobs({ running: 1, waiting: 1 }) }, {}, never],
    ["an app's token may have expired", { startedAt: NOW - 45 * 60_000 }, {}, never],
    ["a personal token doesn't expire", { startedAt: NOW - 45 * 60_000 }, { tokenExpires: false }, 5000],
    ["hold: false", {}, { hold: false }, never],
  ])("busy, %s", (_what, given, rules, every) => {
    expect(pace([busy(1)], { ...running, startedAt: NOW - 44 * 60_000, ...given }, rules).runners).toBe(every);
  });

  test("ready: as often as a job waits for it", () => {
    expect(pace([ready(1)], waiting).runners).toBe(15_000);
    expect(pace([ready(1)], running).runners).toBe(62_000);
  });

  test("busy with a job that the jobs' list lacks: GitHub may have taken that one back", () => {
    expect(pace([unlisted(1, 1000)], waiting).runners).toBe(15_000);
    expect(pace([unlisted(1, 1000)], running).runners).toBe(15_000);
    expect(pace([unlisted(1, 300_000)], running).runners).toBe(62_000);
  });

  test("a machine whose heartbeat is missing", () => {
    expect(pace([busy(1, { isSilent: true })], running).runners).toBe(15_000);
  });

  test("busy, and its runner is away: that it comes back before its job ends shows who ended that job", () => {
    const away = { runner: "offline", offlineSince: NOW } as const;
    expect(pace([withSlot(busy(1), away)], running).runners).toBe(15_000);
    expect(pace([busy(1), withSlot(busy(2, { goneAt: NOW }), away)], running).runners).toBe(never);
  });
});

describe("jobs", () => {
  test("every 15 s while a job waits and a machine is free", () => {
    expect(pace([ready(1)], waiting).jobs).toBe(15_000);
    expect(pace([busy(1)], { jobs: gpuJobs({ waiting: 1, running: 1 }) }).jobs).toBe(62_000);
  });

  test("every 15 s while a machine is busy with a job that the list lacks, for 5 min at most", () => {
    expect(pace([unlisted(1, 299_000)], running).jobs).toBe(15_000);
    expect(pace([unlisted(1, 300_000)], running).jobs).toBe(62_000);
  });

  test("a finding that a list of the service can't confirm for long asks GitHub no more often", () => {
    const found = (ago: number) => pace([busy(1)], { ...running, findings: { "machine 1: lost": NOW - ago } }).jobs;
    expect(found(30_000)).toBe(15_000);
    expect(found(299_000)).toBe(15_000);
    expect(found(300_000)).toBe(62_000);
  });

  test("a fresh finding about a machine waits for them: every 7.5 s; one about the end does not", () => {
    const found = (what: string) => pace([busy(1)], { ...running, findings: { [what]: NOW - 29_000 } }).jobs;
    expect(found("machine 1: lost")).toBe(7500);
    expect(found("end: over")).toBe(15_000);
  });

  test("every 15 s before anything is rented, and while something is unconfirmed", () => {
    expect(pace([]).jobs).toBe(15_000);
    const findings = { "end: over": NOW };
    expect(pace([busy(1)], { ...running, findings }).jobs).toBe(15_000);
  });

  test("four times as seldom while few requests are left", () => {
    expect(pace([ready(1)], waiting, {}, 99).jobs).toBe(60_000);
    expect(pace([ready(1)], waiting, {}, 100).jobs).toBe(15_000);
    expect([undefined, 100, 99].map((left) => isShort(left))).toEqual([false, false, true]);
  });

  test.each([
    ["nothing went: never", {}, NOW, never],
    ["a machine went: at once, and once more", { "machine 1: went": NOW - 5000 }, NOW - 5000, 7500],
    ["a list long after that is there", { "machine 1: went": NOW - 20_000 }, NOW - 6000, never],
    ["no list could be read for 5 min", { "machine 1: went": NOW - 300_000 }, 0, never],
    ["a finding about something else", { "end: over": NOW - 5000 }, NOW - 5000, never],
  ])("hold: false, %s", (_what, findings, jobsAt, every) => {
    expect(pace([ready(1)], { findings, jobsAt }, { hold: false }).jobs).toBe(every);
  });
});

describe("jobs, every 3 s", () => {
  const MINUTE = 60_000;
  const every = (machines: StoredMachine[], given: Partial<FleetState>, quota: Partial<Quota> = {}, rules = {}) =>
    paceOf(aFleet(machines, given), someRules(rules), NOW, someQuota(quota)).jobs;
  /** A job that has run for so long. */
  const ranFor = (ms: number, name = "test") => ({ name, startedAt: NOW - ms });
  const runs = (...jobs: { name: string; startedAt: number }[]) =>
    ({
      jobs: {
        ...gpuJobs({ running: jobs.length }),
        ours: jobs.map((job, n) => ({ ...gpuJobs({ running: jobs.length }).ours[n], ...job })),
      },
    }) as Pick<FleetState, "jobs">;
  const tenMinutes = { usualJobMs: () => 10 * MINUTE };

  test.each([
    ["for 30 s", NOW - 29_999, {}, 3000],
    ["not longer", NOW - 30_000, {}, 15_000],
    ["not once one is listed", NOW - 1000, { jobs: gpuJobs({ waiting: 1 }) }, 15_000],
    ["not while they can't be read", NOW - 1000, { jobsFault: { since: NOW, why: "no answer" } }, 15_000],
  ])("at the start, while none is listed: %s", (_what, startedAt, given, ms) => {
    expect(every([], { jobs: gpuJobs({}), startedAt, ...given })).toBe(ms);
  });

  test.each([
    ["a minute before", [ranFor(9 * MINUTE)], 3000],
    ["not sooner", [ranFor(9 * MINUTE - 1)], 62_000],
    ["a minute after", [ranFor(11 * MINUTE)], 3000],
    ["not later", [ranFor(11 * MINUTE + 1)], 62_000],
    ["not while a later one runs", [ranFor(10 * MINUTE), ranFor(2 * MINUTE)], 62_000],
    ["of the later one", [ranFor(15 * MINUTE), ranFor(10 * MINUTE)], 3000],
  ])("around the usual end of the last job: %s", (_what, jobs, ms) => {
    expect(every([busy(1)], runs(...jobs), tenMinutes)).toBe(ms);
  });

  test("its usual length is that of earlier runs, by how slow its siblings were; else theirs, else the user's word", () => {
    const over = { state: "over", runnerName: "r", startedAt: 0, completedAt: 10 * MINUTE } as const;
    const { jobs } = runs(ranFor(10 * MINUTE));
    const sibling = { jobs: { ...jobs, ours: [...(jobs?.ours ?? []), { ...jobs?.ours[0], ...over, id: 99 }] } } as Pick<
      FleetState,
      "jobs"
    >;
    expect(every([busy(1)], runs(ranFor(10 * MINUTE)))).toBe(62_000);
    expect(every([busy(1)], sibling)).toBe(3000);
    const usual = (minutes: Record<string, number>) => ({
      usualJobMs: (name: string) => (minutes[name] ?? 0) * MINUTE,
    });
    expect(every([busy(1)], runs(ranFor(10 * MINUTE)), usual({ test: 5 }))).toBe(62_000);
    // Twice as slow as usual.
    const { jobs: both } = sibling;
    const slow = { jobs: { ...both, ours: both?.ours.map((job) => (job.id === 99 ? { ...job, name: "slow" } : job)) } };
    expect(every([busy(1)], slow as typeof sibling, usual({ test: 5, slow: 5 }))).toBe(3000);
    const rental = { ...someRules().rental, jobMs: 10 * MINUTE };
    expect(every([busy(1)], runs(ranFor(10 * MINUTE)), {}, { rental })).toBe(3000);
  });

  test.each([
    ["none waits", {}, 3000],
    ["another waits", { jobs: gpuJobs({ running: 1, waiting: 1 }) }, 62_000],
    ["another is held", { jobs: gpuJobs({ running: 1, held: 1 }) }, 62_000],
  ])("for a minute after the machine or its runner went from under the last job: %s", (_what, given, ms) => {
    const gone = (ago: number) => withSlot(busy(1), { job: aSlotJob(1), goneSince: NOW - ago, runner: "gone" });
    expect(every([gone(60_000)], { ...running, ...given })).toBe(ms);
    expect(every([gone(60_001)], { ...running, ...given })).not.toBe(3000);
    const absent = withSlot(busy(1, { absentSince: NOW - 60_000 }), { job: aSlotJob(1) });
    expect(every([absent], { ...running, ...given })).toBe(ms);
  });

  test("for the second look at a good end, while that is near", () => {
    const found = (ago: number) => every([], { jobs: gpuJobs({ over: 1 }), findings: { [WELL_OVER]: NOW - ago } });
    expect([found(13_999), found(14_000)]).toEqual([3000, 15_000]);
  });

  test.each([
    ["59 counted in this hour", { requestsCounted: 59 }, 3000],
    ["60: with those of the usual pace at most 120", { requestsCounted: 60 }, 62_000],
    ["200 left", { requestsLeft: 200 }, 3000],
    ["fewer", { requestsLeft: 199 }, 62_000],
  ])("while GitHub's limit leaves room: %s", (_what, quota, ms) => {
    expect(every([busy(1)], runs(ranFor(10 * MINUTE)), { ...tenMinutes, ...quota })).toBe(ms);
  });

  test("never with hold: false", () => {
    expect(every([], { jobs: gpuJobs({}), startedAt: NOW }, {}, { hold: false })).toBe(never);
  });
});

describe("instances", () => {
  test.each([
    ["booting", [booting(1)], 10_500],
    ["starting", [starting(1)], 10_500],
    ["asked", [asked(1)], 10_500],
    ["asked without an answer", [inFlight(1, UNCERTAIN)], 10_500],
    ["refused: the next list shows whether it was made all the same", [inFlight(1, refused("rejected"))], 2500],
    ["ready", [ready(1)], 15_000],
    ["busy", [busy(1)], 15_000],
    ["none", [], never],
  ] as const)("%s", (_name, machines, every) => {
    expect(pace([...machines], running).instances).toBe(every);
  });

  test("one is gone: not for it", () => {
    expect(pace([busy(1, { goneAt: NOW })]).instances).toBe(never);
  });

  test("a machine is wanted: before each create", () => {
    expect(pace([], { unservedSince: NOW }).instances).toBe(15_000);
  });

  test("a create that gave no answer may still come true, and one that was refused and that no list showed can't", () => {
    expect(pace([unmade(1, refused("rejected"))]).instances).toBe(never);
    expect(pace([unmade(1, UNCERTAIN, { ago: 89_000 })]).instances).toBe(15_000);
    expect(pace([unmade(1, UNCERTAIN, { ago: 90_000 })]).instances).toBe(62_000);
  });
});

describe("which runners can be current", () => {
  const ids = (...machines: StoredMachine[]) => slotsToLookAt(aFleet(machines)).map(({ runnerId }) => runnerId);
  const next = nextSlot(1).runnerId;

  test.each<[string, StoredMachine, number[]]>([
    ["the first, while it is there", withNext(ready(1)), [21]],
    ["the next one, too, while the first is away", withNext(withSlot(ready(1), { runner: "offline" })), [21, next]],
    [
      "the next one, too, when the first one's job is over",
      withNext(withSlot(busy(1), { job: aSlotJob(1, { isOver: true }) })),
      [21, next],
    ],
    ["the next one alone, when the first is spent", withNext(withNext(spent(1), { runner: "online" })), [next]],
    ["none of a machine that is gone", ready(1, { goneAt: NOW }), []],
  ])("%s", (_what, machine, expected) => {
    expect(ids(machine)).toEqual(expected);
  });

  test("each asked for by its id: 16 machines of 4 slots take at most 300 requests a minute", () => {
    const machines = Array.from({ length: 16 }, (_one, index) =>
      withSlot(withNext(withNext(withNext(starting(index + 1)))), { runner: "offline" }),
    );
    const fleet = aFleet(machines, { jobs: gpuJobs({ waiting: 16 }) });
    const { runners } = paceOf(fleet, someRules({ machines: 16 }), NOW, {
      ...someQuota(),
      runnersAskedAlone: slotsToLookAt(fleet).length,
    });
    expect((slotsToLookAt(fleet).length * 60_000) / runners).toBeLessThanOrEqual(300);
    expect(runners).toBeLessThanOrEqual(15_000);
  });
});
