import { describe, expect, test } from "vitest";
import { decide } from "../../../../src/fleet/decide.ts";
import { destroyAt } from "../../../../src/fleet/lifecycle/going.ts";
import { type Judgement, reasonOf } from "../../../../src/fleet/lifecycle/reasons.ts";
import type { Rules } from "../../../../src/fleet/options.ts";
import type { FleetState, SlotJob, StoredMachine } from "../../../../src/fleet/state.ts";
import {
  aCandidate,
  aFleet,
  aMarket,
  anEmptyMarket,
  anEnding,
  aSlotJob,
  asked,
  booting,
  busy,
  gpuJobs,
  living,
  type MachineGiven,
  NOW,
  ready,
  refused,
  someFacts,
  someRules,
  spent,
  starting,
  UNCERTAIN,
  withNext,
  withSlot,
} from "../../support/a-fleet.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

function judgementOf(
  machine: StoredMachine,
  given: Partial<FleetState> = {},
  options: Partial<Rules> = {},
): Judgement | undefined {
  return reasonOf(machine, someFacts(aFleet([machine], given), options));
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

function why(machine: StoredMachine): string | undefined {
  return verdictOn(machine)?.why;
}

describe("its deadline", () => {
  const late = { deadline: NOW - 30 * SECOND };
  test.each([
    ["booting", booting(1, late)],
    ["ready", ready(1, late)],
    ["busy", busy(1, late)],
  ])("a machine that is %s is destroyed by force", (_name, machine) => {
    expect(judge(machine)).toBe("deadline, by force");
  });

  test("it has 30 s to end itself: a second before that nothing happens", () => {
    expect(judge(busy(1, { deadline: NOW - 29 * SECOND }))).toBe("nothing");
  });

  test.each([
    ["a list shows it after that", busy(1, late), { instancesAt: NOW }, "deadline, by force"],
    ["the last list is older", busy(1, late), { instancesAt: NOW - 31 * SECOND }, "nothing"],
    ["no list ever showed it", busy(1, { ...late, verdict: undefined }), { instancesAt: NOW }, "nothing"],
  ])("where the service does not say what time it is: %s", (_what, machine, given, expected) => {
    expect(judge(machine, { ...given, aheadMs: undefined })).toBe(expected);
    expect(judge(machine, { ...given, aheadMs: 0 })).toBe("deadline, by force");
  });

  test("or max-lifetime, from the list on that first had its runner", () => {
    const past = (seconds: number, given: MachineGiven = {}) =>
      living({ lifeS: 600, onlineS: 600 + seconds, ...given });
    expect(judge(past(29))).toBe("nothing");
    expect(judge(past(30))).toBe("deadline, by force");
    const given = { aheadMs: undefined };
    expect(judge(past(30), { ...given, instancesAt: NOW - 31 * SECOND })).toBe("nothing");
    expect(judge(past(30, { verdict: { kind: "running", status: "running" } }), given)).toBe("deadline, by force");
  });

  test("the input that set it is named", () => {
    expect(why(busy(1, { ...late, cutBy: "max-cost" }))).toBe("max-cost is over");
    expect(why(living({ lifeS: 600, onlineS: 630, cutBy: "max-cost" }))).toBe("max-lifetime is over");
  });
});

describe("more machines of the repository than allowed", () => {
  const number = (older: number) => ({ older });

  test.each([
    ["booting", booting(1, number(8))],
    ["ready", ready(1, number(8))],
  ])(
    "a machine that is %s, and of which as many are older as may be, gives way after a second look",
    (_name, machine) => {
      expect(judge(machine)).toBe("unneeded, after a second look");
      expect(why(machine)).toBe("it is number 9 of this repository's machines, and 8 are allowed");
    },
  );

  test("not an older one, one with a job, or one that no list shows yet", () => {
    expect(judge(booting(1, number(7)))).toBe("nothing");
    expect(judge(busy(1, number(9)))).toBe("nothing");
    expect(judge(booting(1))).toBe("nothing");
    expect(judge(booting(1, number(8)), {}, { machinesPerRepository: 9 })).toBe("nothing");
  });
});

describe("not ready: a fatal status or text, key, GPU or probe not good, or later than its limits", () => {
  const failed = { kind: "failed", status: "created", why: "no space left on device", blame: "machine" } as const;

  test("the service's own clear word needs no second look", () => {
    expect(judge(booting(1, { verdict: failed }))).toBe("failed");
    expect(why(booting(1, { verdict: failed }))).toBe("no space left on device");
  });

  test("its Docker may try once more: a second look", () => {
    expect(judge(booting(1, { verdict: { ...failed, isUnsure: true } }))).toBe("failed, after a second look");
  });

  test.each(["image", "login", "platform", "driver"] as const)("another host may do no better: %s", (blame) => {
    const verdict = { ...failed, blame };
    expect(verdictOn(booting(1, { verdict }))).toMatchObject({ kind: "failed", cause: blame });
  });

  test("only its heartbeat is missing: a second look", () => {
    const silent = booting(1, { isSilent: true, verdict: { ...failed, status: "offline", why: "it is offline" } });
    expect(judge(silent)).toBe("failed, after a second look");
  });

  test("the service asks more for it than max-price: a second look; one that was ready works on", () => {
    const dearer = { usdPerHour: 0.9 };
    expect(judge(booting(1, dearer), {}, { maxPrice: 0.6 })).toBe("failed, after a second look");
    expect(judge(starting(1, dearer), {}, { maxPrice: 0.6 })).toBe("failed, after a second look");
    expect(judge(busy(1, dearer), {}, { maxPrice: 0.6 })).toBe("nothing");
    expect(judge(booting(1, dearer), {}, { maxPrice: 0.9 })).toBe("nothing");
  });

  test("it went before it ran: a second look", () => {
    expect(judge(booting(1, { absentSince: NOW }))).toBe("failed, after a second look");
  });

  test("it went while it prepared: its key, GPUs, tools or probe were no good", () => {
    const machine = starting(1, { absentSince: NOW });
    expect(judge(machine)).toBe("failed, after a second look");
    expect(verdictOn(machine)?.cause).toBe("preparing");
  });

  test("the same while the runners could not be read: nobody knows whether it was ready, and its host is not blamed", () => {
    const machine = starting(1, { runningAt: NOW - 5 * MINUTE, absentSince: NOW });
    expect(judge(machine, { runnersAt: NOW - 5 * MINUTE })).toBe("over, after a second look");
    expect(judge(machine, { runnersAt: NOW - 5 * MINUTE + 1 })).toBe("failed, after a second look");
  });

  test("GitHub dropped its runner before a job came: the jobs are asked whether one came", () => {
    expect(judge(withSlot(starting(1), { runner: "gone", spentAt: NOW }))).toBe("failed, after a second look");
  });

  test("not running within boot-timeout", () => {
    const created = (ago: number) => booting(1, { foundAt: NOW - ago });
    expect(judge(created(10 * MINUTE - 1))).toBe("nothing");
    expect(judge(created(10 * MINUTE))).toBe("failed");
    expect(why(created(10 * MINUTE))).toBe("it did not reach running within boot-timeout (10m, last seen: loading)");
    const verdict = { kind: "pending", status: "loading", says: "no puede abrir el archivo" } as const;
    expect(why(booting(1, { foundAt: NOW - 10 * MINUTE, verdict }))).toContain(
      "last seen: loading: no puede abrir el archivo)",
    );
  });

  test("not online within online-timeout", () => {
    const running = (ago: number) => starting(1, { runningAt: NOW - ago });
    expect(judge(running(5 * MINUTE - 1))).toBe("nothing");
    expect(judge(running(5 * MINUTE))).toBe("failed");
    expect(why(running(5 * MINUTE))).toContain("did not come online within online-timeout (5m)");
  });

  test("a time in which the runners could not be read is none in which its runner was seen offline", () => {
    const running = starting(1, { runningAt: NOW - 60 * MINUTE });
    expect(judge(running, { runnersReadSince: NOW - 5 * MINUTE + 1 })).toBe("nothing");
    expect(judge(running, { runnersReadSince: NOW - 5 * MINUTE })).toBe("failed");
  });

  describe("boot-timeout: auto, and no other offer is to be had", () => {
    const machine = booting(1, { foundAt: NOW - 20 * MINUTE, timing: { ...booting(1).timing, mayWait: true } });
    const nothing = anEmptyMarket();

    test("it is kept while its job may wait", () => {
      expect(judge(machine, { market: nothing, unservedSince: NOW - 24 * MINUTE })).toBe("nothing");
    });

    test("not for longer than ready-timeout", () => {
      expect(judge(machine, { market: nothing, unservedSince: NOW - 25 * MINUTE })).toBe("failed");
    });

    test("while others are busy, as long since it was asked for", () => {
      const asked = (ago: number) => ({ ...machine, askedAt: NOW - ago });
      expect(judge(asked(24 * MINUTE), { market: nothing })).toBe("nothing");
      expect(judge(asked(25 * MINUTE), { market: nothing })).toBe("failed");
    });

    test("not when there is another", () => {
      expect(judge(machine, { unservedSince: NOW - 24 * MINUTE })).toBe("failed");
    });

    test("an offer on its own host is no other one, as that host is left alone once its machine has failed", () => {
      const candidates = [aCandidate(51, machine.candidate.offer.machineId)];
      expect(judge(machine, { market: aMarket({ candidates }), unservedSince: NOW - 24 * MINUTE })).toBe("nothing");
    });
  });

  describe("boot-timeout: auto, and `machines` leaves no room for another one", () => {
    const timing = { ...booting(1).timing, expectedMs: 4 * MINUTE, bootMs: 12 * MINUTE, mayWait: true };
    const slowFor = (ago: number) => booting(1, { timing, foundAt: NOW - ago });
    const judged = (machine: StoredMachine, options: Partial<Rules> = {}, others: StoredMachine[] = [busy(2)]) => {
      const fleet = aFleet([machine, ...others], { jobs: gpuJobs({ waiting: 1, running: 1 }) });
      return reasonOf(machine, someFacts(fleet, { machines: 2, ...options }))?.reason;
    };

    test("it has failed after twice its expected boot, and says why", () => {
      expect(judged(slowFor(8 * MINUTE - 1))).toBeUndefined();
      expect(judged(slowFor(8 * MINUTE))).toMatchObject({ kind: "failed", cause: "boot" });
      expect(judged(slowFor(8 * MINUTE))?.why).toBe(
        "it did not reach running within boot-timeout (8m, last seen: loading), cut short because the input machines leaves no room for another",
      );
    });

    test("one that runs without a runner, after two minutes and what `setup` may take", () => {
      const running = (ago: number, setupMs = 0) =>
        starting(1, { timing: { ...timing, setupMs }, runningAt: NOW - ago });
      expect(judged(running(2 * MINUTE - 1))).toBeUndefined();
      expect(judged(running(2 * MINUTE))).toMatchObject({ kind: "failed", cause: "online" });
      expect(judged(running(2 * MINUTE, MINUTE))).toBeUndefined();
    });

    test.each([
      ["there is room", { machines: 3 }, [busy(2)]],
      ["hedge: false", { hedge: false }, [busy(2)]],
      ["none of this session was ready yet: what is expected may be wrong", {}, [booting(2)]],
      ["a ready one has the job", {}, [ready(2)]],
    ])("not where %s", (_name, options, others) => {
      expect(judged(slowFor(11 * MINUTE), options, others)).toBeUndefined();
    });

    test("not with a boot-timeout that the user set", () => {
      const given = booting(1, { timing: { ...timing, mayWait: false }, foundAt: NOW - 11 * MINUTE });
      expect(judged(given)).toBeUndefined();
    });
  });

  test("a create that has not answered is not judged", () => {
    expect(decide(aFleet([asked(1)]), someRules(), NOW + 600 * MINUTE).endings).toEqual([]);
  });
});

describe("destroyed, stopped, exited", () => {
  const exited = { kind: "failed", status: "exited", why: "it is exited", blame: "machine" } as const;
  const offline = { ...exited, status: "offline", why: "it is offline" };

  test.each([
    ["busy and absent from the list", busy(1, { absentSince: NOW })],
    ["busy and exited", busy(1, { verdict: exited, brokenSince: NOW })],
    ["ready and absent", ready(1, { absentSince: NOW })],
  ])("%s: lost, whatever GitHub says, after a second look", (_name, machine) => {
    expect(judge(machine)).toBe("lost, by force, after a second look");
  });

  test("stopped by the service, as when the credit is used up: says so", () => {
    const stopped = { how: "was stopped by the service", at: NOW } as const;
    expect(verdictOn(busy(1, { verdict: exited, brokenSince: NOW, stopped }))).toMatchObject({
      kind: "lost",
      cause: "stopped",
      why: "the machine was lost: the service stopped it",
    });
  });

  test("outbid: says so", () => {
    expect(why(busy(1, { verdict: exited, brokenSince: NOW, stopped: { how: "was outbid", at: NOW } }))).toBe(
      "it was outbid, and the service stopped it",
    );
  });

  describe("its heartbeat is missing, and its runner is offline, too: its network may come back", () => {
    const silent = { isSilent: true, verdict: offline };
    const ended = (slot: object, given = {}) =>
      withSlot(spent(1, { ...silent, ...given, job: { isBad: true } }), { offlineSince: NOW - 10 * MINUTE, ...slot });

    test("no job is on it: drained when its runner has been offline for 2 min", () => {
      const away = (since: number) => withSlot(ready(1, silent), { runner: "offline", offlineSince: since });
      expect(judge(away(NOW))).toBe("nothing");
      expect(judge(away(NOW - 2 * MINUTE))).toBe("dropped");
    });

    test("GitHub ended its job: lost, not the job's fault", () => {
      expect(judge(ended({}))).toBe("lost, after a second look");
      expect(why(ended({}))).toBe("its host fell silent, and GitHub missed its runner");
    });

    test.each([
      ["its job did well all the same", ended({ job: aSlotJob(1, { isOver: true }) })],
      ["its runner had been seen until its job ended", ended({ offlineSince: undefined })],
      ["its host is back", ended({}, { isSilent: false, verdict: { kind: "running", status: "running" } })],
    ])("%s: over, as any other", (_name, machine) => {
      expect(judge(machine)).toBe("over");
    });
  });

  test("gone after idle-timeout without a job: it gave itself back", () => {
    const idle = (ago: number) => {
      const times = { runningAt: NOW - 9 * MINUTE, readyAt: NOW - ago + MINUTE };
      // Its runner came online some time after it was last seen offline.
      const slot = { notYetAt: NOW - ago, onlineAt: NOW - ago + MINUTE };
      return judge(withSlot(ready(1, { absentSince: NOW, ...times }), slot));
    };
    expect(idle(5 * MINUTE)).toBe("over, by force, after a second look");
    expect(idle(5 * MINUTE - 1)).toBe("lost, by force, after a second look");
  });

  test("the same with a job that GitHub gave it and that never began: its reason names GitHub", () => {
    const times = { runningAt: NOW - 9 * MINUTE, readyAt: NOW - 8 * MINUTE, absentSince: NOW };
    const slot = { notYetAt: NOW - 9 * MINUTE, onlineAt: NOW - 8 * MINUTE, runner: "offline", wasBusy: true } as const;
    expect(why(withSlot(ready(1, times), slot))).toBe("GitHub gave it a job that never began, and it gave itself back");
  });
});

describe("no job on it, it was online, its runner is offline for 2 min", () => {
  const away = (ago: number, machine = ready(1)) => withSlot(machine, { runner: "offline", offlineSince: NOW - ago });

  test("a job is on it: kept, however long its runner is away", () => {
    expect(judge(away(10 * MINUTE, busy(1)))).toBe("nothing");
  });

  test("drained", () => {
    expect(judge(away(2 * MINUTE - 1))).toBe("nothing");
    expect(judge(away(2 * MINUTE))).toBe("dropped");
  });

  test("it had waited for all of idle-timeout when its runner went: it gave itself back, though no list shows that", () => {
    const idleFor = (ms: number) =>
      withSlot(ready(1, { runningAt: NOW - 20 * MINUTE }), {
        ...{ notYetAt: NOW - 2 * MINUTE - ms, onlineAt: NOW - 2 * MINUTE - ms + SECOND },
        ...{ runner: "offline", offlineSince: NOW - 2 * MINUTE },
      });
    expect(judge(idleFor(5 * MINUTE - 1))).toBe("dropped");
    expect(judge(idleFor(5 * MINUTE))).toBe("over, after a second look");
  });

  test("the same where the list shows it running 90 s later: it has not gone", () => {
    const waited = { runningAt: NOW - 20 * MINUTE, readyAt: NOW - 12 * MINUTE };
    const slot = { notYetAt: NOW - 12 * MINUTE, onlineAt: NOW - 12 * MINUTE + SECOND };
    const shown = (ago: number) => away(2 * MINUTE, withSlot(ready(1, { ...waited, lastRunningAt: NOW - ago }), slot));
    expect(judge(shown(30 * SECOND))).toBe("dropped");
    expect(judge(shown(30 * SECOND + 1))).toBe("over, after a second look");
  });

  test("its next runner does not come online within online-timeout: drained", () => {
    const since = (ago: number) =>
      withNext(withSlot(spent(1, { readyAt: NOW - 60 * MINUTE }), { onlineAt: 0, spentAt: NOW - ago }));
    expect(judge(since(5 * MINUTE - 1))).toBe("nothing");
    expect(judge(since(5 * MINUTE))).toBe("dropped");
  });
});

describe("no slot left in it", () => {
  const keeping = someRules({ keepFailed: 15 * MINUTE });

  test("over: it gives itself back", () => {
    expect(judge(spent(1))).toBe("over");
    expect(why(spent(1))).toBe("'test 1' ran on it");
  });

  test("less than half of max-lifetime is left: over, but its runner is asked for first", () => {
    const machine = withNext(spent(1, { deadline: NOW + 59 * MINUTE }));
    expect(judge(machine)).toBe("over");
  });

  test("half of it was left when the listener before had surely ended: the next one is on its way", () => {
    // That job was over 10 s ago, and its listener ends within 15 s of it.
    const machine = withNext(spent(1, { deadline: NOW + 60 * MINUTE + 5 * SECOND }));
    expect(judge(machine)).toBe("nothing");
    expect(judge(withNext(spent(1, { deadline: NOW + 60 * MINUTE + 4 * SECOND })))).toBe("over");
  });

  test("half of it is counted from the first runner on: as early as that may have begun", () => {
    const begun = (notYetS: number) => {
      const life = { lifeS: 7200, notYetS, onlineS: 0, job: { isOver: true } };
      return withNext(withSlot(living(life), { runner: "gone", spentAt: NOW - 10 * SECOND }));
    };
    expect(judge(begun(3580))).toBe("nothing");
    expect(judge(begun(3581))).toBe("over");
  });

  test("half of it was left, but perhaps not when the listener before had ended: it gave itself back", () => {
    const machine = withNext(spent(1, { deadline: NOW + 60 * MINUTE - 9 * SECOND, absentSince: NOW }));
    expect(judge(machine)).toBe("over, by force, after a second look");
  });

  test("destroyed when it has not gone 60 s after its job's end; longer if its job failed and keep-failed says so", () => {
    const ending = anEnding("over");
    const machine = spent(1, { ending });
    const bad = spent(1, { ending, job: { isBad: true, conclusion: "failure" } });
    expect(destroyAt(machine, someRules())).toBe(NOW + 50 * SECOND);
    expect(destroyAt(bad, keeping)).toBe(NOW + 15 * MINUTE + 50 * SECOND);
    expect(destroyAt(machine, keeping)).toBe(NOW + 50 * SECOND);
    expect(destroyAt({ ...bad, deadline: NOW + SECOND }, keeping)).toBe(NOW + SECOND);
    const lifeMs = 61 * SECOND;
    expect(destroyAt({ ...bad, timing: { ...bad.timing, lifeMs } }, keeping)).toBe(NOW + SECOND);
  });

  test("kept for a look, and stopped by the service: there is nothing to look at, as two lists say", () => {
    const failure = { isBad: true, conclusion: "failure" };
    const at = (given: MachineGiven) =>
      destroyAt(spent(1, { job: failure, ending: anEnding("over"), ...given }), keeping);
    const outbid = { kind: "failed", status: "stopped", why: "outbid", blame: "machine", outbid: true } as const;
    expect(at({ verdict: outbid, brokenSince: NOW })).toBe(NOW + 14 * SECOND);
    const silent = { kind: "failed", status: "offline", why: "it is offline", blame: "machine" } as const;
    expect(at({ verdict: silent, brokenSince: NOW, isSilent: true })).toBe(NOW + 15 * MINUTE + 50 * SECOND);
  });

  test("kept for a look, with a slot left: over all the same, as its script starts no further runner; not if the job was cancelled", () => {
    const ended = (conclusion: string) => withNext(spent(1, { job: { isBad: true, conclusion } }));
    expect(judge(ended("failure"), {}, { keepFailed: 15 * MINUTE })).toBe("over");
    expect(judge(ended("cancelled"), {}, { keepFailed: 15 * MINUTE })).toBe("nothing");
    expect(judge(ended("failure"))).toBe("nothing");
  });

  test("a slot that shall not begin is no reason to wait: it is taken away at once, before a job comes to it", () => {
    const machine = withNext(spent(1, { ending: anEnding("over") }));
    expect(destroyAt(machine, someRules())).toBe(Number.NEGATIVE_INFINITY);
  });

  test("one that was seen to go needs no wait", () => {
    const machine = spent(1, { ending: anEnding("over"), absentSince: NOW });
    expect(destroyAt(machine, someRules())).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe("a cause beats an effect: the service's own word that it outbid or stopped the machine", () => {
  const bad: Partial<SlotJob> = { isBad: true, conclusion: "failure" };
  const stopped = { kind: "failed", status: "stopped", why: "it was stopped", blame: "machine" } as const;
  const outbid: MachineGiven = {
    verdict: { ...stopped, outbid: true },
    stopped: { how: "was outbid", at: NOW - 10 * SECOND },
    brokenSince: NOW - 10 * SECOND,
  };

  test.each<[string, StoredMachine, string]>([
    ["outbid, and its job ended badly", spent(1, { ...outbid, job: bad }), "lost, by force, after a second look"],
    [
      "stopped without credit, and its job ended badly",
      spent(1, { ...outbid, stopped: { how: "was stopped by the service", at: NOW }, job: bad }),
      "lost, by force, after a second look",
    ],
    ["outbid after its job did well", spent(1, outbid), "over, by force, after a second look"],
    [
      "exited after its job ended badly: that is how it gives itself back",
      spent(1, { verdict: { ...stopped, status: "exited" }, brokenSince: NOW, job: bad }),
      "over, by force, after a second look",
    ],
    [
      "outbid, and a list that was asked for well after its job's end showed it running",
      spent(1, { ...outbid, lastRunningAt: NOW + 81 * SECOND, job: bad }),
      "over, by force, after a second look",
    ],
  ])("%s", (_what, machine, verdict) => {
    expect(judge(machine)).toBe(verdict);
  });

  test("seen after it was judged to be over: it was lost after all", () => {
    const going = { ending: anEnding("over"), isDestroying: true };
    const lost = { kind: "lost", cause: "outbid" };
    expect(verdictOn(spent(1, { ...outbid, job: bad, ...going }))).toMatchObject(lost);
    expect(verdictOn(spent(1, { ...outbid, ...going }))).toBeUndefined();
    expect(verdictOn(spent(1, { job: bad, ...going, absentSince: NOW }))).toBeUndefined();
    expect(verdictOn(spent(1, { ...outbid, job: bad, ...going, goneAt: NOW }))).toMatchObject(lost);
  });
});

const LOST = { ending: anEnding("lost"), absentSince: NOW, isDestroying: true };

test.each<[string, StoredMachine, string | undefined]>([
  ["the job that an old list showed as running had ended well: it gave itself back", spent(1, LOST), "over"],
  ["the same of one that is gone by now", spent(1, { ...LOST, goneAt: NOW }), "over"],
  [
    "its job ended badly when GitHub missed it",
    spent(1, { ...LOST, absentSince: NOW - MINUTE, job: { isBad: true } }),
    undefined,
  ],
  ["its job runs on, as far as anybody knows", busy(1, LOST), undefined],
  ["it never had a job", ready(1, LOST), undefined],
  [
    "the service stopped it",
    spent(1, { ending: anEnding("lost", { cause: "stopped" }), isDestroying: true }),
    undefined,
  ],
])("judged again after it counted as lost: %s", (_what, machine, expected) => {
  expect(verdictOn(machine)?.kind).toBe(expected);
});

describe("what no create is known to have made", () => {
  test.each<[string, MachineGiven["answer"]]>([
    ["of a create that gave no answer", { ...UNCERTAIN, at: NOW, jitter: 0 }],
    ["of a create that was refused", { ...refused("rejected"), at: NOW, jitter: 0 }],
  ])("%s: nobody needs it, and its runner is asked for first", (_what, answer) => {
    expect(judge(booting(1, { answer }))).toBe("unneeded");
    expect(judge(ready(1, { answer }))).toBe("unneeded");
    expect(judge(busy(1, { answer }))).toBe("nothing");
  });

  test("refused, and made all the same: failed at once, by the refusal", () => {
    const unwanted = (sentence: string, given: MachineGiven = {}) =>
      verdictOn(booting(1, { answer: { kind: "unwanted", sentence, at: NOW, jitter: 0 }, ...given }));
    expect(unwanted("disk is too small")).toMatchObject({ kind: "failed", cause: "refused", why: "disk is too small" });
    const candidate = aCandidate(1, 100, 0.3);
    expect(unwanted("bid is too low", { candidate })?.cause).toBe("outbid");
    expect(unwanted("disk is too small", { candidate })?.cause).toBe("refused");
    expect(unwanted("bid is too low")?.cause).toBe("refused");
    const answer = { kind: "unwanted", sentence: "disk is too small", at: NOW, jitter: 0 } as const;
    expect(judge(busy(1, { answer }))).toBe("nothing");
  });
});

describe("an end is taken back", () => {
  test.each<[string, StoredMachine, boolean]>([
    ["a job came before it was drained", busy(1, { ending: anEnding("unneeded") }), true],
    ["nothing came", ready(1, { ending: anEnding("unneeded"), isDraining: true }), false],
    ["it counted as lost, and works on", busy(1, { ending: anEnding("lost") }), true],
    ["it counted as lost, and is absent", busy(1, { ending: anEnding("lost"), absentSince: 0 }), false],
    [
      "it counted as lost, and is being destroyed: a list from before that proves nothing",
      busy(1, { ending: anEnding("lost"), isDestroying: true }),
      false,
    ],
    ["its deadline is over", busy(1, { ending: anEnding("deadline"), deadline: 0 }), false],
    ["it is gone", busy(1, { ending: anEnding("unneeded"), goneAt: NOW }), false],
    [
      "it was drained, went, and is listed again: it keeps its ending",
      withSlot(starting(1, { ending: anEnding("unneeded") }), { runner: "gone", spentAt: 0, isRemoved: true }),
      false,
    ],
    ["none was decided", busy(1), false],
  ])("%s: %#", (_what, machine, expected) => {
    expect(decide(aFleet([machine], { findings: { "machine 1: went": 0 } }), someRules(), NOW).takenBack).toEqual(
      expected ? [1] : [],
    );
  });
});
