import { describe, expect, test } from "vitest";
import { waitingJobs } from "../../../src/fleet/jobs.ts";
import type { Rules } from "../../../src/fleet/options.ts";
import { reduce } from "../../../src/fleet/reduce.ts";
import { failuresOf } from "../../../src/fleet/renting/failures.ts";
import { standing } from "../../../src/fleet/renting/standing.ts";
import { stopOf } from "../../../src/fleet/renting/stop.ts";
import { machineFacts, useOf } from "../../../src/fleet/stage.ts";
import type { Ending, FleetState, RunnerSlot, StoredMachine } from "../../../src/fleet/state.ts";
import type { GpuJob } from "../../../src/github/jobs.ts";
import type { RunnerState } from "../../../src/github/runners.ts";
import { aFleet, gpuJob, gpuJobs, MINUTE, NOW, someFacts, someRules } from "../support/a-fleet.ts";
import { aCandidate } from "../support/an-offer.ts";
import { commands, decided, decideNow } from "../support/decide-now.ts";
import { anEnding, aSlotJob, nextSlot, withNext, withSlot } from "../support/machine-parts.ts";
import { busy, type MachineGiven, ready, starting } from "../support/machines.ts";

const SECOND = 1000;
const FIVE = 5 * MINUTE;

type Jobs = Parameters<typeof gpuJobs>[0];
type Beside = NonNullable<FleetState["beside"]>;

const BESIDE: MachineGiven = { besideSince: NOW - FIVE };
const WAITING = { jobs: gpuJobs({ waiting: 1 }), jobsAt: NOW };
const SILENT = { silentSince: NOW - FIVE };
const BESIDE_ONE = { jobs: gpuJobs({ waiting: 1, running: 1 }), jobsAt: NOW };

/** GitHub lists these jobs. */
function listed(fleet: FleetState, jobs: Jobs | GpuJob[], askedAt = NOW): FleetState {
  const all = Array.isArray(jobs) ? gpuJobs({}, { ours: jobs }) : gpuJobs(jobs);
  reduce(fleet, { kind: "JobsListed", askedAt, at: NOW, jobs: all });
  return fleet;
}

const overlooked = (id: Ending["id"], at: number) =>
  anEnding("over", { id, cause: id === "passed-over" ? id : undefined, since: at, decidedAt: at });
/** A machine that has been ready for so long, and beside which a job waits for five minutes. */
const readyFor = (n: number, ms: number) =>
  withSlot(ready(n, { ...BESIDE, readyAt: NOW - ms }), { onlineAt: NOW - ms });

test.each<[string, StoredMachine, Jobs, number | undefined]>([
  ["a later one changes nothing", ready(1, BESIDE), { waiting: 1 }, NOW - FIVE],
  ["none waits", ready(1, BESIDE), { running: 1 }, undefined],
  ["it is not ready", starting(1, BESIDE), { waiting: 1 }, undefined],
])("since when a job waits beside a ready machine, by the lists of jobs: %s", (_what, machine, jobs, expected) => {
  expect(listed(aFleet([machine]), jobs).machines[0]?.besideSince).toBe(expected);
});

test.each<[string, StoredMachine, Jobs, number | undefined]>([
  ["the one that was ready is not", starting(1, BESIDE), { waiting: 1 }, NOW - FIVE],
  ["none waits any more", ready(1, BESIDE), { over: 1 }, undefined],
  ["a job began", ready(1, BESIDE), { running: 1, waiting: 1 }, NOW],
])("since when GitHub gives ready machines no job that waits: %s", (_what, machine, jobs, expected) => {
  const before = machine.besideSince === undefined ? {} : SILENT;
  expect(listed(aFleet([machine], before), jobs).silentSince).toBe(expected);
});

describe("passed over", () => {
  const since = (ago: number) => [ready(1, { besideSince: NOW - ago })];
  const short = { idleTimeout: 30 * SECOND };
  const two = { ...WAITING, jobs: gpuJobs({ waiting: 2 }) };
  const gone = (id: Ending["id"]) => ready(2, { ending: overlooked(id, NOW - MINUTE), goneAt: NOW });
  const before = gone("passed-over");

  test.each<[string, StoredMachine[], string[], Partial<FleetState>?, Partial<Rules>?]>([
    ["not sooner", since(FIVE - 1), []],
    ["after two where idle-timeout is shorter", since(2 * MINUTE), ["1 passed-over"], WAITING, short],
    ["a list that can't be read adds nothing to its age", since(FIVE), [], { ...WAITING, jobsAt: NOW - 1 }],
    ["the one that is ready longest", [ready(1, BESIDE), readyFor(2, 9 * MINUTE)], ["2 passed-over"], two],
    ["the next after a further such time", [ready(1, BESIDE), before], []],
    ["the same where a job ran beside that one", [ready(1, BESIDE), gone("held-beside")], []],
    ["at once where one went for another reason", [ready(1, BESIDE), gone("unneeded")], ["1 passed-over"]],
    ["after two where machines before it went", since(2 * MINUTE), ["1 passed-over"], { ...WAITING, ...SILENT }],
    ["not sooner than that", since(2 * MINUTE - 1), [], { ...WAITING, ...SILENT }],
    ["as long after the last job that ran is over", since(FIVE), [], { ...WAITING, lastFreedAt: NOW - FIVE + 1 }],
  ])("%s", (_what, machines, expected, given = WAITING, rules = {}) => {
    const { endings } = decideNow(aFleet(machines, given), rules);
    expect(endings.map(({ ending, machineNo }) => `${machineNo} ${ending.id}`)).toEqual(expected);
  });

  test("it is drained, its host is paused, and no attempt is used", () => {
    const fleet = aFleet([ready(1, BESIDE)], WAITING);
    expect(commands(fleet)[0]).toBe("drain 1");
    expect(standing(decided(fleet), "host 100")?.until).toBe(NOW + 30 * MINUTE);
    expect(failuresOf(fleet)).toEqual([]);
  });

  test("a job of ours runs meanwhile: nobody's fault, so its host is not paused", () => {
    const fleet = decided(aFleet([ready(1, BESIDE), busy(2)], BESIDE_ONE));
    expect(fleet.machines[0]?.ending).toMatchObject({ id: "held-beside", cause: undefined });
    expect(standing(fleet, "host 100")).toBeUndefined();
    expect(fleet.beside).toEqual({ since: NOW, limit: 1, times: 1 });
  });

  test.each([
    ["was ready when the one before it was given up: one silence, counted once", 3 * MINUTE, 1],
    ["became ready after that: the second time", MINUTE, 2],
  ])("the next one %s", (_what, readyForMs, times) => {
    const beside = { since: NOW - 2 * MINUTE, limit: 1, times: 1 };
    const fleet = aFleet([readyFor(1, readyForMs), busy(2)], { ...BESIDE_ONE, beside });
    expect(decided(fleet).beside).toEqual({ since: NOW, limit: 1, times });
  });
});

describe("renting beside jobs that run", () => {
  const beside = (given: Partial<Beside> = {}) => ({ since: NOW, limit: 2, times: 1, ...given });
  const [nine, besideTwo] = [{ waiting: 9 }, { waiting: 9, running: 2 }];

  test.each<[string, Jobs, Partial<Beside>, number, StoredMachine[]?]>([
    ["one has ended since: one", { waiting: 9, running: 1 }, {}, 1],
    ["both have ended: two", nine, {}, 2],
    ["a quarter of an hour later: one, to see", besideTwo, { since: NOW - 15 * MINUTE }, 1],
    ["the second time after half an hour", besideTwo, { since: NOW - 29 * MINUTE, times: 2 }, 0],
    ["machines that are ready keep their chance", besideTwo, {}, 2, [ready(1), ready(2)]],
  ])("%s", (_what, jobs, given, expected, machines = []) => {
    const fleet = aFleet(machines, { jobs: gpuJobs(jobs), beside: beside(given) });
    expect(waitingJobs(fleet, NOW)).toHaveLength(expected);
    // Without a spare.
    expect(decideNow(fleet).lacking).toBe(expected - machines.length);
  });

  test.each<[string, Jobs, Beside | undefined]>([
    ["none waits any more", { running: 1 }, undefined],
    ["a job began or ended: its time begins anew", { waiting: 2, running: 2 }, { since: NOW, limit: 2, times: 0 }],
  ])("%s", (_what, jobs, expected) => {
    const fleet = aFleet([], { jobs: gpuJobs({ waiting: 3, running: 1 }), beside: beside({ since: 0 }) });
    expect(listed(fleet, jobs).beside).toEqual(expected);
  });
});

const first = ready(1, { ending: overlooked("passed-over", NOW - 6 * MINUTE), goneAt: NOW - 6 * MINUTE });
const second = (ago: number, given: MachineGiven = {}) =>
  ready(2, { readyAt: NOW - ago, ending: overlooked("passed-over", NOW), goneAt: NOW, ...given });

test.each<[string, StoredMachine[], Partial<FleetState>, string | undefined]>([
  ["two hosts, the second ready after the first was given up", [first, second(FIVE)], {}, "passed-over"],
  ["both were ready at one time: one silence", [first, second(7 * MINUTE)], {}, undefined],
  ["one host, twice", [first, second(FIVE, { candidate: aCandidate(1, 100) })], {}, undefined],
  ["two, and a job of ours has begun since", [first, second(FIVE)], { lastBeginAt: NOW }, undefined],
])("renting stops when GitHub gives no job to %s: %#", (_what, machines, given, expected) => {
  expect(stopOf(someFacts(aFleet(machines, { lastBeginAt: 0, ...given })))?.id).toBe(expected);
});

describe("a runner that GitHub shows as busy without a job", () => {
  const busyFor = (ms: number) => withSlot(ready(1), { runner: "busy", busySince: NOW - ms, wasBusy: true });
  const elsewhere = gpuJob(101, "running", { runnerName: "other", runnerId: 9 });
  const stuck = () => listed(aFleet([busyFor(FIVE)]), []);
  const isStuck = (fleet: FleetState) => fleet.machines[0]?.slots[0]?.isStuck === true;
  const look = (fleet: FleetState, state: RunnerState) =>
    reduce(fleet, { kind: "RunnersListed", askedAt: NOW, at: NOW, runners: { 21: state } });
  const refuse = (fleet: FleetState) => {
    const kept = { id: 21, answer: "busy" } as const;
    reduce(fleet, { kind: "RunnerRemoved", askedAt: NOW, at: NOW, machineNo: 1, removed: [], kept });
  };

  test.each<[string, number, GpuJob[], boolean, number?]>([
    ["for five minutes of jobs lists", FIVE, [], true],
    ["not a moment before", FIVE - 1, [], false],
    ["at the second list where each of ours that runs has another runner", 14 * SECOND, [elsewhere], true],
    ["not at the first", 14 * SECOND - 1, [elsewhere], false],
    ["not by a list that was asked for before it was busy", 15 * SECOND, [elsewhere], false, NOW - 16 * SECOND],
    ["not where one of ours names no runner yet", MINUTE, [elsewhere, gpuJob(102, "running")], false],
  ])("is stuck %s: %#", (_what, ms, ours, expected, askedAt) => {
    expect(isStuck(listed(aFleet([busyFor(ms)]), ours, askedAt))).toBe(expected);
  });

  test("serves nobody, takes no room, and is asked for later each time that GitHub refuses", () => {
    const fleet = stuck();
    const [machine] = fleet.machines as [StoredMachine];
    expect([useOf(machine, someRules(), NOW).isFree, machineFacts(machine).isCounted]).toEqual([false, false]);
    expect(decideNow(fleet).endings.map(({ ending }) => ending?.id)).toEqual(["stuck"]);
    expect(commands(fleet)).toContain("drain 1");
    // Or one after the other would be rented, and bill.
    expect(failuresOf(decided(structuredClone(fleet)))).toHaveLength(1);
    const pauses = Array.from({ length: 6 }, () => {
      refuse(decided(fleet));
      return ((machine.drainAgainAt ?? 0) - NOW) / SECOND;
    });
    expect(pauses).toEqual([15, 30, 60, 120, 240, 300]);
    expect(commands(fleet)).not.toContain("drain 1");
  });

  test("is burnt where its machine runs a job by its next runner, as one begins after the other", () => {
    const { runnerId, runnerName } = nextSlot(1);
    const fleet = listed(aFleet([withNext(busyFor(MINUTE))]), [gpuJob(101, "running", { runnerId, runnerName })]);
    const its = machineFacts(fleet.machines[0] as StoredMachine);
    expect([its.isStuck, its.isBusy, its.isCounted]).toEqual([false, true, true]);
  });

  test("uses no attempt where its machine's next runner waits in vain: that one can take a job", () => {
    const fleet = listed(aFleet([withNext(busyFor(FIVE), { runner: "online", onlineAt: NOW })]), []);
    const after = decided({ ...fleet, findings: { "machine 1: unneeded": 0 } });
    expect([after.machines[0]?.ending?.id, failuresOf(after).length]).toEqual(["unneeded", 0]);
  });

  test("at its deadline it is destroyed, however lately GitHub refused", () => {
    const late = listed(aFleet([{ ...busyFor(FIVE), deadline: NOW - MINUTE, drainAgainAt: NOW + 4 * MINUTE }]), []);
    expect(commands(late)).toContain("destroy 701");
  });

  test("once it is stuck it stays so while it is away, and when GitHub refuses again: nobody lost a job with it", () => {
    const fleet = stuck();
    look(fleet, "offline");
    refuse(fleet);
    expect([isStuck(fleet), isStuck(listed(fleet, []))]).toEqual([true, true]);
    expect(machineFacts(fleet.machines[0] as StoredMachine).isBusy).toBe(false);
  });

  test("before it is stuck, a refusal counts for more than a list that shows it as away: it becomes stuck all the same", () => {
    const fleet = decided(aFleet([busyFor(FIVE)]));
    refuse(fleet);
    look(fleet, "offline");
    expect(isStuck(listed(fleet, []))).toBe(true);
  });

  test.each<[string, RunnerState[], [boolean, number | undefined]]>([
    ["the list showed it as busy, and then as idle: it is asked for at once", ["busy", "online"], [true, undefined]],
    ["the list alone never said so: the refusal counts for more", ["online"], [false, NOW + 15 * SECOND]],
  ])("GitHub refused its removal, and %s", (_what, states, expected) => {
    const fleet = decided(stuck());
    refuse(fleet);
    for (const state of states) look(fleet, state);
    const [machine] = fleet.machines as [StoredMachine];
    expect([useOf({ ...machine, ending: undefined }, someRules(), NOW).isFree, machine.drainAgainAt]).toEqual(expected);
  });

  test.each<[string, Partial<RunnerSlot>, number]>([
    ["an attempt stays used, or one after the other would be rented", {}, 1],
    ["not where a job ran on it since", { job: aSlotJob(1, { isOver: true }) }, 0],
  ])("GitHub lets go of it, and no job needs its machine by then: %s", (_what, given, failures) => {
    const fleet = stuck();
    look(fleet, "online");
    const [machine] = fleet.machines as [StoredMachine];
    Object.assign(machine.slots[0] as RunnerSlot, given);
    expect(failuresOf(decided({ ...fleet, findings: { "machine 1: unneeded": 0 } }))).toHaveLength(failures);
  });

  test("its job is listed after all: it is kept", () => {
    const fleet = listed(decided(stuck()), [gpuJob(101, "running", { runnerId: 21 })]);
    expect([isStuck(fleet), decideNow(fleet).takenBack]).toEqual([false, [1]]);
  });
});
