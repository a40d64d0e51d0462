import { describe, expect, test } from "vitest";
import type { Use } from "../../../src/create/label.ts";
import { destroyAt, isJudged, judgeMachine } from "../../../src/fleet/decide/machines.ts";
import type { JobOfUse, Machine } from "../../../src/fleet/state/machine.ts";
import type { Fleet } from "../../../src/fleet/state.ts";
import {
  aCandidate,
  aFleet,
  aPolicy,
  asked,
  booting,
  busy,
  NOW,
  nextUse,
  ready,
  someTerms,
  spent,
  starting,
} from "../support/a-fleet.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** In short: its kind, and whether a second look is needed. */
function judge(machine: Machine, given: Partial<Fleet> = {}, policy = aPolicy()): string {
  const verdict = judgeMachine({ machine, fleet: aFleet([machine], given), policy, now: NOW });
  if (verdict === undefined) return "nothing";
  const { ending, isGrave } = verdict;
  return `${ending.kind}${ending.isUnasked ? ", unasked" : ""}${isGrave ? ", after a second look" : ""}`;
}

function why(machine: Machine): string | undefined {
  return judgeMachine({ machine, fleet: aFleet([machine]), policy: aPolicy(), now: NOW })?.ending.why;
}

const withUse = (machine: Machine, given: object): Machine => ({
  ...machine,
  uses: machine.uses.map((use, index) => (index === 0 ? { ...use, ...given } : use)),
});

describe("its deadline", () => {
  const late = { deadline: NOW };
  test.each([
    ["booting", booting(1, late)],
    ["ready", ready(1, late)],
    ["busy", busy(1, late)],
  ])("a machine that is %s is destroyed unasked", (_name, machine) => {
    expect(judge(machine)).toBe("deadline, unasked");
  });

  test("a second before nothing happens", () => {
    expect(judge(busy(1, { deadline: NOW + SECOND }))).toBe("nothing");
  });

  test("the input that set it is named", () => {
    expect(why(busy(1, { ...late, cutBy: "max-cost" }))).toBe("max-cost is over");
  });
});

describe("not ready: a fatal status or text, key, GPU or probe not good, or later than its limits", () => {
  const failed = { kind: "failed", status: "created", why: "no space left on device", blame: "machine" } as const;

  test("the service's own clear word needs no second look", () => {
    expect(judge(booting(1, { verdict: failed }))).toBe("failed");
    expect(why(booting(1, { verdict: failed }))).toBe("no space left on device");
  });

  test("only its heartbeat is missing: a second look", () => {
    const silent = booting(1, { isSilent: true, verdict: { ...failed, status: "offline", why: "it is offline" } });
    expect(judge(silent)).toBe("failed, after a second look");
  });

  test("the service asks more for it than max-price: a second look; one that was ready works on", () => {
    const price = { total: 0.9, storage: 0 };
    const report = { ...someTerms(aCandidate(1)), price, instanceId: 701, at: { asked: NOW }, last: "created" };
    const policy = aPolicy({ maxPrice: 0.6 });
    expect(judge(booting(1, { report }), {}, policy)).toBe("failed, after a second look");
    expect(judge(starting(1, { report }), {}, policy)).toBe("failed, after a second look");
    expect(judge(busy(1, { report }), {}, policy)).toBe("nothing");
    expect(judge(booting(1, { report }), {}, aPolicy({ maxPrice: 0.9 }))).toBe("nothing");
  });

  test("it went before it ran: a second look", () => {
    expect(judge(booting(1, { absentSince: NOW }))).toBe("failed, after a second look");
  });

  test("it went while it prepared: its key, GPUs, tools or probe were no good", () => {
    const machine = starting(1, { absentSince: NOW });
    expect(judge(machine)).toBe("failed, after a second look");
    const { ending } = judgeMachine({ machine, fleet: aFleet([machine]), policy: aPolicy(), now: NOW }) ?? {};
    expect(ending?.blame).toBe("preparing");
  });

  test("GitHub dropped its runner before a job came, as two looks say before its use is spent", () => {
    expect(judge(withUse(starting(1), { runner: "gone", spentAt: NOW }))).toBe("failed");
  });

  test("not running within boot-timeout", () => {
    const created = (ago: number) => booting(1, { createdAt: NOW - ago });
    expect(judge(created(10 * MINUTE - 1))).toBe("nothing");
    expect(judge(created(10 * MINUTE))).toBe("failed");
    expect(why(created(10 * MINUTE))).toBe("it did not reach running within boot-timeout (10m, last seen: loading)");
  });

  test("not online within online-timeout", () => {
    const running = (ago: number) => starting(1, { runningAt: NOW - ago });
    expect(judge(running(5 * MINUTE - 1))).toBe("nothing");
    expect(judge(running(5 * MINUTE))).toBe("failed");
    expect(why(running(5 * MINUTE))).toContain("did not come online within online-timeout (5m)");
  });

  test("a list that can't be read is no evidence that it is late", () => {
    expect(judge(booting(1, { createdAt: NOW - 60 * MINUTE }), { instancesAt: NOW - 55 * MINUTE })).toBe("nothing");
    expect(judge(starting(1, { runningAt: NOW - 60 * MINUTE }), { runnersAt: NOW - 56 * MINUTE })).toBe("nothing");
  });

  describe("boot-timeout: auto, and no other offer is to be had", () => {
    const machine = booting(1, { createdAt: NOW - 20 * MINUTE, timing: { ...booting(1).timing, mayWait: true } });
    const nothing = { searchedAt: NOW, searchAgainAt: NOW, candidates: [], times: 1 };

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

    test("nor is one to be had where each would make another volume", () => {
      const policy = aPolicy({ makesVolume: true });
      expect(judge(machine, { unservedSince: NOW - 24 * MINUTE }, policy)).toBe("nothing");
      expect(judge(machine, { unservedSince: NOW - 25 * MINUTE }, policy)).toBe("failed");
    });

    test("not with a boot-timeout that the user set", () => {
      const given = { ...machine, timing: { ...machine.timing, mayWait: false } };
      expect(judge(given, { market: nothing, unservedSince: NOW - 24 * MINUTE })).toBe("failed");
    });
  });

  test("a create that has not answered is not judged", () => {
    expect(isJudged(asked(1))).toBe(false);
  });
});

describe("destroyed, stopped, exited", () => {
  const exited = { kind: "failed", status: "exited", why: "it is exited", blame: "machine" } as const;
  const offline = { ...exited, status: "offline", why: "it is offline" };

  test.each([
    ["busy and absent from the list", busy(1, { absentSince: NOW })],
    ["busy and exited", busy(1, { verdict: exited })],
    ["ready and absent", ready(1, { absentSince: NOW })],
  ])("%s: lost, whatever GitHub says, after a second look", (_name, machine) => {
    expect(judge(machine)).toBe("lost, unasked, after a second look");
  });

  test("stopped by the service, as when the credit is used up: says so", () => {
    const verdict = { ...exited, why: "the service stopped it", stopped: true } as const;
    const { ending } =
      judgeMachine({ machine: busy(1, { verdict }), fleet: aFleet([]), policy: aPolicy(), now: NOW }) ?? {};
    expect(ending).toMatchObject({
      kind: "lost",
      isStopped: true,
      why: "the machine was lost: the service stopped it",
    });
  });

  test("outbid: says so", () => {
    expect(why(busy(1, { verdict: { ...exited, outbid: true } }))).toBe("it was outbid, and the service stopped it");
  });

  test.each([
    ["its runner is online", ready(1, { isSilent: true, verdict: offline })],
    ["its job runs", busy(1, { isSilent: true, verdict: offline })],
    [
      "its next runner is not online yet",
      spent(1, { uses: [...spent(1).uses, nextUse(1)], isSilent: true, verdict: offline }),
    ],
  ])("only its heartbeat is missing, and %s: kept", (_name, machine) => {
    expect(judge(machine)).toBe("nothing");
  });

  describe("its heartbeat is missing, and its runner is offline, too: its network may come back", () => {
    const silent = { isSilent: true, verdict: offline };
    const cutOff = (machine: Machine) => withUse(machine, { runner: "cut-off", offlineSince: NOW - 9 * MINUTE });
    const ended = (use: object, given = {}) =>
      withUse(spent(1, { ...silent, ...given }), {
        offlineSince: NOW - 10 * MINUTE,
        job: { id: 101, name: "test 1", url: undefined, isOver: true, isBad: true },
        ...use,
      });

    test("a job is on it: kept, until GitHub ends that job", () => {
      expect(judge(cutOff(busy(1, silent)))).toBe("nothing");
    });

    test("no job is on it: given up when its runner has been offline for 2 min", () => {
      const away = (since: number) => withUse(ready(1, silent), { runner: "offline", offlineSince: since });
      expect(judge(away(NOW))).toBe("nothing");
      expect(judge(away(NOW - 2 * MINUTE))).toBe("dropped");
    });

    test("GitHub ended its job: lost, not the job's fault", () => {
      expect(judge(ended({}))).toBe("lost");
      expect(why(ended({}))).toBe("its host fell silent, and GitHub missed its runner");
    });

    test.each([
      ["its job did well all the same", ended({ job: { ...spent(1).uses[0]?.job } })],
      ["its runner had been seen until its job ended", ended({ offlineSince: undefined })],
      ["its host is back", ended({}, { isSilent: false, verdict: { kind: "running", status: "running" } })],
    ])("%s: over, as any other", (_name, machine) => {
      expect(judge(machine)).toBe("over, unasked");
    });

    test("the next job is on it by now: kept for that one", () => {
      const machine = ended({});
      expect(judge({ ...machine, uses: [...machine.uses, { ...nextUse(1), runner: "busy" }] })).toBe("nothing");
    });
  });

  test("gone after idle-timeout without a job: it gave itself back", () => {
    const idle = withUse(ready(1, { absentSince: NOW, readyAt: NOW - 5 * MINUTE }), { onlineAt: NOW - 5 * MINUTE });
    expect(judge(idle)).toBe("over, unasked, after a second look");
  });

  test("gone with no use left: it gave itself back", () => {
    expect(judge(spent(1, { absentSince: NOW }))).toBe("over, unasked, after a second look");
  });
});

describe("no job on it, it was online, its runner is offline for 2 min", () => {
  const away = (ago: number, machine = ready(1)) => withUse(machine, { runner: "offline", offlineSince: NOW - ago });

  test("given up", () => {
    expect(judge(away(2 * MINUTE - 1))).toBe("nothing");
    expect(judge(away(2 * MINUTE))).toBe("dropped");
  });

  test("with a job on it: kept", () => {
    expect(judge(away(20 * MINUTE, busy(1)))).toBe("nothing");
  });

  test("while GitHub can't be asked it is not known to be offline still", () => {
    expect(judge(away(20 * MINUTE), { runnersAt: NOW - 19 * MINUTE })).toBe("nothing");
  });

  test("its next runner does not come online within online-timeout: given up", () => {
    const since = (ago: number) =>
      spent(1, {
        uses: [{ ...spent(1).uses[0], onlineAt: 0, spentAt: NOW - ago } as never, nextUse(1)],
        readyAt: NOW - 60 * MINUTE,
      });
    expect(judge(since(5 * MINUTE - 1))).toBe("nothing");
    expect(judge(since(5 * MINUTE))).toBe("dropped");
  });
});

describe("no use left in it", () => {
  test("over: it gives itself back", () => {
    expect(judge(spent(1))).toBe("over, unasked");
    expect(why(spent(1))).toBe("'test 1' ran on it");
  });

  test("a use is left: it goes on", () => {
    expect(judge(spent(1, { uses: [...spent(1).uses, nextUse(1)] }))).toBe("nothing");
  });

  test("less than half of max-lifetime is left: over, but its runner is asked for first", () => {
    const machine = spent(1, { uses: [...spent(1).uses, nextUse(1)], deadline: NOW + 59 * MINUTE });
    expect(judge(machine)).toBe("over");
  });

  test("destroyed when it has not gone 60 s after its job's end; longer if its job failed and keep-failed says so", () => {
    const over = { kind: "over", why: "", isUnasked: true, since: NOW } as const;
    const machine = spent(1, { ending: over });
    expect(destroyAt(machine, aPolicy())).toBe(NOW + 50 * SECOND);
    const [use] = machine.uses;
    const bad = { ...machine, uses: [{ ...use, job: { ...use?.job, isBad: true, hasFailed: true } }] } as Machine;
    expect(destroyAt(bad, aPolicy({ keepFailedMs: 15 * MINUTE }))).toBe(NOW + 15 * MINUTE + 50 * SECOND);
    expect(destroyAt(machine, aPolicy({ keepFailedMs: 15 * MINUTE }))).toBe(NOW + 50 * SECOND);
    expect(destroyAt({ ...bad, deadline: NOW + SECOND }, aPolicy({ keepFailedMs: 15 * MINUTE }))).toBe(NOW + SECOND);
  });

  test("kept for a look, and stopped by the service: there is nothing to look at, as two lists say", () => {
    const over = { kind: "over", why: "", isUnasked: true, since: NOW } as const;
    const uses = spent(1).uses.map((use) => ({ ...use, job: { ...use.job, hasFailed: true } as JobOfUse }));
    const outbid = { kind: "failed", status: "stopped", why: "outbid", blame: "machine", outbid: true } as const;
    const at = (given: Partial<Machine>) =>
      destroyAt(spent(1, { uses, ending: over, ...given }), aPolicy({ keepFailedMs: 15 * MINUTE }));
    expect(at({ verdict: outbid, brokenSince: NOW })).toBe(NOW + 14 * SECOND);
    const silent = { kind: "failed", status: "offline", why: "it is offline", blame: "machine" } as const;
    expect(at({ verdict: silent, brokenSince: NOW, isSilent: true })).toBe(NOW + 15 * MINUTE + 50 * SECOND);
  });

  test("kept for a look, with a use left: over all the same, as its script starts no further runner; not if the job was cancelled", () => {
    const keeping = aPolicy({ keepFailedMs: 15 * MINUTE });
    const [use, next] = [spent(1).uses[0], nextUse(1)];
    const withNext = (job: Partial<JobOfUse>) =>
      spent(1, { uses: [{ ...use, job: { ...use?.job, isBad: true, ...job } } as Use, next] });
    expect(judge(withNext({ hasFailed: true }), {}, keeping)).toBe("over");
    expect(judge(withNext({ hasFailed: false }), {}, keeping)).toBe("nothing");
    expect(judge(withNext({ hasFailed: true }))).toBe("nothing");
  });

  test("a use that shall not begin is no reason to wait: it is taken away at once, before a job comes to it", () => {
    const over = { kind: "over", why: "", isUnasked: false, since: NOW } as const;
    const machine = spent(1, { uses: [...spent(1).uses, nextUse(1)], ending: over });
    expect(destroyAt(machine, aPolicy())).toBe(Number.NEGATIVE_INFINITY);
  });

  test("one that was seen to go needs no wait", () => {
    const over = { kind: "over", why: "", isUnasked: true, since: NOW } as const;
    expect(destroyAt(spent(1, { ending: over, absentSince: NOW }), aPolicy())).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe("none of it", () => {
  test.each([booting(1), starting(1), ready(1), busy(1)])("machine %#: nothing becomes of it", (machine) => {
    expect(judge(machine)).toBe("nothing");
  });
});
