import { describe, expect, test } from "vitest";
import { waitingJobs } from "../../../src/fleet/jobs.ts";
import type { Rules } from "../../../src/fleet/options.ts";
import { reduce } from "../../../src/fleet/reduce.ts";
import { failuresOf } from "../../../src/fleet/renting/failures.ts";
import { standing } from "../../../src/fleet/renting/standing.ts";
import { stopOf } from "../../../src/fleet/renting/stop.ts";
import { machineFacts, useOf } from "../../../src/fleet/stage.ts";
import type { Ending, FleetState, StoredMachine } from "../../../src/fleet/state.ts";
import type { RunnerState } from "../../../src/github/runners.ts";
import {
  aCandidate,
  aFleet,
  anEmptyMarket,
  anEnding,
  aSlot,
  busy,
  gpuJob,
  gpuJobs,
  type MachineGiven,
  NOW,
  ready,
  someFacts,
  someRules,
  starting,
  withSlot,
} from "../support/a-fleet.ts";
import { commands, decided, decideNow } from "../support/decide-now.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const BESIDE: MachineGiven = { besideSince: NOW - 5 * MINUTE };
const WAITING = { jobs: gpuJobs({ waiting: 1 }), jobsAt: NOW };
const BESIDE_ONE = { jobs: gpuJobs({ waiting: 1, running: 1 }), jobsAt: NOW };

const ends = (machines: StoredMachine[], given: Partial<FleetState> = WAITING, rules: Partial<Rules> = {}) =>
  decideNow(aFleet(machines, given), rules).endings.map(({ ending, machineNo }) => `${machineNo} ${ending.id}`);
const jobsAre = (fleet: FleetState, counts: Parameters<typeof gpuJobs>[0], at = NOW): FleetState => {
  reduce(fleet, { kind: "JobsListed", askedAt: at, at, jobs: gpuJobs(counts) });
  return fleet;
};
const overlooked = (id: Ending["id"], at: number) =>
  anEnding("over", { id, cause: id === "passed-over" ? id : undefined, since: at, decidedAt: at });

describe("since when a job waits beside a ready machine, by the lists of jobs", () => {
  const since = (machine: StoredMachine, counts: Parameters<typeof gpuJobs>[0]) =>
    jobsAre(aFleet([machine]), counts).machines[0]?.besideSince;

  test.each<[string, StoredMachine, Parameters<typeof gpuJobs>[0], number | undefined]>([
    ["the first list with a job", ready(1), { waiting: 1 }, NOW],
    ["a later one changes nothing", ready(1, BESIDE), { waiting: 1 }, NOW - 5 * MINUTE],
    ["none waits", ready(1, BESIDE), { running: 1 }, undefined],
    ["it is not ready", starting(1, BESIDE), { waiting: 1 }, undefined],
    ["it has a job", busy(1, BESIDE), { waiting: 1 }, undefined],
  ])("%s", (_what, machine, counts, expected) => {
    expect(since(machine, counts)).toBe(expected);
  });
});

describe("passed over", () => {
  test("after idle-timeout of jobs lists, at least two minutes and at most five: drained, and its host is paused", () => {
    expect(ends([ready(1, BESIDE)])).toEqual(["1 passed-over"]);
    expect(ends([ready(1, { besideSince: NOW - 5 * MINUTE + 1 })])).toEqual([]);
    const short = { idleTimeout: 30 * SECOND };
    expect(ends([ready(1, { besideSince: NOW - 2 * MINUTE })], WAITING, short)).toEqual(["1 passed-over"]);
    expect(ends([ready(1, { besideSince: NOW - 2 * MINUTE + 1 })], WAITING, short)).toEqual([]);
    const fleet = aFleet([ready(1, BESIDE)], WAITING);
    expect(commands(fleet)[0]).toBe("drain 1");
    expect(standing(decided(fleet), "host 100")?.until).toBe(NOW + 30 * MINUTE);
  });

  test("a list of jobs that can't be read adds nothing to its age", () => {
    expect(ends([ready(1, BESIDE)], { ...WAITING, jobsAt: NOW - 1 })).toEqual([]);
  });

  test("no attempt is used", () => {
    expect(failuresOf(decided(aFleet([ready(1, BESIDE)], WAITING)))).toEqual([]);
  });

  test("the one that is ready longest; the next after a further such time", () => {
    const older = ready(2, {
      ...BESIDE,
      readyAt: NOW - 9 * MINUTE,
      slots: [aSlot(2, { runner: "online", onlineAt: NOW - 9 * MINUTE })],
    });
    expect(ends([ready(1, BESIDE), older], { ...WAITING, jobs: gpuJobs({ waiting: 2 }) })).toEqual(["2 passed-over"]);
    const gone = ready(2, { ending: overlooked("passed-over", NOW - MINUTE), goneAt: NOW });
    expect(ends([ready(1, BESIDE), gone])).toEqual([]);
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
    const at = NOW - readyForMs;
    const next = withSlot(ready(1, { ...BESIDE, readyAt: at }), { onlineAt: at });
    const beside = { since: NOW - 2 * MINUTE, limit: 1, times: 1 };
    expect(decided(aFleet([next, busy(2)], { ...BESIDE_ONE, beside })).beside).toEqual({ since: NOW, limit: 1, times });
  });
});

describe("renting beside jobs that run", () => {
  const beside = (given: Partial<NonNullable<FleetState["beside"]>> = {}) => ({
    since: NOW,
    limit: 2,
    times: 1,
    ...given,
  });
  const counted = (
    counts: Parameters<typeof gpuJobs>[0],
    given: Partial<NonNullable<FleetState["beside"]>> = {},
    machines: StoredMachine[] = [],
  ) => waitingJobs(aFleet(machines, { jobs: gpuJobs(counts), beside: beside(given) }), NOW).length;

  test.each<[string, Parameters<typeof gpuJobs>[0], Partial<NonNullable<FleetState["beside"]>>, number]>([
    ["as many run as then: none", { waiting: 9, running: 2 }, {}, 0],
    ["one has ended since: one", { waiting: 9, running: 1 }, {}, 1],
    ["both have ended: two", { waiting: 9 }, {}, 2],
    ["fewer wait than ended", { waiting: 1 }, {}, 1],
    ["a quarter of an hour later: one, to see", { waiting: 9, running: 2 }, { since: NOW - 15 * MINUTE }, 1],
    ["not a moment before", { waiting: 9, running: 2 }, { since: NOW - 15 * MINUTE + 1 }, 0],
    ["the second time after half an hour", { waiting: 9, running: 2 }, { since: NOW - 29 * MINUTE, times: 2 }, 0],
  ])("%s", (_what, counts, given, expected) => {
    expect(counted(counts, given)).toBe(expected);
  });

  test("machines that are ready keep their chance", () => {
    expect(counted({ waiting: 9, running: 2 }, {}, [ready(1), ready(2)])).toBe(2);
  });

  test("without a spare", () => {
    expect(decideNow(aFleet([], { jobs: gpuJobs({ waiting: 9 }), beside: beside() })).lacking).toBe(2);
  });

  test.each<[string, Parameters<typeof gpuJobs>[0], FleetState["beside"]]>([
    ["more run than then: nothing holds the others back", { waiting: 3, running: 3 }, undefined],
    ["none waits any more", { running: 1 }, undefined],
    ["a job began or ended: its time begins anew", { waiting: 2, running: 2 }, { since: NOW, limit: 2, times: 0 }],
  ])("%s", (_what, counts, expected) => {
    const fleet = aFleet([], { jobs: gpuJobs({ waiting: 3, running: 1 }), beside: beside({ since: 0 }) });
    expect(jobsAre(fleet, counts).beside).toEqual(expected);
  });
});

describe("renting stops when GitHub gives no job to our runners", () => {
  const first = ready(1, { ending: overlooked("passed-over", NOW - 6 * MINUTE), goneAt: NOW - 6 * MINUTE });
  const second = (readyAt: number, given: MachineGiven = {}) =>
    ready(2, { readyAt, ending: overlooked("passed-over", NOW), goneAt: NOW, ...given });
  const stop = (machines: StoredMachine[], given: Partial<FleetState> = {}) =>
    stopOf(someFacts(aFleet(machines, { lastBeginAt: 0, ...given })))?.id;

  test.each<[string, StoredMachine[], Partial<FleetState>, string | undefined]>([
    [
      "to two hosts, the second ready after the first was given up",
      [first, second(NOW - 5 * MINUTE)],
      {},
      "passed-over",
    ],
    ["both were ready at one time: one silence", [first, second(NOW - 7 * MINUTE)], {}, undefined],
    ["twice to one host", [first, second(NOW - 5 * MINUTE, { candidate: aCandidate(1, 100) })], {}, undefined],
    ["a job of ours has begun since", [first, second(NOW - 5 * MINUTE)], { lastBeginAt: NOW }, undefined],
    [
      "one host, and no other is offered for search-timeout",
      [first],
      { noOfferSince: NOW - 10 * MINUTE, market: anEmptyMarket({}) },
      "passed-over-alone",
    ],
    ["one host, and a job has waited for ready-timeout", [first], { unservedSince: 0 }, "passed-over-alone"],
    ["one host, and another may still serve", [first], {}, undefined],
  ])("%s", (_what, machines, given, expected) => {
    expect(stop(machines, given)).toBe(expected);
  });
});

describe("a runner that GitHub shows as busy without a job", () => {
  const busyFor = (ms: number) => withSlot(ready(1), { runner: "busy", busySince: NOW - ms, wasBusy: true });
  const seen = (machine: StoredMachine, ...ours: ReturnType<typeof gpuJob>[]) => {
    const fleet = aFleet([machine]);
    reduce(fleet, { kind: "JobsListed", askedAt: NOW, at: NOW, jobs: gpuJobs({}, { ours }) });
    return fleet;
  };
  const elsewhere = gpuJob(101, "running", { runnerName: "other", runnerId: 9 });
  const isStuck = (fleet: FleetState) => fleet.machines[0]?.slots[0]?.isStuck === true;

  test.each<[string, StoredMachine, ReturnType<typeof gpuJob>[], boolean]>([
    ["for five minutes of jobs lists", busyFor(5 * MINUTE), [], true],
    ["not a moment before", busyFor(5 * MINUTE - 1), [], false],
    ["at the second list where each of ours that runs has another runner", busyFor(14 * SECOND), [elsewhere], true],
    ["not at the first", busyFor(14 * SECOND - 1), [elsewhere], false],
    ["not where one of ours names no runner yet", busyFor(MINUTE), [elsewhere, gpuJob(102, "running")], false],
    ["not where none runs", busyFor(MINUTE), [gpuJob(102, "waiting")], false],
  ])("is stuck %s: %#", (_what, machine, ours, expected) => {
    expect(isStuck(seen(machine, ...ours))).toBe(expected);
  });

  test("serves nobody, takes no room, and is asked for later each time that GitHub refuses", () => {
    const fleet = seen(busyFor(5 * MINUTE));
    const [machine] = fleet.machines as [StoredMachine];
    expect([useOf(machine, someRules(), NOW).isFree, machineFacts(machine).isCounted]).toEqual([false, false]);
    expect(commands(fleet)).toContain("drain 1");
    // Or one after the other would be rented, and bill.
    expect(failuresOf(decided(structuredClone(fleet)))).toHaveLength(1);
    const refuse = (at: number) => {
      decided(fleet);
      reduce(fleet, {
        kind: "RunnerRemoved",
        askedAt: at,
        at,
        machineNo: 1,
        removed: [],
        kept: { id: 21, answer: "busy" },
      });
      return (machine.drainAgainAt ?? 0) - at;
    };
    expect([refuse(NOW), refuse(NOW), refuse(NOW), refuse(NOW), refuse(NOW), refuse(NOW)]).toEqual(
      [15, 30, 60, 120, 240, 300].map((s) => s * SECOND),
    );
    expect(commands(fleet)).not.toContain("drain 1");
  });

  test("at its deadline it is destroyed, however lately GitHub refused", () => {
    const late = seen(withSlot(ready(1, { deadline: NOW - MINUTE }), { runner: "busy", busySince: NOW - 5 * MINUTE }));
    Object.assign(late.machines[0] ?? {}, { drainAgainAt: NOW + 4 * MINUTE });
    expect(commands(late)).toContain("destroy 701");
  });

  test("by lists that were asked for after it was busy: one that took long says nothing of it", () => {
    const fleet = aFleet([busyFor(15 * SECOND)]);
    const ours = [elsewhere];
    reduce(fleet, { kind: "JobsListed", askedAt: NOW - 16 * SECOND, at: NOW, jobs: gpuJobs({}, { ours }) });
    expect(isStuck(fleet)).toBe(false);
  });

  test("once it is stuck it stays so while it is away, and when GitHub refuses again: nobody lost a job with it", () => {
    const fleet = seen(busyFor(5 * MINUTE));
    reduce(fleet, { kind: "RunnersListed", askedAt: NOW, at: NOW, runners: { 21: "offline" } });
    const kept = { id: 21, answer: "busy" } as const;
    reduce(fleet, { kind: "RunnerRemoved", askedAt: NOW, at: NOW, machineNo: 1, removed: [], kept });
    expect(isStuck(fleet)).toBe(true);
    reduce(fleet, { kind: "JobsListed", askedAt: NOW, at: NOW, jobs: gpuJobs({}) });
    expect([isStuck(fleet), machineFacts(fleet.machines[0] as StoredMachine).isBusy]).toEqual([true, false]);
  });

  test("it is idle by GitHub's list again: it is free", () => {
    const fleet = seen(busyFor(5 * MINUTE));
    reduce(fleet, { kind: "RunnersListed", askedAt: NOW, at: NOW, runners: { 21: "online" } });
    expect(isStuck(fleet)).toBe(false);
  });

  test("GitHub refused its removal, the list showed it as busy, too, and shows it as idle: it is asked for at once", () => {
    const refused = (...states: RunnerState[]) => {
      const fleet = seen(busyFor(5 * MINUTE));
      decided(fleet);
      const kept = { id: 21, answer: "busy" } as const;
      reduce(fleet, { kind: "RunnerRemoved", askedAt: NOW, at: NOW, machineNo: 1, removed: [], kept });
      for (const state of states)
        reduce(fleet, { kind: "RunnersListed", askedAt: NOW, at: NOW, runners: { 21: state } });
      const [machine] = fleet.machines as [StoredMachine];
      return [useOf({ ...machine, ending: undefined }, someRules(), NOW).isFree, machine.drainAgainAt];
    };
    expect(refused("busy", "online")).toEqual([true, undefined]);
    // The list alone never said so: the refusal counts for more.
    expect(refused("online")).toEqual([false, NOW + 15 * SECOND]);
  });

  test("its job is listed after all: it is kept", () => {
    const fleet = seen(busyFor(5 * MINUTE));
    decided(fleet);
    const job = gpuJob(101, "running", { runnerId: 21, runnerName: fleet.machines[0]?.slots[0]?.runnerName });
    reduce(fleet, { kind: "JobsListed", askedAt: NOW, at: NOW, jobs: gpuJobs({}, { ours: [job] }) });
    expect(isStuck(fleet)).toBe(false);
    expect(decideNow(fleet).takenBack).toEqual([1]);
  });
});
