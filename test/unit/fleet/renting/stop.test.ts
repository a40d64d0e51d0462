import { describe, expect, test } from "vitest";
import type { Rules } from "../../../../src/fleet/options.ts";
import { stopOf } from "../../../../src/fleet/renting/stop.ts";
import type { FleetState, StoredMachine } from "../../../../src/fleet/state.ts";
import { faultOf, UserError } from "../../../../src/shared/user-error.ts";
import {
  aCandidate,
  aFleet,
  anEmptyMarket,
  anEnding,
  booting,
  busy,
  type MachineGiven,
  NOW,
  ready,
  refused,
  someFacts,
  someRules,
  unmade,
} from "../../support/a-fleet.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

function stop(
  given: Partial<FleetState>,
  rules: Partial<Rules> = {},
  machines: StoredMachine[] = [],
): string | undefined {
  return stopOf(someFacts(aFleet(machines, given), rules))?.id;
}

const ended = (
  n: number,
  cause: "machine" | "image" | "login" | "platform" | "driver" | "unfit-image" | "preparing" = "machine",
  given: MachineGiven = {},
) => booting(n, { ending: anEnding("failed", { cause }), goneAt: NOW, ...given });

const FAULT = faultOf(new UserError("No."));

describe("renting stops", () => {
  test("two searches, 15 s apart, say that waiting can't help", () => {
    const since = (hopelessSince?: number) =>
      stop({ market: anEmptyMarket(), noOfferSince: NOW - SECOND, hopelessSince });
    expect(since(NOW - 15 * SECOND)).toBe("hopeless");
    expect(since(NOW - SECOND)).toBeUndefined();
    expect(since()).toBeUndefined();
  });

  test("when a job has waited for ready-timeout with none ready or busy", () => {
    expect(stop({ unservedSince: NOW - 25 * MINUTE + 1 })).toBeUndefined();
    expect(stop({ unservedSince: NOW - 25 * MINUTE })).toBe("ready-timeout");
  });
});

test("renting stops at the 999th machine of a session: its number has three digits in a runner's name", () => {
  const asked = (count: number) => Array.from({ length: count }, (_, n) => busy(n + 1, { goneAt: NOW }));
  expect(stop({}, {}, asked(998))).toBeUndefined();
  expect(stop({}, {}, asked(999))).toBe("creates");
});

describe("what counts against attempts", () => {
  const one = (machine: StoredMachine) => stop({}, { attempts: 1 }, [machine]);

  test.each(["failed", "lost", "dropped"] as const)("%s", (kind) => {
    expect(one(ready(1, { ending: anEnding(kind), goneAt: NOW }))).toBe("attempts");
  });

  test("over, or at its deadline, before a job began on it", () => {
    expect(one(ready(1, { ending: anEnding("over") }))).toBe("attempts");
    expect(one(ready(1, { ending: anEnding("deadline") }))).toBe("attempts");
  });

  test("not what was seen before a job last began, though it was decided on after that", () => {
    const lost = [ready(1, { ending: anEnding("lost", { since: NOW - MINUTE, decidedAt: NOW }) })];
    expect(stop({ lastBeginAt: NOW - MINUTE - 1 }, { attempts: 1 }, lost)).toBe("attempts");
    expect(stop({ lastBeginAt: NOW - MINUTE }, { attempts: 1 }, lost)).toBeUndefined();
  });
});

test("no offer for search-timeout, and a machine has gone since the search: its own offer may be free", () => {
  const given = { market: anEmptyMarket(), noOfferSince: NOW - 60 * MINUTE };
  const gone = (goneAt: number) => stop(given, {}, [booting(1, { goneAt })]);
  expect(gone(NOW - 1)).toBe("no-offer");
  expect(gone(NOW + 1)).toBeUndefined();
});

describe("by max-cost", () => {
  const PAID = { rental: { ...someRules().rental, money: { maxCost: 1 } } };
  const used = (given: Partial<FleetState> = {}) => ({
    market: anEmptyMarket({}, "max-cost"),
    noOfferSince: NOW,
    ...given,
  });

  test("at once when it is used up", () => {
    expect(stop(used(), PAID, [busy(1)])).toBe("max-cost");
    expect(stop({ ...used(), market: anEmptyMarket({}, "max-price") }, PAID, [busy(1)])).toBeUndefined();
  });

  test("before anything was made a dear market is one without an offer: it is searched for search-timeout", () => {
    expect(stop(used(), PAID)).toBeUndefined();
    expect(stop(used({ noOfferSince: NOW - 10 * MINUTE }), PAID)).toBe("no-offer");
    expect(stop(used({ noOfferSince: NOW - 10 * MINUTE }), PAID, [unmade(1, refused("offer-gone"))])).toBe("no-offer");
  });

  test("not when a machine has gone since the search: what was set aside for it is free", () => {
    const gone = (goneAt: number) => [booting(1, { goneAt })];
    const long = used({ noOfferSince: NOW - 60 * MINUTE });
    expect(stop(long, PAID, gone(NOW - 1))).toBe("max-cost");
    expect(stop(long, PAID, gone(NOW + 1))).toBeUndefined();
  });
});

describe("by refused creates", () => {
  /** So many creates on hosts of their own, `apart` from each other, the last a second ago. */
  const creates = (outcome: Parameters<typeof unmade>[1], apart: number[], given: MachineGiven = {}) =>
    apart.map((before, index) => unmade(index + 1, outcome, { ago: SECOND + before * SECOND, ...given }));
  const kind = (machines: StoredMachine[], given: Partial<FleetState> = {}) =>
    stop({ repositoryAlive: 0, ...given }, {}, machines);

  test.each(["key", "permission", "no-credit", "spend-rate"] as const)(
    "%s: said twice, 14 s apart, in the service's own word",
    (code) => {
      expect(kind(creates(refused(code), [0]))).toBeUndefined();
      expect(kind(creates(refused(code), [13, 0]))).toBeUndefined();
      expect(kind(creates(refused(code), [14, 0]))).toBe("refused");
      expect(kind(creates(refused(code, { ownWord: false }), [14, 0]))).toBeUndefined();
    },
  );

  test.each(["rejected", "no-template"] as const)(
    "%s: two hosts say so, or one of them three times in 14 s or more",
    (code) => {
      const sameHost = { candidate: aCandidate(1) };
      expect(kind(creates(refused(code), [0]))).toBeUndefined();
      expect(kind(creates(refused(code), [2, 0]))).toBe("refused");
      expect(kind(creates(refused(code, { ownWord: false }), [20, 0]))).toBeUndefined();
      expect(kind(creates(refused(code), [20, 0], sameHost))).toBeUndefined();
      expect(kind(creates(refused(code), [13, 2, 0], sameHost))).toBeUndefined();
      expect(kind(creates(refused(code), [14, 2, 0], sameHost))).toBe("refused");
    },
  );

  test("two different words are no second one; nor is a word before a create that was carried out", () => {
    const [first, second] = [unmade(1, refused("key"), { ago: 20 * SECOND }), unmade(2, refused("permission"))];
    expect(kind([first, second])).toBeUndefined();
    const made = booting(3, { answer: { kind: "created", at: NOW - 10 * SECOND, jitter: 0 } });
    expect(kind([first, made, unmade(2, refused("key"))])).toBeUndefined();
  });

  test("it does not latch: after the longest pause one more create asks", () => {
    const old = (ago: number) => [
      unmade(1, refused("key"), { ago: ago + 20 * SECOND }),
      unmade(2, refused("key"), { ago }),
    ];
    expect(kind(old(2 * MINUTE - 1))).toBe("refused");
    expect(kind(old(2 * MINUTE))).toBeUndefined();
  });

  test("an answer 429 never stops it", () => {
    expect(kind(creates(refused("too-fast", { status: 429 }), [60, 30, 0]))).toBeUndefined();
  });

  test("what a new account may spend an hour is no last word while machines are alive, or one has gone since", () => {
    const limited = creates(refused("spend-rate"), [14, 0]);
    expect(kind(limited, { repositoryAlive: 1 })).toBeUndefined();
    expect(kind([...limited, booting(3, { goneAt: NOW - 5 * SECOND, answer: undefined })])).toBeUndefined();
  });

  test("GitHub registers no runner: the same, unless it can't be asked", () => {
    const no = { kind: "unregistered", fault: FAULT } as const;
    expect(kind(creates(no, [0]))).toBeUndefined();
    expect(kind(creates(no, [14, 0]))).toBe("unregistered");
    expect(kind(creates({ ...no, fault: { ...FAULT, isPassing: true } }, [14, 0]))).toBeUndefined();
  });
});

describe("by a refused search", () => {
  const refusedTimes = (refusals: number, ago = 0) =>
    stop({ market: anEmptyMarket({ nothing: { kind: "fault", fault: FAULT }, refusals, searchedAt: NOW - ago }) });

  test("said twice, until the longest pause is over", () => {
    expect(refusedTimes(1)).toBeUndefined();
    expect(refusedTimes(2)).toBe("unsearchable");
    expect(refusedTimes(2, 2 * MINUTE)).toBeUndefined();
  });

  describe("a quota that is used up", () => {
    const used = (fullIn: number, given: Partial<FleetState> = {}, refusals = 1) =>
      stop({
        market: anEmptyMarket({ nothing: { kind: "fault", fault: FAULT, quotaUntil: NOW + fullIn }, refusals }),
        noOfferSince: NOW - MINUTE,
        ...given,
      });

    test("stops at once, until it is full again", () => {
      expect(used(60 * MINUTE)).toBe("unsearchable");
      const market = anEmptyMarket({
        nothing: { kind: "fault", fault: FAULT, quotaUntil: NOW + 60 * MINUTE },
        refusals: 1,
        searchedAt: NOW - 30 * MINUTE,
      });
      expect(stop({ market, noOfferSince: NOW })).toBe("unsearchable");
    });

    test("is waited for, if that is within search-timeout", () => {
      expect(used(9 * MINUTE + 1)).toBe("unsearchable");
      expect(used(9 * MINUTE, {}, 2)).toBeUndefined();
      // The service's clock is an hour ahead.
      expect(used(65 * MINUTE, { aheadMs: 60 * MINUTE })).toBeUndefined();
    });

    test("that should be full by now is a refusal like others", () => {
      expect(used(-1)).toBeUndefined();
      expect(used(-1, {}, 2)).toBe("unsearchable");
    });
  });
});

describe("while a machine can't be destroyed", () => {
  const stuck = (given: MachineGiven = {}) => [booting(1, { ending: anEnding("unneeded"), fault: FAULT, ...given })];

  test("nothing is rented, whatever else is wrong", () => {
    expect(stop({}, {}, stuck())).toBe("undestroyed");
    expect(stop({ unservedSince: 0 }, {}, stuck())).toBe("undestroyed");
  });
  test("one of two that one create made stays, as a job may be on it, and stops nothing", () => {
    const twins = (machine: StoredMachine): StoredMachine[] => [
      { ...machine, instances: [...machine.instances, { id: 801, createdAt: NOW, foundAt: NOW, fault: FAULT }] },
    ];
    expect(stop({}, {}, twins(booting(1)))).toBe("undestroyed");
    expect(stop({}, {}, twins(busy(1)))).toBeUndefined();
    expect(stop({}, {}, twins(busy(1, { ending: anEnding("over") })))).toBe("undestroyed");
  });
});

describe("what a second machine says, too, is no machine's fault", () => {
  test.each(["image", "login", "platform"] as const)("an image that can't be pulled: %s", (cause) => {
    expect(stop({}, {}, [ended(1, cause), ended(2, "machine")])).toBeUndefined();
    expect(stop({}, {}, [ended(1, cause), ended(2, cause)])).toBe(cause);
  });

  test("a driver that is too old is one host's: renting goes on", () => {
    expect(stop({}, {}, [ended(1, "driver"), ended(2, "driver")])).toBeUndefined();
  });

  test("an image that lacks what the runner needs; one host's word is not enough", () => {
    expect(stop({}, {}, [ended(1, "unfit-image"), ended(2, "preparing"), ended(3, "image")])).toBeUndefined();
    expect(stop({}, {}, [ended(1, "unfit-image"), ended(2, "unfit-image")])).toBe("unfit-image");
  });
});
