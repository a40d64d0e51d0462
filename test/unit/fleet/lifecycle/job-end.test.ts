import { describe, expect, test } from "vitest";
import { lostJobs } from "../../../../src/fleet/lifecycle/job-end.ts";
import type { Ending, FleetState, LostJob, StoredMachine } from "../../../../src/fleet/state.ts";
import type { GpuJob } from "../../../../src/github/jobs.ts";
import {
  aFleet,
  anEnding,
  aSlotJob,
  booting,
  busy,
  gpuJob,
  gpuJobs,
  type MachineGiven,
  NOW,
  nextSlot,
  someRules,
  spent,
  withNext,
  withSlot,
} from "../../support/a-fleet.ts";
import { decided } from "../../support/decide-now.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

function lost(machines: StoredMachine[], given: Partial<FleetState> = {}): LostJob[] {
  return lostJobs({ fleet: aFleet(machines, given), rules: someRules(), now: NOW, budget: undefined });
}

const ended = (kind: Ending["kind"], ago: number, given: Partial<Ending> = {}) =>
  busy(1, { absentSince: NOW - ago, ending: anEnding(kind, { since: NOW - ago, force: true, ...given }) });
const bad = { isBad: true, conclusion: "failure" };

describe("a job goes with its machine", () => {
  test("its job in progress for 60 s more is lost", () => {
    expect(lost([ended("lost", 59 * SECOND)])).toEqual([]);
    expect(lost([ended("lost", MINUTE)])).toMatchObject([
      { id: 101, name: "test 1", machineNo: 1, instanceId: 701, cutBy: undefined },
    ]);
  });

  test("only by a list that was read a minute later", () => {
    expect(lost([ended("lost", MINUTE)], { jobsAt: NOW - 1 })).toEqual([]);
  });

  test("an old list had shown it as running, and it had failed before its machine went: no longer lost", () => {
    const [noted] = lost([ended("lost", MINUTE)]);
    const ending = anEnding("lost", { since: NOW - MINUTE, force: true });
    const judged = (spentAt: number) =>
      lost([withSlot(spent(1, { job: bad, absentSince: NOW - MINUTE, ending }), { spentAt })], {
        jobs: gpuJobs({}, { ours: [gpuJob(101, "over", { conclusion: "failure" })] }),
        lost: noted === undefined ? [] : [noted],
      });
    expect(judged(NOW - MINUTE - 1)).toEqual([]);
    expect(judged(NOW - MINUTE + 1)).toMatchObject([{ id: 101 }]);
  });

  test("at its deadline the input that set it is named", () => {
    expect(lost([ended("deadline", MINUTE)])).toMatchObject([{ id: 101, cutBy: "max-lifetime" }]);
  });

  test("one that ended badly at its machine's deadline was cut off: the machine's script ends it within seconds", () => {
    const deadline = NOW - MINUTE;
    const cut = (spentAt: number, kind: Ending["kind"], job: object = bad) =>
      lost([withSlot(spent(1, { job, deadline, ending: anEnding(kind, { force: true }) }), { spentAt })]);
    expect(cut(deadline + 2 * SECOND, "deadline")).toMatchObject([{ id: 101, cutBy: "max-lifetime" }]);
    // Its clock is not this one's: main may see the job over before it sees the deadline.
    expect(cut(deadline - 3 * SECOND, "over")).toMatchObject([{ id: 101, cutBy: "max-lifetime" }]);
    expect(cut(deadline - 30 * SECOND, "deadline")).toEqual([]);
    expect(cut(deadline + 2 * SECOND, "deadline", {})).toEqual([]);
  });

  test.each<[LostJob["went"], MachineGiven, Partial<Ending>]>([
    ["vanished", { absentSince: 0 }, {}],
    ["vanished", { isSilent: true, absentSince: 0 }, {}],
    ["fell silent", { isSilent: true }, {}],
    ["was outbid", {}, { isOutbid: true }],
    // It is destroyed by then, and a list may lack it.
    ["was stopped by the service", { absentSince: 0 }, { isStopped: true }],
  ])("it is said how it went: %s", (went, given, how) => {
    expect(lost([busy(1, { ending: anEnding("lost", { since: 0, ...how }), ...given })])[0]?.went).toBe(went);
  });

  test("one that GitHub ended itself, on a host that had long been silent, is lost at once", () => {
    const machine = (offlineSince?: number) =>
      withSlot(spent(1, { job: bad, ending: anEnding("lost") }), { offlineSince });
    expect(lost([machine(NOW - 10 * MINUTE)])).toMatchObject([{ id: 101, machineNo: 1 }]);
    expect(lost([machine()])).toEqual([]);
  });

  test("one that ended badly long after its machine was gone: GitHub missed its runner", () => {
    const since = (ago: number) => lost([spent(1, { job: bad, ending: anEnding("lost", { since: NOW - ago }) })]);
    expect(since(40 * SECOND)).toEqual([]);
    expect(since(41 * SECOND)).toMatchObject([{ id: 101 }]);
  });

  test("one that ended badly while the service had outbid its machine is lost by that, not failed", () => {
    const verdict = { kind: "failed", status: "stopped", why: "outbid", blame: "machine", outbid: true } as const;
    const ending = anEnding("lost", { isOutbid: true, force: true });
    expect(lost([spent(1, { verdict, job: bad, ending })])).toMatchObject([{ id: 101, went: "was outbid" }]);
    const shown = (at: number) => lost([spent(1, { verdict, job: bad, ending, lastRunningAt: at })]);
    // A list may be as it was 90 s before.
    expect(shown(NOW + 79 * SECOND)).toMatchObject([{ id: 101, went: "was outbid" }]);
    expect(shown(NOW + 81 * SECOND)).toEqual([]);
  });

  test("the same where the list shows it otherwise once it is given back, before the job's end is seen", () => {
    const verdict = { kind: "failed", status: "exited", why: "it is exited", blame: "machine" } as const;
    const ending = anEnding("lost", { isStopped: true, force: true, since: NOW - 20 * SECOND });
    const machine = spent(1, { verdict, job: bad, ending });
    expect(lost([machine])).toMatchObject([{ id: 101, went: "was stopped by the service" }]);
    expect(lost([{ ...machine, ending: { ...ending, isStopped: undefined } }])).toEqual([]);
  });

  test("the service's word that it outbid it holds, whatever its list shows once the machine is given back", () => {
    const verdict = { kind: "running", status: "running" } as const;
    const ending = anEnding("lost", { isOutbid: true, force: true, since: NOW });
    const machine = spent(1, { verdict, lastRunningAt: NOW + 2 * MINUTE, job: bad, ending });
    const jobs = gpuJobs({}, { ours: [gpuJob(101, "over", { conclusion: "failure" })] });
    const [noted] = lost([ended("lost", MINUTE)]);
    const judged = (went: LostJob["went"]) => lost([machine], { jobs, lost: noted ? [{ ...noted, went }] : [] });
    expect(judged("was outbid")).toMatchObject([{ id: 101, went: "was outbid" }]);
    expect(judged("vanished")).toEqual([]);
  });

  test("its runner was first seen by that job, when it was over: that is no proof that the machine lived on", () => {
    const verdict = { kind: "failed", status: "stopped", why: "outbid", blame: "machine", outbid: true } as const;
    const ending = anEnding("lost", { isOutbid: true, force: true });
    const late = withSlot(spent(1, { verdict, job: bad, ending }), { onlineAt: NOW, spentAt: NOW - 10 * SECOND });
    expect(lost([late])).toMatchObject([{ id: 101, went: "was outbid" }]);
    expect(lost([withNext(late, { onlineAt: NOW })])).toEqual([]);
  });

  test("the first job failed by itself, and the machine is lost under the second: each by its own evidence", () => {
    const first = withSlot(spent(1, { job: bad, ending: anEnding("lost", { since: NOW - MINUTE }), absentSince: 0 }), {
      spentAt: NOW - 5 * MINUTE,
    });
    const second = { ...nextSlot(1), runner: "busy", job: aSlotJob(2) } as const;
    const jobs = gpuJobs({}, { ours: [gpuJob(101, "over", { conclusion: "failure" }), gpuJob(102, "running")] });
    expect(lost([withNext(first, second)], { jobs }).map(({ id }) => id)).toEqual([102]);
  });

  test("not while the jobs can't be read", () => {
    const fleet = aFleet([ended("lost", MINUTE)], { jobsFault: { since: 0, why: "" } });
    expect(decided(fleet).lost).toEqual([]);
  });

  test("once", () => {
    const fleet = decided(aFleet([ended("lost", MINUTE)]));
    expect(decided(fleet).lost).toHaveLength(1);
  });

  test("its slot is spent as of its machine's end", () => {
    expect(decided(aFleet([ended("lost", MINUTE)])).machines[0]?.slots[0]?.spentAt).toBe(NOW - MINUTE);
  });
});

describe("a job that counted as lost", () => {
  const here = { runnerId: 21, runnerName: "gpu-4711-1-abcdef-1" };
  const elsewhere = { runnerId: 22, runnerName: "gpu-4711-1-abcdef-2" };
  const before: LostJob[] = [
    { id: 101, name: "test 1", url: undefined, machineNo: 1, instanceId: 701, went: "vanished", cutBy: undefined },
  ];
  const still = (job: GpuJob, machine = booting(1, { ending: anEnding("lost"), goneAt: NOW })) =>
    lost([machine], { jobs: gpuJobs({}, { ours: [job] }), lost: before }).length;

  test.each([
    ["did well after all", gpuJob(101, "over"), 0],
    ["ended badly", gpuJob(101, "over", { conclusion: "failure" }), 1],
    ["still seems to run there", gpuJob(101, "running", here), 1],
    ["runs, and no runner is named", gpuJob(101, "running"), 1],
    ["waits for another machine", gpuJob(101, "waiting"), 0],
    ["runs on another machine", gpuJob(101, "running", elsewhere), 0],
  ])("%s: %j, %i lost", (_what, job, count) => {
    expect(still(job)).toBe(count);
  });

  test("is not lost while its machine lives on: that one counted as lost, and is listed again", () => {
    expect(still(gpuJob(101, "running", here), busy(1))).toBe(0);
  });
});
