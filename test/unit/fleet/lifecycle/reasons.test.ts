import { describe, expect, test } from "vitest";
import { decide } from "../../../../src/fleet/decide.ts";
import { destroyAt } from "../../../../src/fleet/lifecycle/going.ts";
import { type Judgement, reasonOf } from "../../../../src/fleet/lifecycle/reasons.ts";
import type { Rules } from "../../../../src/fleet/options.ts";
import type { FleetState, SlotJob, StoredMachine } from "../../../../src/fleet/state.ts";
import { aFleet, aMarket, anEmptyMarket, gpuJobs, MINUTE, NOW, someFacts, someRules } from "../../support/a-fleet.ts";
import { aCandidate } from "../../support/an-offer.ts";
import { anEnding, refused, UNCERTAIN, withNext, withSlot } from "../../support/machine-parts.ts";
import { asked, booting, busy, living, type MachineGiven, ready, spent, starting } from "../../support/machines.ts";

const SECOND = 1000;

function judgementOf(machine: StoredMachine, given: Partial<FleetState> = {}, rules: Partial<Rules> = {}) {
  return reasonOf(machine, someFacts(aFleet([machine], given), rules));
}

function verdictOn(...given: Parameters<typeof judgementOf>): Judgement["reason"] | undefined {
  return judgementOf(...given)?.reason;
}

/** In short: its kind, and whether a second look is needed. */
function judge(...given: Parameters<typeof judgementOf>): string {
  const judgement = judgementOf(...given);
  if (judgement === undefined) return "nothing";
  const { finding, reason } = judgement;
  return `${reason.kind}${reason.first === "instance" ? ", by force" : ""}${finding ? ", after a second look" : ""}`;
}

/** A machine in words, what is judged of it, and what else is so. */
type Case = [words: string, machine: StoredMachine, verdict: string, ...given: [Partial<FleetState>?, Partial<Rules>?]];

/** Judges one machine after the other. */
function judged(rule: string, cases: readonly Case[]): void {
  test.each(cases)(`${rule}: %s`, (_words, machine, verdict, given, rules) => {
    expect(judge(machine, given, rules)).toBe(verdict);
  });
}

const BY_FORCE = "deadline, by force";
const LATE = { deadline: NOW - 30 * SECOND };
const NO_DATE = { aheadMs: undefined };
const RUNS = { kind: "running", status: "running" } as const;
const pastLife = (seconds: number, given: MachineGiven = {}) =>
  living({ lifeS: 600, onlineS: 600 + seconds, ...given });

judged("at its deadline it is destroyed by force", [
  ["busy", busy(1, LATE), BY_FORCE],
  ["not before it had 30 s to end itself", busy(1, { deadline: NOW - 29 * SECOND }), "nothing"],
  ["max-lifetime, from the list on that first had its runner", pastLife(30), BY_FORCE],
  ["the service does not say what time it is, and a list shows it after that", busy(1, LATE), BY_FORCE, NO_DATE],
  ["the last list is older", busy(1, LATE), "nothing", { ...NO_DATE, instancesAt: NOW - 31 * SECOND }],
  ["where the service says what time it is, that is enough", busy(1, LATE), BY_FORCE, { aheadMs: 0, instancesAt: 0 }],
  ["no list ever showed it", busy(1, { ...LATE, verdict: undefined }), "nothing", NO_DATE],
  ["a list shows it after max-lifetime", pastLife(30, { verdict: RUNS }), BY_FORCE, NO_DATE],
]);

const listedAndGone = (instanceId: number) => spent(1, { instanceId, aliveAt: NOW, goneAt: NOW });
const second = { id: 701, createdAt: 0, foundAt: 0, aliveAt: NOW };
const withSecond = { ...booting(1), instances: [...booting(1, { instanceId: 700 }).instances, second] };

judged("more machines of the repository than allowed", [
  ["as many are older as may be", booting(1, { older: 8 }), "unneeded, after a second look"],
  ["an older one stays", booting(1, { older: 7 }), "nothing"],
  ["one with a job does", busy(1, { older: 9 }), "nothing"],
  ["one of these went since that list", booting(2, { older: 8 }), "nothing", { machines: [listedAndGone(701)] }],
  ["one of these is a second instance of one machine", booting(2, { older: 8 }), "nothing", { machines: [withSecond] }],
  ["a younger one did", booting(2, { older: 8 }), "unneeded, after a second look", { machines: [listedAndGone(703)] }],
  ["more are allowed", booting(1, { older: 8 }), "nothing", {}, { machinesPerRepository: 9 }],
]);

const TWICE = "failed, after a second look";
const dropped = withSlot(starting(1), { runner: "gone", spentAt: NOW });

const FAILED = { kind: "failed", status: "created", why: "no space left on device", blame: "machine" } as const;
const DEARER = { usdPerHour: 0.9 };
const RAN = { runningAt: NOW - 5 * MINUTE };
/** Nobody knows whether it was ready where the runners could not be read since it ran: its host is not blamed. */
const unread = starting(1, { ...RAN, absentSince: NOW, lastRunningAt: NOW - 15_000 });
const READ = { runnersAt: RAN.runningAt + 1 };
const created = (ago: number) => booting(1, { foundAt: NOW - ago });
const running = (ago: number) => starting(1, { runningAt: NOW - ago });

judged("not ready, and it never will be", [
  ["the service's own clear word", booting(1, { verdict: FAILED }), "failed"],
  ["the same once it ran: a short job may have come to it unseen", starting(1, { verdict: FAILED }), TWICE],
  ["its Docker may try again", booting(1, { verdict: { ...FAILED, isUnsure: true } }), TWICE],
  ["only its heartbeat is missing", booting(1, { isSilent: true, verdict: FAILED }), TWICE],
  ["dearer than max-price", booting(1, DEARER), TWICE, {}, { maxPrice: 0.6 }],
  ["it went before it ran", booting(1, { absentSince: NOW }), TWICE],
  ["it went while it prepared", starting(1, { absentSince: NOW }), TWICE],
  ["unread since it ran: nobody knows", unread, "over, after a second look", { runnersAt: RAN.runningAt }],
  ["read since", unread, TWICE, READ],
  ["read since, not when it went", unread, "over, after a second look", { ...READ, runnersUnreadSince: NOW - 30_000 }],
  ["missed once", unread, TWICE, { ...READ, runnersUnreadSince: NOW - 29_999 }],
  ["read again before a list showed it", unread, TWICE, { ...READ, runnersReadSince: NOW - 15_000 }],
  [
    "read again when it may have gone",
    unread,
    "over, after a second look",
    { ...READ, runnersReadSince: NOW - 14_999 },
  ],
  ["GitHub dropped its runner before a job came: the jobs are asked whether one came", dropped, TWICE],
  ["not running within boot-timeout", created(10 * MINUTE), "failed"],
  ["not online within online-timeout", running(5 * MINUTE), "failed"],
  ["unread runners: no time counts", running(60 * MINUTE), "nothing", { runnersReadSince: NOW - 5 * MINUTE + 1 }],
  ["from their first list on it does", running(60 * MINUTE), "failed", { runnersReadSince: NOW - 5 * MINUTE }],
]);

test.each(["image", "login", "platform", "driver"] as const)("another host may do no better: %s", (blame) => {
  expect(verdictOn(booting(1, { verdict: { ...FAILED, blame } }))?.cause).toBe(blame);
});

test.each([
  ["outbid", { outbid: true }],
  ["stopped", { stopped: true }],
] as const)("the service took it before it was ready: %s", (cause, said) => {
  expect(verdictOn(booting(1, { verdict: { ...FAILED, ...said } }))).toMatchObject({ kind: "failed", cause });
});

const SAYS = { kind: "pending", status: "loading", says: "no puede" } as const;
const NO_GOOD = "its key, its GPUs, its tools or the probe were no good";
const LATE_TO_RUN = "it did not reach running within boot-timeout";
const STOPPED = { kind: "failed", status: "stopped", why: "it was stopped", blame: "machine" } as const;
const stoppedBy = (how: "was outbid" | "was stopped by the service", at = NOW) =>
  ({ verdict: STOPPED, brokenSince: at, stopped: { how, at } }) as const;

test.each<[StoredMachine, string]>([
  [busy(1, { ...LATE, cutBy: "max-cost" }), "max-cost is over"],
  [living({ lifeS: 600, onlineS: 630, cutBy: "max-cost" }), "max-lifetime is over"],
  [booting(1, { older: 8 }), "it is number 9 of this repository's machines, and 8 are allowed"],
  [booting(1, { verdict: FAILED }), "no space left on device"],
  [created(10 * MINUTE), `${LATE_TO_RUN} (10m, last seen: loading)`],
  [booting(1, { foundAt: NOW - 10 * MINUTE, verdict: SAYS }), `${LATE_TO_RUN} (10m, last seen: loading: no puede)`],
  [running(5 * MINUTE), "its runner did not come online within online-timeout (5m)"],
  [dropped, "GitHub dropped its runner before a job came; its runner configuration was 61 s old"],
  [busy(1, stoppedBy("was stopped by the service")), "the machine was lost: the service stopped it"],
  [busy(1, stoppedBy("was outbid")), "it was outbid, and the service stopped it"],
  [spent(1), "'test 1' ran on it"],
  [starting(1, { absentSince: NOW }), `it gave itself back before its runner was online: ${NO_GOOD}`],
])("why, in words: %#", (machine, words) => {
  expect(verdictOn(machine)?.why).toBe(words);
});

describe("boot-timeout: auto", () => {
  const timing = { ...booting(1).timing, mayWait: true };
  const machine = booting(1, { foundAt: NOW - 20 * MINUTE, timing });
  const since = (ago: number) => booting(1, { foundAt: NOW - 20 * MINUTE, timing, askedAt: NOW - ago });
  const market = anEmptyMarket();
  const own = aMarket({ candidates: [aCandidate(51, machine.candidate.offer.machineId)] });
  const unserved = (ago: number, given: Partial<FleetState> = { market }) => ({ ...given, unservedSince: NOW - ago });

  judged("no other offer is to be had", [
    ["it is kept while its job may wait", machine, "nothing", unserved(24 * MINUTE)],
    ["not for longer than ready-timeout", machine, "failed", unserved(25 * MINUTE)],
    ["while others are busy, as long since it was asked for", since(24 * MINUTE), "nothing", { market }],
    ["not longer", since(25 * MINUTE), "failed", { market }],
    ["not when there is another", machine, "failed", unserved(24 * MINUTE, {})],
    ["one on its own host is no other", machine, "nothing", unserved(24 * MINUTE, { market: own })],
  ]);

  describe("`machines` leaves no room for another one", () => {
    const quick = { ...timing, expectedMs: 4 * MINUTE, bootMs: 12 * MINUTE };
    const slowFor = (ago: number, mayWait = true) => booting(1, { timing: { ...quick, mayWait }, foundAt: NOW - ago });
    const runsFor = (ago: number, setupMs = 0) => starting(1, { timing: { ...quick, setupMs }, runningAt: NOW - ago });
    const reason = (slow: StoredMachine, rules: Partial<Rules> = {}, others: StoredMachine[] = [busy(2)]) => {
      const fleet = aFleet([slow, ...others], { jobs: gpuJobs({ waiting: 1, running: 1 }) });
      return reasonOf(slow, someFacts(fleet, { machines: 2, ...rules }))?.reason;
    };

    test("it has failed after twice its expected boot, and says why", () => {
      const cut = "cut short because the input machines leaves no room for another";
      const why = `${LATE_TO_RUN} (8m, last seen: loading), ${cut}`;
      expect(reason(slowFor(8 * MINUTE))).toMatchObject({ kind: "failed", cause: "boot", why });
    });

    test("one that runs without a runner, after two minutes and what `setup` may take", () => {
      expect(reason(runsFor(2 * MINUTE))).toMatchObject({ kind: "failed", cause: "online" });
    });

    test.each<[string, StoredMachine, Partial<Rules>?, StoredMachine[]?]>([
      ["before twice its expected boot", slowFor(8 * MINUTE - 1)],
      ["while `setup` may take so long", runsFor(2 * MINUTE, MINUTE)],
      ["where there is room", slowFor(11 * MINUTE), { machines: 3 }],
      ["where hedge: false", slowFor(11 * MINUTE), { hedge: false }],
      ["where none was ready yet: what is expected may be wrong", slowFor(11 * MINUTE), {}, [booting(2)]],
      ["where a ready one has the job", slowFor(11 * MINUTE), {}, [ready(2)]],
      ["with a boot-timeout that the user set", slowFor(11 * MINUTE, false)],
    ])("not %s", (_when, slow, rules, others) => {
      expect(reason(slow, rules, others)).toBeUndefined();
    });
  });
});

test("a create that has not answered is not judged", () => {
  expect(decide(aFleet([asked(1)]), someRules(), NOW + 600 * MINUTE).endings).toEqual([]);
});

const BACK = "over, by force, after a second look";
const LOST_BY_FORCE = "lost, by force, after a second look";
const EXITED = { ...STOPPED, status: "exited", why: "it is exited" };
const SILENT = { isSilent: true, verdict: { ...EXITED, status: "offline", why: "it is offline" } };
const ended = (slot: object, given: MachineGiven = {}) =>
  withSlot(spent(1, { ...SILENT, ...given, job: { isBad: true } }), { offlineSince: NOW - 10 * MINUTE, ...slot });
const away = (ago: number, machine = ready(1)) => withSlot(machine, { runner: "offline", offlineSince: NOW - ago });
/** It had waited for so long when it went; its runner came online some time after it was last seen offline. */
const wentAfter = (ago: number, slot: object = {}) =>
  withSlot(ready(1, { absentSince: NOW, runningAt: NOW - 9 * MINUTE, readyAt: NOW - ago + MINUTE }), {
    notYetAt: NOW - ago,
    onlineAt: NOW - ago + MINUTE,
    ...slot,
  });

judged("destroyed, stopped, exited", [
  ["busy and absent from the list", busy(1, { absentSince: NOW }), LOST_BY_FORCE],
  ["silent, no job on it, its runner away for a moment", away(0, ready(1, SILENT)), "nothing"],
  ["for 2 min: drained", away(2 * MINUTE, ready(1, SILENT)), "dropped"],
  ["silent, and GitHub ended its job: not the job's fault", ended({}), "lost, after a second look"],
  ["its runner had been seen until its job ended", ended({ offlineSince: undefined }), "over"],
  ["gone after idle-timeout: it gave itself back", wentAfter(5 * MINUTE), BACK],
  ["gone a moment before that", wentAfter(5 * MINUTE - 1), LOST_BY_FORCE],
]);

const neverBegan = wentAfter(9 * MINUTE, { runner: "offline", wasBusy: true });

test.each<[StoredMachine, string]>([
  [neverBegan, "GitHub gave it a job that never began, and it gave itself back"],
  [ended({}), "its host fell silent, and GitHub missed its runner"],
])("it went, and its reason says why: %#", (machine, words) => {
  expect(verdictOn(machine)?.why).toBe(words);
});

const idleFor = (ms: number) =>
  withSlot(ready(1, { runningAt: NOW - 20 * MINUTE }), {
    ...{ notYetAt: NOW - 2 * MINUTE - ms, onlineAt: NOW - 2 * MINUTE - ms + SECOND },
    ...{ runner: "offline", offlineSince: NOW - 2 * MINUTE },
  });
const waited = { runningAt: NOW - 20 * MINUTE, readyAt: NOW - 12 * MINUTE };
const slot = { notYetAt: NOW - 12 * MINUTE, onlineAt: NOW - 12 * MINUTE + SECOND };
const shown = (ago: number) => away(2 * MINUTE, withSlot(ready(1, { ...waited, lastRunningAt: NOW - ago }), slot));
const nextLate = (ago: number) =>
  withNext(withSlot(spent(1, { readyAt: NOW - 60 * MINUTE }), { onlineAt: 0, spentAt: NOW - ago }));

judged("its runner is offline for 2 min, and it is drained", [
  ["not with a job on it, however long its runner is away", away(10 * MINUTE, busy(1)), "nothing"],
  ["not a moment before", away(2 * MINUTE - 1), "nothing"],
  ["then", away(2 * MINUTE), "dropped"],
  ["for all of it: it gave itself back, though no list shows that", idleFor(5 * MINUTE), "over, after a second look"],
  ["the list shows it running 90 s later: it has not gone", shown(30 * SECOND), "dropped"],
  ["not quite so late", shown(30 * SECOND + 1), "over, after a second look"],
  ["its next runner does not come online within online-timeout", nextLate(5 * MINUTE), "dropped"],
  ["it may still", nextLate(5 * MINUTE - 1), "nothing"],
]);

describe("no slot left in it", () => {
  const keeping = someRules({ keepFailed: 15 * MINUTE });
  const short = { ...spent(1).timing, lifeMs: 61 * SECOND };
  const nextAt = (deadline: number, given: MachineGiven = {}) => withNext(spent(1, { deadline, ...given }));
  const begun = (notYetS: number) => {
    const life = { lifeS: 7200, notYetS, onlineS: 0, job: { isOver: true } };
    return withNext(withSlot(living(life), { runner: "gone", spentAt: NOW - 10 * SECOND }));
  };
  const concluded = (conclusion: string) => withNext(spent(1, { job: { isBad: true, conclusion } }));
  const HALF = NOW + 60 * MINUTE;

  judged("over", [
    ["its job is: it gives itself back", spent(1), "over"],
    ["less than half of max-lifetime is left", nextAt(NOW + 59 * MINUTE), "over"],
    // Its job was over 10 s ago, and its listener ends within 15 s of it.
    ["not where half of it was left when the listener before had surely ended", nextAt(HALF + 5 * SECOND), "nothing"],
    ["not quite half", nextAt(HALF + 4 * SECOND), "over"],
    ["half of it, counted from the first runner on: as early as that may have begun", begun(3580), "nothing"],
    ["a second less", begun(3581), "over"],
    ["half was left, perhaps not at its listener's end", nextAt(HALF - 9 * SECOND, { absentSince: NOW }), BACK],
    ["kept for a look, though a slot is left: its script starts none", concluded("failure"), "over", {}, keeping],
    ["not if the job was cancelled", concluded("cancelled"), "nothing", {}, keeping],
    ["nor without keep-failed", concluded("failure"), "nothing"],
  ]);

  const over = (given: Parameters<typeof spent>[1] = {}) => spent(1, { ending: anEnding("over"), ...given });
  const failure = { job: { isBad: true, conclusion: "failure" } };
  const broken = { verdict: STOPPED, brokenSince: NOW };

  test.each<[string, StoredMachine, number, Rules?]>([
    ["60 s after its job's end", over(), NOW + 50 * SECOND],
    ["so much longer where it failed", over(failure), NOW + 15 * MINUTE + 50 * SECOND, keeping],
    ["at its deadline at the latest", over({ ...failure, deadline: NOW + SECOND }), NOW + SECOND, keeping],
    ["or at the end of its life", over({ ...failure, timing: short }), NOW + SECOND, keeping],
    ["stopped by the service, as two lists say", over({ ...failure, ...broken }), NOW + 14 * SECOND, keeping],
    ["at once with a slot that shall not begin, before a job comes to it", withNext(over()), Number.NEGATIVE_INFINITY],
  ])("destroyed %s", (_when, machine, at, rules = someRules()) => {
    expect(destroyAt(machine, rules)).toBe(at);
  });
});

describe("a cause beats an effect: the service's own word that it outbid or stopped the machine", () => {
  const job: Partial<SlotJob> = { isBad: true, conclusion: "failure" };
  const outbid = stoppedBy("was outbid", NOW - 10 * SECOND);

  judged("its job is over", [
    ["outbid, and it ended badly", spent(1, { ...outbid, job }), LOST_BY_FORCE],
    ["stopped, and it ended badly", spent(1, { ...stoppedBy("was stopped by the service"), job }), LOST_BY_FORCE],
    ["outbid after it did well", spent(1, outbid), BACK],
    ["exited after it ended badly: it gives itself back", spent(1, { verdict: EXITED, brokenSince: NOW, job }), BACK],
    ["outbid, and shown running well after", spent(1, { ...outbid, lastRunningAt: NOW + 81 * SECOND, job }), BACK],
  ]);

  const going = { ending: anEnding("over"), isDestroying: true };
  const LOST = { ending: anEnding("lost"), absentSince: NOW, isDestroying: true };

  test.each<[string, StoredMachine, Partial<Judgement["reason"]> | undefined]>([
    ["outbid, and its job ended badly", spent(1, { ...outbid, job, ...going }), { kind: "lost", cause: "outbid" }],
    ["it, gone", spent(1, { ...outbid, job, ...going, goneAt: NOW }), { kind: "lost", cause: "outbid" }],
    ["outbid, and its job did well", spent(1, { ...outbid, ...going }), undefined],
    ["lost, but its job had ended well: it gave itself back", spent(1, LOST), { kind: "over" }],
    ["lost before its job ended", spent(1, { ...LOST, absentSince: NOW - MINUTE, job: { isBad: true } }), undefined],
  ])("judged again once it goes: %s", (_what, machine, expected) => {
    const verdict = verdictOn(machine);
    if (expected === undefined) expect(verdict).toBeUndefined();
    else expect(verdict).toMatchObject(expected);
  });
});

describe("what no create is known to have made", () => {
  const none = { ...UNCERTAIN, at: NOW, jitter: 0 } as const;
  const bad = { ...refused("rejected"), at: NOW, jitter: 0 } as const;
  const unwanted = (sentence: string, given: MachineGiven = {}) =>
    booting(1, { answer: { kind: "unwanted", sentence, at: NOW, jitter: 0 }, ...given });

  judged("nobody needs it, and its runner is asked for first", [
    ["of a create that gave no answer", booting(1, { answer: none }), "unneeded"],
    ["of a create that was refused", booting(1, { answer: bad }), "unneeded"],
  ]);

  test.each([
    ["disk is too small", undefined, "refused"],
    ["disk is too small", 0.3, "refused"],
    ["bid is too low", 0.3, "outbid"],
    ["bid is too low", undefined, "refused"],
  ])("refused, and made all the same: failed at once by the refusal '%s', with a bid of %s: %s", (said, bid, cause) => {
    const machine = unwanted(said, { candidate: aCandidate(1, 100, bid) });
    expect(verdictOn(machine)).toMatchObject({ kind: "failed", cause, why: said });
  });
});

const unneeded = { ending: anEnding("unneeded") };
const lost = { ending: anEnding("lost") };

test.each<[string, StoredMachine, boolean]>([
  ["a job came before it was drained", busy(1, unneeded), true],
  ["nothing came", ready(1, { ...unneeded, isDraining: true }), false],
  ["it counted as lost, and works on", busy(1, lost), true],
  ["none was decided", busy(1), false],
  ["it counted as lost, and is absent", busy(1, { ...lost, absentSince: 0 }), false],
  ["it is being destroyed: a list from before that proves nothing", busy(1, { ...lost, isDestroying: true }), false],
])("an end is taken back: %s: %#", (_what, machine, expected) => {
  const fleet = aFleet([machine], { findings: { "machine 1: went": 0 } });
  expect(decide(fleet, someRules(), NOW).takenBack).toEqual(expected ? [1] : []);
});
