import { describe, expect, test } from "vitest";
import { endOf } from "../../../src/fleet/end.ts";
import type { Rules } from "../../../src/fleet/options.ts";
import type { Stop } from "../../../src/fleet/renting/stop.ts";
import type { FleetState, LostJob, StoredMachine } from "../../../src/fleet/state.ts";
import {
  aFleet,
  anEnding,
  aSlot,
  booting,
  busy,
  gpuJob,
  gpuJobs,
  type MachineGiven,
  NOW,
  ready,
  someFacts,
  spent,
  unlisted,
  withSlot,
} from "../support/a-fleet.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const STOP: Stop = { id: "ready-timeout", detail: true };
const USED: Stop = { id: "max-cost", detail: { maxCost: 1, left: 0, leastMs: 0, imageBytes: 0 } };

interface Given {
  machines?: StoredMachine[];
  rules?: Partial<Rules> | undefined;
  stop?: Stop;
}

function end(given: Partial<FleetState>, { machines = [], rules = {}, stop }: Given = {}) {
  const fleet = aFleet(machines, { lastEndAt: NOW, ...given });
  return endOf(someFacts(fleet, rules), stop, fleet.lost);
}

function lostJob(id: number): LostJob {
  return { id, name: "test", url: undefined, machineNo: 1, instanceId: 701, went: "vanished", cutBy: undefined };
}

const open = [{ name: "lint", status: "in_progress", labels: ["ubuntu-latest"] }];
const idle = (n: number, ago: number) =>
  ready(n, { readyAt: NOW - ago, slots: [aSlot(n, { runner: "online", onlineAt: NOW - ago })] });

describe("the jobs can't be read: no other row is judged", () => {
  const fault = (ago: number) => ({ since: NOW - ago, why: "403: no" });

  test("10 min when none is alive", () => {
    expect(end({ jobs: gpuJobs({ over: 1 }), jobsFault: fault(10 * MINUTE - 1) })).toBeUndefined();
    expect(end({ jobs: gpuJobs({ over: 1 }), jobsFault: fault(10 * MINUTE) })).toEqual({
      kind: "list-unreadable",
      why: "403: no",
    });
  });

  test("while one is alive it holds, until that one's deadline", () => {
    expect(end({ jobsFault: fault(60 * MINUTE) }, { machines: [busy(1)] })).toBeUndefined();
    expect(end({ jobsFault: fault(60 * MINUTE) }, { machines: [busy(1, { deadline: NOW })] })?.kind).toBe(
      "list-unreadable",
    );
  });
});

test("a machine that is kept for a look at its failed job is held as long", () => {
  const ending = anEnding("over", { since: NOW - 2 * MINUTE });
  const failed = (goneAt?: number) => spent(1, { ending, goneAt, job: { isBad: true, conclusion: "failure" } });
  const given = (keepFailed: number, goneAt?: number) => ({
    machines: [withSlot(failed(goneAt), { onlineAt: NOW - 3 * MINUTE, spentAt: NOW - 2 * MINUTE })],
    rules: { keepFailed },
  });
  const jobs = gpuJobs({ over: 1 });
  expect(end({ jobs }, given(15 * MINUTE))).toBeUndefined();
  expect(end({ jobs }, given(15 * MINUTE, NOW))?.kind).toBe("over");
  expect(end({ jobs }, given(0))?.kind).toBe("over");
  // Nor do jobs that can't have a machine end it.
  const more = gpuJobs({ over: 1, waiting: 1 });
  expect(end({ jobs: more }, { ...given(15 * MINUTE), stop: STOP })).toBeUndefined();
  expect(end({ jobs: more }, { ...given(15 * MINUTE, NOW), stop: STOP })?.kind).toBe("stopped");
  const approval = { jobs: gpuJobs({ over: 1, held: 1 }), heldSince: NOW - 60 * MINUTE };
  expect(end(approval, given(15 * MINUTE))).toBeUndefined();
  expect(end(approval, given(15 * MINUTE, NOW))?.kind).toBe("held");
});

describe("a machine is busy with a job that the list does not have yet", () => {
  test.each<[string, Partial<FleetState>, Partial<Rules>?]>([
    ["over", { jobs: gpuJobs({ over: 1 }) }],
    ["none-came", { jobs: gpuJobs({}, { skipped: 1 }), noOtherJobSince: NOW - MINUTE }],
    ["none-to-come", { jobs: gpuJobs({}), noOtherJobSince: NOW - MINUTE }],
    ["mistyped", { jobs: gpuJobs({}, { othersOpen: open }), mistypedSince: NOW - 60 * MINUTE }],
    ["too-few", { jobs: gpuJobs({ over: 2 }), noOtherJobSince: NOW - MINUTE }, { jobs: 3 }],
    ["held", { jobs: gpuJobs({ held: 1 }), heldSince: 0 }],
    ["no-other-job", { jobs: gpuJobs({}, { others: 0 }) }],
  ])("no end as %s, which would take it away; for 5 min at most", (kind, fleet, rules) => {
    expect(end(fleet, { rules, machines: [unlisted(1, 5 * MINUTE - 1)] })).toBeUndefined();
    expect(end(fleet, { rules, machines: [unlisted(1, 5 * MINUTE)] })?.kind).toBe(kind);
  });
});

test("no job but our own: fails, nothing rented", () => {
  expect(end({ jobs: gpuJobs({}, { others: 0 }) })).toEqual({ kind: "no-other-job" });
  expect(end({ jobs: gpuJobs({}, { others: 1 }) })).toBeUndefined();
});

describe("none of ours open, as many over as `jobs` says", () => {
  test("jobs: auto: one or more", () => {
    expect(end({ jobs: gpuJobs({ over: 1 }) })?.kind).toBe("over");
    expect(end({ jobs: gpuJobs({ over: 1, running: 1 }) })).toBeUndefined();
    expect(end({ jobs: gpuJobs({ over: 1, waiting: 1 }) })).toBeUndefined();
    expect(end({ jobs: gpuJobs({ over: 1, held: 1 }) })).toBeUndefined();
  });

  test("a number: so many", () => {
    expect(end({ jobs: gpuJobs({ over: 2 }) }, { rules: { jobs: 3 } })).toBeUndefined();
    expect(end({ jobs: gpuJobs({ over: 3 }) }, { rules: { jobs: 3 } })?.kind).toBe("over");
  });

  test("from the second attempt on one is enough", () => {
    expect(end({ jobs: gpuJobs({ over: 1 }) }, { rules: { jobs: 3, attempt: 2 } })?.kind).toBe("over");
  });

  test("fails with those that failed and those that were lost", () => {
    const [good, bad, gone] = [
      gpuJob(101, "over"),
      gpuJob(102, "over", { conclusion: "failure" }),
      gpuJob(103, "running"),
    ];
    const lost = [lostJob(103)];
    const ended = end({ jobs: gpuJobs({}, { ours: [good, bad, gone] }), lost });
    expect(ended).toEqual({ kind: "over", bad: [bad], lost, refused: [] });
  });

  test("one that asks for labels in addition to ours counts as over and failed", () => {
    const job = gpuJob(101, "waiting", { otherLabels: ["self-hosted"] });
    expect(end({ jobs: gpuJobs({}, { ours: [job] }) })).toEqual({ kind: "over", bad: [], lost: [], refused: [job] });
  });
});

describe("none of ours open, and fewer than are expected", () => {
  const two = { jobs: gpuJobs({ over: 2 }) };

  test("no other for 30 s: fails with how many came", () => {
    expect(end({ ...two, noOtherJobSince: NOW - 30 * SECOND + 1 }, { rules: { jobs: 3 } })).toBeUndefined();
    const ended = end({ ...two, noOtherJobSince: NOW - 30 * SECOND }, { rules: { jobs: 3 } });
    expect(ended).toEqual({ kind: "too-few", came: 2, expected: 3 });
  });

  test("none came: a warning where a job was skipped, which shows no labels", () => {
    const noOtherJobSince = NOW - 30 * SECOND;
    expect(end({ jobs: gpuJobs({}, { skipped: 1 }), noOtherJobSince })).toEqual({ kind: "none-came" });
    const jobs = gpuJobs({}, { skipped: 1, othersOpen: open });
    expect(end({ jobs, lastEndAt: NOW - 30 * MINUTE })).toEqual({ kind: "none-came" });
  });

  test("none came, and none was skipped: fails", () => {
    const ended = end({ jobs: gpuJobs({}), noOtherJobSince: NOW - 30 * SECOND });
    expect(ended).toEqual({ kind: "none-to-come" });
  });

  test("none came, and others are open: fails with the labels that they ask for", () => {
    const jobs = gpuJobs({}, { othersOpen: open });
    expect(end({ jobs })).toBeUndefined();
    expect(end({ jobs, lastEndAt: NOW - 30 * MINUTE })).toEqual({ kind: "none-asked" });
  });

  test("none came, and the machine of `0s` was idle", () => {
    const rules = { waitForJob: 0 };
    const jobs = gpuJobs({}, { othersOpen: open });
    expect(end({ jobs }, { rules, machines: [idle(1, 5 * MINUTE - 1)] })).toBeUndefined();
    expect(end({ jobs }, { rules, machines: [idle(1, 5 * MINUTE)] })?.kind).toBe("none-asked");
  });
});

test("for 2 min an open job asks for a label one step from ours: fails with it", () => {
  const mistyped = [{ ...gpuJob(101, "waiting"), label: "gpu-4711" }];
  const jobs = gpuJobs({}, { mistyped, othersOpen: open });
  expect(end({ jobs, mistypedSince: NOW - 2 * MINUTE + 1 })).toBeUndefined();
  expect(end({ jobs, mistypedSince: NOW - 2 * MINUTE })).toEqual({ kind: "mistyped", jobs: mistyped });
  const over = gpuJobs({ over: 1 }, { mistyped, othersOpen: open });
  expect(end({ jobs: over, mistypedSince: NOW - 2 * MINUTE })?.kind).toBe("over");
});

describe("none waits or runs, one is waiting or pending", () => {
  test("for wait-for-job: fails, naming it", () => {
    const jobs = gpuJobs({ held: 1 });
    expect(end({ jobs, heldSince: NOW - 30 * MINUTE + 1 })).toBeUndefined();
    expect(end({ jobs, heldSince: NOW - 30 * MINUTE })).toEqual({ kind: "held", job: jobs.ours[0] });
  });

  test("with `0s`: when the machine was idle for idle-timeout, or there is none for as long", () => {
    const jobs = gpuJobs({ held: 1, over: 1 });
    const kind = (heldFor: number, machines: StoredMachine[] = []) =>
      end({ jobs, heldSince: NOW - heldFor }, { rules: { waitForJob: 0 }, machines })?.kind;
    expect(kind(60 * MINUTE, [idle(1, 5 * MINUTE - 1)])).toBeUndefined();
    expect(kind(0, [idle(1, 5 * MINUTE)])).toBe("held");
    const unneeded = ready(1, { ending: anEnding("unneeded", { since: 0 }), goneAt: 0 });
    expect(kind(5 * MINUTE - 1, [unneeded])).toBeUndefined();
    expect(kind(5 * MINUTE, [unneeded])).toBe("held");
  });

  test("with `0s`: a machine that had a job was not idle for nobody, however long that job is over", () => {
    const over = spent(1, { readyAt: 0, ending: anEnding("over", { since: 0 }), goneAt: 6 * MINUTE });
    const had = withSlot(over, { onlineAt: 0, spentAt: 5 * MINUTE });
    const kind = (heldFor: number) =>
      end(
        { jobs: gpuJobs({ held: 1, over: 1 }), heldSince: NOW - heldFor },
        { rules: { waitForJob: 0 }, machines: [had] },
      )?.kind;
    expect(kind(5 * MINUTE - 1)).toBeUndefined();
    expect(kind(5 * MINUTE)).toBe("held");
  });

  test("not while another one of ours is open", () => {
    expect(end({ jobs: gpuJobs({ held: 1, running: 1 }), heldSince: NOW - 60 * MINUTE })).toBeUndefined();
  });
});

describe("some wait, renting has stopped", () => {
  const jobs = gpuJobs({ waiting: 1 });

  test("fails when no machine is free or busy", () => {
    expect(end({ jobs }, { stop: STOP })).toEqual({ kind: "stopped", stop: STOP, jobs: jobs.ours });
  });

  test.each([booting(1), ready(1), busy(1)])("not while machine %# is there", (machine) => {
    expect(end({ jobs }, { stop: STOP, machines: [machine] })).toBeUndefined();
  });

  test("one that ends is no machine for them, once it had 90 s to: a job may have come to it", () => {
    const ends = (seconds: number) => {
      const ending = anEnding("failed", { since: NOW - seconds * SECOND });
      return end({ jobs }, { stop: STOP, machines: [booting(1, { ending })] })?.kind;
    };
    expect(ends(89)).toBeUndefined();
    expect(ends(90)).toBe("stopped");
  });

  test.each([
    ["by max-cost: one that ends has money set aside until it is gone", USED],
    [
      "without an offer: that of one that ends is free again once it is gone",
      { id: "no-offer", detail: true } as const,
    ],
  ])("%s", (_what, stop) => {
    const ending = anEnding("over", { since: NOW - 120 * SECOND });
    const ends = (goneAt?: number) => end({ jobs }, { stop, machines: [spent(1, { ending, goneAt })] });
    expect(ends()).toBeUndefined();
    expect(ends(NOW)?.kind).toBe("stopped");
  });
});

describe("hold: false", () => {
  const rules = { hold: false };

  test("returns when it is ready", () => {
    expect(end({ jobs: undefined }, { rules, machines: [booting(1)] })).toBeUndefined();
    expect(end({ jobs: undefined }, { rules, machines: [ready(1)] })).toEqual({ kind: "ready" });
    expect(end({ jobs: undefined }, { rules, machines: [busy(1)] })).toEqual({ kind: "ready" });
  });

  test("returns when a job ran on it, and is over with its machine", () => {
    expect(end({}, { rules, machines: [spent(1, { goneAt: NOW })] })).toEqual({ kind: "ready" });
  });

  test("not while another one is released, 90 s at most: it would bill during the later steps", () => {
    const ends = (ago: number, given: MachineGiven = {}) => {
      const ending = anEnding("failed", { since: NOW - ago });
      return end({ jobs: undefined }, { rules, machines: [booting(1, { ending, ...given }), ready(2)] });
    };
    expect(ends(90 * SECOND - 1)).toBeUndefined();
    expect(ends(90 * SECOND)).toEqual({ kind: "ready" });
    expect(ends(SECOND, { goneAt: NOW })).toEqual({ kind: "ready" });
  });

  test("fails when renting has stopped and none is on its way", () => {
    expect(end({ jobs: undefined }, { rules, stop: STOP, machines: [booting(1)] })).toBeUndefined();
    expect(end({ jobs: undefined }, { rules, stop: STOP })).toEqual({ kind: "stopped", stop: STOP, jobs: [] });
  });

  test("by max-cost: not before what is set aside for one that ends is free again", () => {
    const ending = anEnding("failed", { since: NOW - 120 * SECOND });
    const ends = (goneAt?: number) =>
      end({ jobs: undefined }, { rules, stop: USED, machines: [booting(1, { ending, goneAt })] })?.kind;
    expect(ends()).toBeUndefined();
    expect(ends(NOW)).toBe("stopped");
  });
});
