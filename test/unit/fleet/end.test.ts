import { describe, expect, test } from "vitest";
import { type End, endOf } from "../../../src/fleet/end.ts";
import type { Rules } from "../../../src/fleet/options.ts";
import type { Stop } from "../../../src/fleet/renting/stop.ts";
import type { FleetState, LostJob, StoredMachine } from "../../../src/fleet/state.ts";
import { aFleet, gpuJob, gpuJobs, MINUTE, NOW, SECOND, someFacts } from "../support/a-fleet.ts";
import { anEnding, aSlot, withSlot } from "../support/machine-parts.ts";
import { booting, busy, type MachineGiven, ready, spent, unlisted } from "../support/machines.ts";

const STOP: Stop = { id: "ready-timeout", detail: true };
const USED: Stop = { id: "max-cost", detail: { maxCost: 1, left: 0, leastMs: 0, imageBytes: 0 } };

interface Given {
  machines?: StoredMachine[];
  rules?: Partial<Rules> | undefined;
  stop?: Stop;
}

function end(given: Partial<FleetState>, { machines = [], rules = {}, stop }: Given = {}): End | undefined {
  const fleet = aFleet(machines, { lastEndAt: NOW, ...given });
  return endOf(someFacts(fleet, rules), stop, fleet.lost);
}

/** A state in words, how the loop ends with it, and what else is so. */
type Case = [words: string, state: Partial<FleetState>, kind: End["kind"] | undefined, given?: Given];

function ends(rule: string, cases: readonly Case[]): void {
  test.each(cases)(`${rule}: %s`, (_words, state, kind, given) => {
    expect(end(state, given)?.kind).toBe(kind);
  });
}

const quiet = (ago: number) => ({ noOtherJobSince: NOW - ago });
const held = (ago: number) => ({ heldSince: NOW - ago });
const fault = (ago: number) => ({ jobsFault: { since: NOW - ago, why: "403: no" } });
const went = { machineNo: 1, instanceId: 701, went: "vanished", cutBy: undefined } as const;
const lost: LostJob[] = [{ id: 103, name: "test", url: undefined, ...went }];
const OPEN = { othersOpen: [{ name: "lint", status: "in_progress", labels: ["ubuntu-latest"] }] };
const OVER = { jobs: gpuJobs({ over: 1 }) };
const TWO = { jobs: gpuJobs({ over: 2 }) };
const HELD = { jobs: gpuJobs({ held: 1 }) };
const WAITS = { jobs: gpuJobs({ waiting: 1 }) };
const NONE = { jobs: gpuJobs({}) };
const OTHERS = { jobs: gpuJobs({}, OPEN) };
const SKIPPED = { jobs: gpuJobs({}, { skipped: 1 }) };
const MISTYPED = [{ ...gpuJob(101, "waiting"), label: "gpu-4711" }];
const MEANT = { jobs: gpuJobs({}, { mistyped: MISTYPED, ...OPEN }) };
const more = gpuJob(101, "waiting", { otherLabels: ["self-hosted"] });
const idle = (n: number, ago: number) =>
  ready(n, { readyAt: NOW - ago, slots: [aSlot(n, { runner: "online", onlineAt: NOW - ago })] });
const AT_ONCE = { waitForJob: 0 };

ends("the jobs can't be read, and no other row is judged", [
  ["for less than 10 min", { ...OVER, ...fault(10 * MINUTE - 1) }, undefined],
  ["until its deadline", fault(60 * MINUTE), "list-unreadable", { machines: [busy(1, { deadline: NOW })] }],
]);

describe("a machine that is kept for a look at its failed job is held as long", () => {
  const ending = anEnding("over", { since: NOW - 2 * MINUTE });
  const failed = (goneAt?: number) => spent(1, { ending, goneAt, job: { isBad: true, conclusion: "failure" } });
  const kept = (goneAt?: number, keepFailed = 15 * MINUTE) => ({
    machines: [withSlot(failed(goneAt), { onlineAt: NOW - 3 * MINUTE, spentAt: NOW - 2 * MINUTE })],
    rules: { keepFailed },
  });
  const others = { jobs: gpuJobs({ over: 1, waiting: 1 }) };
  const approval = { jobs: gpuJobs({ over: 1, held: 1 }), ...held(60 * MINUTE) };

  ends("it", [
    ["is there", OVER, undefined, kept()],
    ["is gone", OVER, "over", kept(NOW)],
    ["is gone, and others can't have a machine", others, "stopped", { ...kept(NOW), stop: STOP }],
    ["is gone, and another waits for an approval", approval, "held", kept(NOW)],
  ]);
});

test.each<[End["kind"], Partial<FleetState>, Partial<Rules>?]>([
  ["none-came", { ...SKIPPED, ...quiet(MINUTE) }],
  ["none-to-come", { ...NONE, ...quiet(MINUTE) }],
  ["too-few", { ...TWO, ...quiet(MINUTE) }, { jobs: 3 }],
])("no end as %s, which would take a machine away whose job no list shows; for 5 min at most", (kind, fleet, rules) => {
  expect(end(fleet, { rules, machines: [unlisted(1, 5 * MINUTE - 1)] })).toBeUndefined();
  expect(end(fleet, { rules, machines: [unlisted(1, 5 * MINUTE)] })?.kind).toBe(kind);
});

ends("none of ours is open", [
  ["and nobody else's is: nothing is rented", { jobs: gpuJobs({}, { others: 0 }) }, "no-other-job"],
  ["and another is", NONE, undefined],
  ["one is held", { jobs: gpuJobs({ over: 1, held: 1 }) }, undefined],
  ["from the second attempt on one is enough", OVER, "over", { rules: { jobs: 3, attempt: 2 } }],
  ["fewer, and no other for less than 30 s", { ...TWO, ...quiet(30 * SECOND - 1) }, undefined, { rules: { jobs: 3 } }],
  ["none came, but one was skipped, which shows no labels", { ...SKIPPED, ...quiet(30 * SECOND) }, "none-came"],
  ["for wait-for-job", { ...OTHERS, lastEndAt: NOW - 30 * MINUTE }, "none-asked"],
  ["the machine of `0s` was idle for less", OTHERS, undefined, { rules: AT_ONCE, machines: [idle(1, 5 * MINUTE - 1)] }],
  ["for idle-timeout", OTHERS, "none-asked", { rules: AT_ONCE, machines: [idle(1, 5 * MINUTE)] }],
  ["one asks for a label one step from ours", { ...MEANT, mistypedSince: NOW - 2 * MINUTE + 1 }, undefined],
  ["for 2 min", { ...MEANT, mistypedSince: NOW - 2 * MINUTE }, "mistyped"],
]);

test("an end says which jobs it is about", () => {
  const [bad, gone] = [gpuJob(102, "over", { conclusion: "failure" }), gpuJob(103, "running")];
  const ours = { jobs: gpuJobs({}, { ours: [gpuJob(101, "over"), bad, gone] }), lost };
  expect(end(ours)).toEqual({ kind: "over", bad: [bad], lost, refused: [] });
  const refused = { jobs: gpuJobs({}, { ours: [more] }) };
  expect(end(refused)).toEqual({ kind: "over", bad: [], lost: [], refused: [more] });
  const few = end({ ...TWO, ...quiet(MINUTE) }, { rules: { jobs: 3 } });
  expect(few).toEqual({ kind: "too-few", came: 2, expected: 3 });
  expect(end({ ...MEANT, mistypedSince: 0 })).toEqual({ kind: "mistyped", jobs: MISTYPED });
  expect(end({ ...HELD, heldSince: 0 })).toEqual({ kind: "held", job: HELD.jobs.ours[0] });
  expect(end(WAITS, { stop: STOP })).toEqual({ kind: "stopped", stop: STOP, jobs: WAITS.jobs.ours });
  expect(end({ ...NONE, ...fault(60 * MINUTE) })).toEqual({ kind: "list-unreadable", why: "403: no" });
});

const both = { jobs: gpuJobs({ held: 1, over: 1 }) };
const unneeded = ready(1, { ending: anEnding("unneeded", { since: 0 }), goneAt: 0 });
const over = spent(1, { readyAt: 0, ending: anEnding("over", { since: 0 }), goneAt: 6 * MINUTE });
const had = withSlot(over, { onlineAt: 0, spentAt: 5 * MINUTE });
const atOnce = (...machines: StoredMachine[]) => ({ rules: AT_ONCE, machines });

ends("none waits or runs, and one is held, which is waited for", [
  ["for wait-for-job", { ...HELD, ...held(30 * MINUTE - 1) }, undefined],
  ["while another one of ours runs", { jobs: gpuJobs({ held: 1, running: 1 }), ...held(60 * MINUTE) }, undefined],
  ["with `0s` while its machine was idle for less", { ...both, ...held(60 * MINUTE) }, undefined, atOnce(idle(1, 1))],
  ["not longer", { ...both, ...held(5 * MINUTE) }, "held", atOnce(unneeded)],
  ["one that had a job was not idle for nobody", { ...both, ...held(5 * MINUTE - 1) }, undefined, atOnce(had)],
]);

const ending = (ago: number) => anEnding("failed", { since: NOW - ago });
const goes = (ago: number, given: MachineGiven = {}) => booting(1, { ending: ending(ago), ...given });
const did = (goneAt?: number) => spent(1, { ending: anEnding("over", { since: NOW - 2 * MINUTE }), goneAt });

ends("some wait, and renting has stopped", [
  ["one boots", WAITS, undefined, { stop: STOP, machines: [booting(1)] }],
  ["one ends, to which a job may have come", WAITS, undefined, { stop: STOP, machines: [goes(89 * SECOND)] }],
  ["it had 90 s to", WAITS, "stopped", { stop: STOP, machines: [goes(90 * SECOND)] }],
  ["by max-cost, and one that ends has money set aside", WAITS, undefined, { stop: USED, machines: [did()] }],
  ["until it is gone", WAITS, "stopped", { stop: USED, machines: [did(NOW)] }],
]);

describe("hold: false", () => {
  const unheld = (...machines: StoredMachine[]) => ({ rules: { hold: false }, machines });

  ends("it ends", [
    ["when it is ready", NONE, "ready", unheld(ready(1))],
    ["not while another is released, which would bill on", NONE, undefined, unheld(goes(90 * SECOND - 1), ready(2))],
    ["90 s at most", NONE, "ready", unheld(goes(90 * SECOND), ready(2))],
    ["renting has stopped, and one is on its way", NONE, undefined, { ...unheld(booting(1)), stop: STOP }],
    ["and none is", NONE, "stopped", { ...unheld(), stop: STOP }],
    ["not before what max-cost has set aside is free", NONE, undefined, { ...unheld(goes(2 * MINUTE)), stop: USED }],
    ["then", NONE, "stopped", { ...unheld(goes(2 * MINUTE, { goneAt: NOW })), stop: USED }],
  ]);

  test("and names no job", () => {
    expect(end({ jobs: undefined }, { ...unheld(), stop: STOP })).toEqual({ kind: "stopped", stop: STOP, jobs: [] });
  });
});
