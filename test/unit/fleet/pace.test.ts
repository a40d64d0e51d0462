import { describe, expect, test } from "vitest";
import { WELL_OVER } from "../../../src/fleet/facts.ts";
import type { Quota } from "../../../src/fleet/hurry.ts";
import type { Rules } from "../../../src/fleet/options.ts";
import { type Pace, paceOf, slotsToLookAt } from "../../../src/fleet/pace.ts";
import type { FleetState, StoredMachine } from "../../../src/fleet/state.ts";
import type { GpuJob } from "../../../src/github/jobs.ts";
import { aFleet, gpuJobs, MINUTE, NOW, someRules } from "../support/a-fleet.ts";
import { aSlotJob, nextSlot, refused, UNCERTAIN, withNext, withSlot } from "../support/machine-parts.ts";
import { booting, busy, inFlight, ready, starting, unlisted, unmade } from "../support/machines.ts";

const FIVE = 5 * MINUTE;
const never = Number.POSITIVE_INFINITY;

interface Given {
  machines?: StoredMachine[];
  state?: Partial<FleetState>;
  rules?: Partial<Rules>;
  quota?: Partial<Quota>;
}

/** The pace where nothing is known of GitHub's limits and of jobs, but for what the test says. */
function pace({ machines = [], quota = {}, rules = {}, state = {} }: Given): Pace {
  const unknown = { requestsLeft: undefined, requestsCounted: 0, runnersAskedAlone: 0, usualJobMs: () => undefined };
  return paceOf(aFleet(machines, state), someRules(rules), NOW, { ...unknown, ...quota });
}

/** Machines in words, how often a list is read, in seconds, and what else is so. */
type Case = [words: string, seconds: number, machines: StoredMachine[], state?: Partial<FleetState>, more?: Given];

function paces(rule: string, list: keyof Pace, cases: readonly Case[]): void {
  test.each(cases)(`${rule}: %s: %d s`, (_words, seconds, machines, state = {}, more = {}) => {
    // The last runner is asked for while the token is good, and the last job afterwards.
    const rules = { tokenExpires: list === "runners", ...more.rules };
    expect(pace({ machines, state, ...more, rules })[list]).toBe(seconds * 1000);
  });
}

const WAITS = { jobs: gpuJobs({ waiting: 1 }) };
const RUNS = { jobs: gpuJobs({ running: 1 }) };
const BOTH = { jobs: gpuJobs({ waiting: 1, running: 1 }) };
const APP = { rules: { tokenExpires: true } };
const UNHELD = { rules: { hold: false } };
const away = { runner: "offline", offlineSince: NOW } as const;
const began = (minutes: number, state: Partial<FleetState> = RUNS) => ({ ...state, startedAt: NOW - minutes * MINUTE });
const found = (what: string, ago: number, state: object = RUNS) => ({ ...state, findings: { [what]: NOW - ago } });

paces("runners, by how far the machines are", "runners", [
  ["one is starting", 2.5, [starting(1), busy(2)], RUNS],
  ["one is booting", 10.5, [booting(1), ready(2)], RUNS],
  ["asked without an answer: it may be ready before a list shows it", 10.5, [inFlight(1, UNCERTAIN)], RUNS],
  ["busy alone: its job shows it", never, [busy(1)], began(60)],
  ["none", never, [], RUNS],
  ["ready, and a job waits for it", 15, [ready(1)], WAITS],
  ["busy with a job that no list shows: GitHub may have taken that one back", 15, [unlisted(1, 1000)], WAITS],
  ["busy without a job", 62, [unlisted(1, FIVE)], began(60)],
  ["a heartbeat is missing", 15, [busy(1, { isSilent: true })], began(60)],
  ["busy, its runner away: when it is back shows who ended its job", 15, [withSlot(busy(1), away)], began(60)],
]);

paces("runners, of the last job", "runners", [
  ["it runs alone: its end shows there first", 5, [busy(1)], began(44)],
  ["another waits", never, [busy(1)], began(44, BOTH)],
]);

paces("jobs, by what they decide", "jobs", [
  ["one waits and none is free", 62, [busy(1)], BOTH],
  ["a machine is busy with a job that the list lacks", 15, [unlisted(1, FIVE - 1000)], RUNS],
  ["something is unconfirmed", 15, [busy(1)], found("end: over", 0)],
  ["a fresh finding about a machine waits for them", 7.5, [busy(1)], found("machine 1: lost", 29_000)],
  ["an older one about a machine", 15, [busy(1)], found("machine 1: lost", 30_000)],
  ["one that no list of the service confirms asks no more often", 62, [busy(1)], found("machine 1: lost", FIVE)],
  ["few requests are left", 60, [ready(1)], WAITS, { quota: { requestsLeft: 99 } }],
]);

const SLOW = { jobsTookMs: 16_000 };
const went = (ago: number, jobsAgo: number) => ({ ...found("machine 1: went", ago, {}), jobsAt: NOW - jobsAgo });

paces("jobs, hold: false", "jobs", [
  ["nothing went", never, [ready(1)], { findings: {}, jobsAt: NOW }, UNHELD],
  ["a machine went: at once, and once more", 7.5, [ready(1)], went(5000, 5000), UNHELD],
  ["that list says nothing yet, as it took so long", 7.5, [ready(1)], { ...went(20_000, 4000), ...SLOW }, UNHELD],
  ["no list could be read for 5 min", never, [ready(1)], went(FIVE, NOW), UNHELD],
  ["at the start", never, [], { jobs: gpuJobs({}), startedAt: NOW }, UNHELD],
]);

describe("every 3 s", () => {
  /** Jobs that have run for so many minutes, and others. */
  const running = (minutes: number[], ...others: Partial<GpuJob>[]): Partial<FleetState> => {
    const jobs = gpuJobs({ running: minutes.length + others.length });
    const given = [...minutes.map((each) => ({ name: "test", startedAt: NOW - each * MINUTE })), ...others];
    return { jobs: { ...jobs, ours: jobs.ours.map((job, n) => ({ ...job, ...given[n] })) } };
  };
  const usual = (minutes: number): Given => ({ quota: { usualJobMs: () => minutes * MINUTE } });
  const empty = (ago: number) => ({ jobs: gpuJobs({}), startedAt: NOW - ago });
  const sibling = { state: "over", runnerName: "r", startedAt: 0, completedAt: 10 * MINUTE } as const;
  const jobMs = { rules: { rental: { ...someRules().rental, jobMs: 10 * MINUTE } } };
  const BUSY = [busy(1)];

  paces("jobs, at the start, while none is listed", "jobs", [
    ["for 30 s", 3, [], empty(29_999)],
    ["not longer", 15, [], empty(30_000)],
    ["not while they can't be read", 15, [], { ...empty(1000), jobsFault: { since: NOW, why: "no answer" } }],
  ]);

  paces("jobs, around the usual end of the last job", "jobs", [
    ["a minute before", 3, BUSY, running([9]), usual(10)],
    ["of the later one", 3, BUSY, running([15, 10]), usual(10)],
    ["as long as its sibling", 3, BUSY, running([10], sibling)],
    ["its sibling was twice as slow as usual", 3, BUSY, running([10], { ...sibling, name: "slow" }), usual(5)],
    ["as long as the user says", 3, BUSY, running([10]), jobMs],
    ["60", 62, BUSY, running([10]), { quota: { ...usual(10).quota, requestsCounted: 60 } }],
    ["fewer", 62, BUSY, running([10]), { quota: { ...usual(10).quota, requestsLeft: 199 } }],
  ]);

  paces("jobs, while the last one runs and an app's token can't be asked for its runner", "jobs", [
    ["it may have expired", 3, BUSY, began(45), APP],
    ["60 counted in this hour", 62, BUSY, began(45), { ...APP, quota: { requestsCounted: 60 } }],
  ]);

  const gone = (ago: number) => [withSlot(busy(1), { job: aSlotJob(1), goneSince: NOW - ago, runner: "gone" })];

  paces("jobs, after the machine or its runner went from under the last job", "jobs", [
    ["its runner, for a minute", 3, gone(MINUTE), RUNS],
    ["not longer", 62, gone(MINUTE + 1), RUNS],
    ["another waits", 62, gone(MINUTE), BOTH],
  ]);

  paces("jobs, for the second look at a good end", "jobs", [
    ["while that is near", 3, [], found(WELL_OVER, 13_999, { jobs: gpuJobs({ over: 1 }) })],
    ["not longer", 15, [], found(WELL_OVER, 14_000, { jobs: gpuJobs({ over: 1 }) })],
  ]);
});

paces("instances, by how far the machines are", "instances", [
  ["booting", 10.5, [booting(1)], RUNS],
  ["starting", 10.5, [starting(1)], RUNS],
  ["asked without an answer", 10.5, [inFlight(1, UNCERTAIN)], RUNS],
  ["refused: the next list shows whether it was made", 2.5, [inFlight(1, refused("rejected"))], RUNS],
  ["ready", 15, [ready(1)], RUNS],
  ["gone", never, [busy(1, { goneAt: NOW })]],
  ["none, and one is wanted: before each create", 15, [], { unservedSince: NOW }],
  ["without an answer: it may still come true", 15, [unmade(1, UNCERTAIN, { ago: 89_000 })]],
  ["for longer", 62, [unmade(1, UNCERTAIN, { ago: 90_000 })]],
]);

describe("which runners can be current", () => {
  const ids = (...machines: StoredMachine[]) => slotsToLookAt(aFleet(machines)).map(({ runnerId }) => runnerId);
  const next = nextSlot(1).runnerId;

  test.each<[string, StoredMachine, number[]]>([
    ["the first, while it is there", withNext(ready(1)), [21]],
    ["the next one, too, while the first is away", withNext(withSlot(ready(1), { runner: "offline" })), [21, next]],
    ["none of a machine that is gone", ready(1, { goneAt: NOW }), []],
  ])("%s", (_what, machine, expected) => {
    expect(ids(machine)).toEqual(expected);
  });

  test("each asked for by its id: 16 machines of 4 slots take at most 300 requests a minute", () => {
    const machines = Array.from({ length: 16 }, (_one, index) =>
      withSlot(withNext(withNext(withNext(starting(index + 1)))), { runner: "offline" }),
    );
    const runnersAskedAlone = ids(...machines).length;
    const state = { jobs: gpuJobs({ waiting: 16 }) };
    const { runners } = pace({ machines, state, rules: { machines: 16 }, quota: { runnersAskedAlone } });
    expect((runnersAskedAlone * 60_000) / runners).toBeLessThanOrEqual(300);
    expect(runners).toBeLessThanOrEqual(15_000);
  });
});
