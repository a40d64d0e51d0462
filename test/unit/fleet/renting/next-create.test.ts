import { describe, expect, test } from "vitest";
import type { Rules } from "../../../../src/fleet/options.ts";
import type { RentCommand } from "../../../../src/fleet/renting/next-create.ts";
import { standing } from "../../../../src/fleet/renting/standing.ts";
import type { CreateOutcome, FleetState, Market, StoredMachine } from "../../../../src/fleet/state.ts";
import { faultOf, UserError } from "../../../../src/shared/user-error.ts";
import {
  aCandidate,
  aFleet,
  aMarket,
  anEmptyMarket,
  anEnding,
  asked,
  booting,
  busy,
  gpuJobs,
  type MachineGiven,
  NOW,
  ready,
  refused,
  someRules,
  UNCERTAIN,
  unmade,
  withNext,
} from "../../support/a-fleet.ts";
import { commands, decided, decideNow } from "../../support/decide-now.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const waits = (machines: StoredMachine[] = [], given: Partial<FleetState> = {}) =>
  aFleet(machines, { jobs: gpuJobs({ waiting: 2 }), ...given });
const TOO_FAST = refused("too-fast", { status: 429 });
/** A create of this offer, which somebody else had so long ago. */
const taken = (n: number, offer: number, ago = SECOND) =>
  unmade(n, refused("offer-gone"), { candidate: aCandidate(offer), ago });
const withMaxCost = (maxCost: number): Partial<Rules> => ({ rental: { ...someRules().rental, money: { maxCost } } });

test("deadline and label are told by the service's clock, and judged by ours", () => {
  const orderOf = (aheadMs?: number) => {
    const { commands: all } = decideNow(waits([], { aheadMs }));
    return all.find((each): each is Extract<RentCommand, { kind: "create" }> => each.kind === "create")?.order;
  };
  const { deadline = 0, expiry = 0, terms } = orderOf() ?? {};
  expect(orderOf()?.deadlineThere).toBe(deadline);
  const ahead = { deadlineThere: deadline - 3 * 60 * MINUTE, expiry: expiry - 3 * 60 * MINUTE };
  expect(orderOf(-3 * 60 * MINUTE)).toMatchObject({ deadline, terms, ...ahead });
});

describe("the offer", () => {
  test("the best that is left", () => {
    expect(commands(waits())).toEqual(["create 51"]);
    expect(commands(waits([taken(1, 51)]))).toEqual(["create 52"]);
    const failed = booting(1, { candidate: aCandidate(11, 5100), ending: anEnding("failed"), goneAt: NOW });
    expect(commands(waits([failed]))).toEqual(["create 52"]);
  });

  test("one that somebody else had is asked for again after 5 minutes, then after three times as long", () => {
    const again = (ago: number, times: number) =>
      commands(waits(Array.from({ length: times }, (_one, index) => taken(index + 1, 51, ago))))[0];
    expect(again(5 * MINUTE - 1, 1)).toBe("create 52");
    expect(again(5 * MINUTE, 1)).toBe("create 51");
    expect(again(15 * MINUTE - 1, 2)).toBe("create 52");
    expect(again(15 * MINUTE, 2)).toBe("create 51");
  });

  test("for a spare, beyond the waiting jobs, a quick one", () => {
    const candidates = [
      { ...aCandidate(51), urgentCost: 0.05 },
      { ...aCandidate(52), urgentCost: 0.03 },
      { ...aCandidate(53), urgentCost: 0.04 },
    ];
    const market = aMarket({ candidates });
    expect(commands(waits([booting(1)], { market }))).toEqual(["create 51"]);
    expect(commands(waits([booting(1), booting(2)], { market }))).toEqual(["create 52"]);
    expect(commands(waits([booting(1), booting(2)]))).toEqual(["create 51"]);
  });

  test("for a spare beyond the machines that several jobs share, a quick one, too", () => {
    // Boots so long that one machine runs all three jobs in the time.
    const expected = { bootMs: 90 * MINUTE, standing: "none" } as const;
    const candidates = [
      { ...aCandidate(51), expected, urgentCost: 0.05 },
      { ...aCandidate(52), expected, urgentCost: 0.03 },
    ] as Market["candidates"];
    const market = aMarket({ candidates });
    const three = (machines: StoredMachine[]) => aFleet(machines, { market, jobs: gpuJobs({ waiting: 3 }) });
    const late = withNext(withNext(booting(1, { askedAt: NOW - 5 * MINUTE, foundAt: NOW - 5 * MINUTE })));
    expect(commands(three([]), { jobsPerMachine: 3 })).toEqual(["create 51"]);
    expect(commands(three([late]), { jobsPerMachine: 3 })).toEqual(["create 52"]);
  });

  test("another host than those that are alive, if there is one", () => {
    const alive = booting(1, { candidate: aCandidate(11, 5100) });
    expect(commands(waits([alive]))).toEqual(["create 52"]);
    expect(commands(waits([alive, ...[52, 53, 54, 55].map((id, index) => taken(index + 2, id))]))).toEqual([
      "create 51",
    ]);
  });

  test.each<[string, StoredMachine["ending"]]>([
    ["no job came", anEnding("over")],
    ["a job waited beside it while another one ran", anEnding("over", { id: "held-beside", cause: undefined })],
  ])("another host than one that may be deaf: that one only where no other is left (%s)", (_what, ending) => {
    const over = ready(1, { ending, goneAt: NOW - MINUTE, candidate: aCandidate(51) });
    const market = (...ids: number[]) => aMarket({ candidates: ids.map((id) => aCandidate(id)) });
    expect(commands(waits([over], { market: market(51, 52) }))).toEqual(["create 52"]);
    expect(commands(waits([over], { market: market(51) }))).toEqual(["create 51"]);
  });

  test("the offer that we rent is not to be had twice", () => {
    const market = aMarket({ candidates: [aCandidate(51)] });
    expect(commands(waits([booting(1, { candidate: aCandidate(51) })], { market }))).toEqual([]);
  });

  test("never the host of a create that gave no answer: it may be ours after all", () => {
    const market = aMarket({ candidates: [aCandidate(99, 100), aCandidate(52)] });
    expect(commands(waits([unmade(1, UNCERTAIN, { ago: MINUTE })], { market }))).toEqual(["create 52"]);
  });

  test("another host than the one whose create was refused: that one shows whose fault it is", () => {
    const refusal = unmade(1, refused("rejected"), { candidate: aCandidate(51), ago: 10 * SECOND });
    expect(commands(waits([refusal]))).toEqual(["create 52"]);
    expect(commands(waits([refusal], { market: aMarket({ candidates: [aCandidate(51)] }) }))).toEqual(["create 51"]);
  });
});

describe("a machine fails in this very look", () => {
  const failed = { kind: "failed", status: "exited", why: "exited", blame: "machine" } as const;
  const waiting = { jobs: gpuJobs({ waiting: 1 }) };
  const fails = (n = 1) => booting(n, { verdict: failed });

  test("another one is rented at once", () => {
    expect(commands(aFleet([fails()], waiting))).toEqual(["drain 1", "create 51"]);
  });

  test("not when `attempts` are used up by it", () => {
    expect(commands(aFleet([fails()], waiting), { attempts: 1 })).toEqual(["drain 1"]);
  });

  test("not where it is the second one that can't pull the image", () => {
    const verdict = { ...failed, blame: "image" } as const;
    const one = booting(1, { verdict, ending: anEnding("failed", { cause: "image", since: 0 }), goneAt: 0 });
    expect(commands(aFleet([one, booting(2, { verdict })], waiting))).toEqual(["drain 2"]);
  });

  test("never its own host again", () => {
    const market = aMarket({ candidates: [aCandidate(99, 100)] });
    expect(commands(aFleet([fails()], { ...waiting, market }))).not.toContain("create 99");
  });
});

describe("it waits", () => {
  test("for the create that is under way", () => {
    expect(commands(waits([asked(1)]))).toEqual([]);
  });

  test("for the search that is under way", () => {
    expect(commands(waits([], { market: undefined, isSearching: true }))).toEqual([]);
  });

  test("while no list can be read", () => {
    expect(commands(waits([], { instancesAt: undefined }))).toEqual([]);
    expect(commands(waits([], { instancesAt: NOW - 16 * SECOND }))).toEqual([]);
  });

  test("after an answer 429", () => {
    expect(decideNow(waits([unmade(1, TOO_FAST)]))).toMatchObject({ commands: [], waitsFor: "pause" });
  });

  test("while as many as machines-per-repository allows are alive", () => {
    expect(decideNow(waits([], { repositoryAlive: 8 }))).toMatchObject({ commands: [], waitsFor: "repository" });
    expect(commands(waits([], { repositoryAlive: 7 }))).toEqual(["create 51"]);
  });

  test("never more than `machines`, those that are being drained included", () => {
    const four = [1, 2, 3, 4].map((n) => booting(n, { ending: anEnding("failed"), isDraining: true }));
    expect(commands(waits(four))).toEqual([]);
  });

  test("when it has stopped", () => {
    const decision = decideNow(waits([], { unservedSince: NOW - 25 * MINUTE }));
    expect(decision).toMatchObject({ commands: [], stop: { id: "ready-timeout" } });
  });

  test("jobs that could not be read for a minute: nobody knows that one waited, and its clock starts anew", () => {
    const unread = (forMs: number) =>
      decideNow(
        waits([booting(1)], { unservedSince: NOW - 24 * MINUTE, jobsFault: { since: NOW - forMs, why: "it is away" } }),
      ).unservedSince;
    expect(unread(MINUTE - 1)).toBe(NOW - 24 * MINUTE);
    expect(unread(MINUTE)).toBeUndefined();
  });

  test("while a machine can't be destroyed", () => {
    const fault = faultOf(new UserError("It stays."));
    const stuck = booting(1, { ending: anEnding("unneeded"), fault, askAgainAt: NOW + 1 });
    expect(decideNow(waits([stuck]))).toMatchObject({ commands: [], stop: { id: "undestroyed", detail: fault } });
  });
});

describe("the pause after a create that was not carried out", () => {
  test("holds where that create was answered in the same moment as one that was carried out", () => {
    const [made, unregistered] = [booting(1), unmade(2, refused("no-credit"), { ago: 0 })];
    const atOnce = { ...made, answer: made.answer && { ...made.answer, at: NOW } } as StoredMachine;
    expect(commands(waits([atOnce, unregistered]))).toEqual([]);
  });

  const pause = (outcome: CreateOutcome, times: number, given: { jitter?: number } = {}) => {
    const machines = Array.from({ length: times }, (_one, index) =>
      unmade(index + 1, outcome, { ago: (times - index) * SECOND, ...given }),
    );
    return (standing(aFleet(machines), "create")?.until ?? Number.NaN) - (NOW - SECOND);
  };

  test("grows after each answer 429, to two minutes", () => {
    expect([1, 2, 3, 21].map((times) => pause(TOO_FAST, times))).toEqual([12_000, 19_200, 30_720, 120_000]);
  });

  test("is a look's length after a refusal; what is about the request is asked of another host at once", () => {
    expect([1, 2, 21].map((times) => pause(refused("key"), times))).toEqual([15_000, 24_000, 120_000]);
    expect([1, 2].map((times) => pause(refused("rejected"), times))).toEqual([2000, 3200]);
  });

  test("is not in step with other runs", () => {
    expect(pause(TOO_FAST, 1, { jitter: 1 })).toBe(15_600);
  });

  test("is over when a create is carried out; an offer that was gone makes none", () => {
    const made = booting(2, { answer: { kind: "created", at: NOW, jitter: 0 } });
    expect(standing(aFleet([unmade(1, TOO_FAST), made]), "create")).toBeUndefined();
    expect(standing(aFleet([taken(1, 51)]), "create")).toBeUndefined();
  });

  const unknownPlace = { kind: "unregistered", fault: faultOf(new UserError("404")) } as const;
  test.each<[string, CreateOutcome, number]>([
    ["a page of a gateway", refused("permission", { status: 403, ownWord: false }), 15],
    ["one host, of the request", refused("rejected"), 2],
    ["GitHub, which does not find the place for a moment", unknownPlace, 15],
  ])("%s said no once: the next create comes seconds later", (_what, outcome, seconds) => {
    const decision = (ago: number) => decideNow(waits([unmade(1, outcome, { ago })]));
    expect(decision(seconds * SECOND - 1)).toMatchObject({ commands: [], stop: undefined });
    expect(decision(seconds * SECOND)).toMatchObject({ commands: [{ kind: "create" }], stop: undefined });
  });

  test("a page of a gateway stops nothing, however often it comes", () => {
    const page = refused("permission", { status: 403, ownWord: false });
    const pages = [1, 2, 3].map((n) => unmade(n, page, { ago: (4 - n) * MINUTE }));
    expect(decideNow(waits(pages)).stop).toBeUndefined();
    expect(commands(waits(pages))).toEqual(["create 51"]);
  });
});

describe("a search", () => {
  test("where nothing is known, or what is known is a minute old", () => {
    expect(commands(waits([], { market: undefined }))).toEqual(["search"]);
    expect(commands(waits([], { market: aMarket({ searchedAt: NOW - 59 * SECOND }) }))).toEqual(["create 51"]);
    expect(commands(waits([], { market: aMarket({ searchedAt: NOW - 60 * SECOND }) }))).toEqual(["search"]);
  });

  test.each([
    [1, 15],
    [2, 30],
    [3, 60],
    [4, 120],
    [9, 120],
  ])("after %d that brought nothing: %d s later", (times, seconds) => {
    const searched = (ago: number) => waits([], { market: anEmptyMarket({ times, searchedAt: NOW - ago }) });
    expect(commands(searched(seconds * SECOND - 1))).toEqual([]);
    expect(commands(searched(seconds * SECOND))).toEqual(["search"]);
  });

  test("leaves out hosts that failed and offers that somebody has", () => {
    const failed = booting(1, { ending: anEnding("failed"), goneAt: NOW });
    const [command] = decideNow(waits([failed, taken(2, 52)], { market: undefined })).commands;
    expect(command).toMatchObject({ kind: "search", paused: { hosts: [100], offers: [1], taken: [52] } });
  });

  test("at once when a machine has gone since the last one: its offer may be to be had", () => {
    const market = anEmptyMarket({ times: 9, searchedAt: NOW - SECOND });
    const gone = (goneAt: number) => commands(waits([booting(1, { goneAt })], { market }));
    expect(gone(NOW - SECOND - 1)).toEqual([]);
    expect(gone(NOW - SECOND)).toEqual(["search"]);
    // In the moment of a search no other one begins.
    const now = anEmptyMarket({ times: 9, searchedAt: NOW });
    expect(commands(waits([booting(1, { goneAt: NOW })], { market: now }))).toEqual([]);
  });

  test("no offer fits for search-timeout: searched on, as long as it goes on for other machines", () => {
    const given = { jobs: gpuJobs({ waiting: 1, running: 1 }), noOfferSince: NOW - 30 * MINUTE };
    const market = anEmptyMarket({ times: 9, searchedAt: NOW - 2 * MINUTE });
    expect(commands(aFleet([busy(1)], { ...given, market }))).toEqual(["search"]);
    expect(commands(aFleet([busy(1)], given))).toEqual(["create 51"]);
  });
});

describe("a machine is past its limits, and is kept while no other offer is to be had", () => {
  const timing = { ...booting(1).timing, mayWait: true };
  const slow = booting(1, { foundAt: NOW - 20 * MINUTE, timing });
  const fleet = (searchedAgo: number, given: Partial<Market> = {}) => {
    const market = aMarket({ searchedAt: NOW - searchedAgo, candidates: [aCandidate(51)], ...given });
    return waits([slow], { market, unservedSince: NOW - 20 * MINUTE });
  };
  const one = { machines: 1 };

  test("the market was asked within a minute: that answer counts", () => {
    expect(commands(fleet(59 * SECOND), one)).toEqual(["drain 1"]);
  });

  test("longer ago: it is asked again, and the machine is kept until it answers", () => {
    expect(commands(fleet(60 * SECOND), one)).toEqual(["search"]);
    expect(commands({ ...fleet(0), market: undefined }, one)).toEqual(["search"]);
  });

  test("not before its pause is over, where nothing fits", () => {
    const empty = anEmptyMarket({ times: 4 });
    expect(commands(fleet(2 * MINUTE - 1, { ...empty, searchedAt: NOW - 2 * MINUTE + 1 }), one)).toEqual([]);
    expect(commands(fleet(2 * MINUTE, { ...empty, searchedAt: NOW - 2 * MINUTE }), one)).toEqual(["search"]);
  });

  test("its job has waited for ready-timeout: nothing is asked", () => {
    expect(commands({ ...fleet(60 * SECOND), unservedSince: NOW - 25 * MINUTE }, one)).toEqual(["drain 1"]);
  });

  test("what max-cost has set aside for it pays the one that is searched for in its place", () => {
    const budgetOf = (machine: StoredMachine) => {
      const decision = decideNow({ ...fleet(60 * SECOND), machines: [machine] }, { ...withMaxCost(1), machines: 2 });
      return decision.commands.find((each): each is Extract<RentCommand, { kind: "search" }> => each.kind === "search");
    };
    expect(budgetOf(slow)?.budget?.left).toBeGreaterThan(0.5);
    expect(budgetOf({ ...slow, instances: booting(1, { timing }).instances })?.budget?.left).toBeLessThan(0.5);
  });
});

describe("max-cost", () => {
  test("that is set aside for a machine keeps what it can't pay away", () => {
    expect(commands(waits([busy(1)]), withMaxCost(5))).toEqual(["create 51"]);
    // About 0.80 USD are set aside for it, and the shortest rental costs more than is left.
    expect(commands(waits([busy(1)]), withMaxCost(0.85))).toEqual([]);
  });

  test("is shared by the machines that are lacking, and cuts their time", () => {
    const [command] = decideNow(waits(), withMaxCost(0.4)).commands;
    if (command?.kind !== "create") throw new Error("No create was decided on.");
    expect(command.order).toMatchObject({ cutBy: "max-cost", money: { budget: { left: 0.4 } } });
    expect(command.order.money?.share.left).toBeLessThan(0.4);
  });
});

describe("bids", () => {
  const bidding = { isBidding: true };
  const fallback = { isBidding: true, bidFallback: true };
  const searchedFor = (fleet: FleetState, rules: Partial<Rules>) =>
    decideNow(fleet, rules).commands.flatMap((each) =>
      each.kind === "search" ? [each.isBid ? "bids" : "on demand"] : [],
    );
  const lost = (given: MachineGiven = {}) =>
    busy(1, { ending: anEnding("lost", { cause: "outbid" }), goneAt: NOW, ...given });

  test("machines are asked for by bids, where the user makes them", () => {
    expect(searchedFor(waits([], { market: undefined }), bidding)).toEqual(["bids"]);
    expect(searchedFor(waits([], { market: undefined }), {})).toEqual(["on demand"]);
  });

  test("outbid: no bid any more, where the user allows that", () => {
    const fleet = () => waits([lost()], { market: aMarket({ isBid: true }) });
    expect(searchedFor(fleet(), fallback)).toEqual(["on demand"]);
    expect(commands(fleet(), bidding)).toEqual(["create 51"]);
  });

  test("offers for bids that come after bidding has ended are not rented", () => {
    const fleet = waits([], { market: aMarket({ isBid: true }), bidsFailedAt: NOW });
    expect(commands(fleet, fallback)).toEqual(["search"]);
    expect(commands({ ...fleet, market: aMarket({ isBid: false }) }, fallback)).toEqual(["create 51"]);
  });

  const areBidsUseless = (market: Market, machines: StoredMachine[] = [], rules: Partial<Rules> = fallback) =>
    decided(waits(machines, { market }), rules).bidsFailedAt === NOW;

  test("no offer for a bid: on demand from now on, where the user allows that", () => {
    expect(areBidsUseless(anEmptyMarket({ isBid: true }))).toBe(true);
    expect(areBidsUseless(anEmptyMarket({ isBid: true }), [], bidding)).toBe(false);
    expect(areBidsUseless(anEmptyMarket({ isBid: false }))).toBe(false);
  });

  test("no offer for a bid is not yet none on demand: search-timeout begins with that search", () => {
    const rules = { ...fallback, hold: false, searchTimeout: 0 };
    const fleet = decided(aFleet([], { jobs: undefined, market: anEmptyMarket({ isBid: true }) }), rules);
    expect(searchedFor(fleet, rules)).toEqual(["on demand"]);
    expect(decideNow(fleet, rules, NOW + SECOND).end).toBeUndefined();
  });

  test("a service that does not answer says nothing of bids", () => {
    const nothing = { kind: "fault", fault: faultOf(new UserError("No answer.")) } as const;
    expect(areBidsUseless(anEmptyMarket({ isBid: true, nothing }))).toBe(false);
  });

  test("what max-cost has set aside for a machine keeps the next bid away: it is no bid that was of no use", () => {
    expect(areBidsUseless(anEmptyMarket({ isBid: true }, "max-cost"), [busy(1)])).toBe(false);
    expect(areBidsUseless(anEmptyMarket({ isBid: true }, "max-cost"))).toBe(true);
  });

  test("the same where the search found offers, which can be paid once a late machine is gone", () => {
    const timing = { ...booting(1).timing, mayWait: true };
    const late = booting(1, { timing, foundAt: NOW - 20 * MINUTE, askedAt: NOW - 20 * MINUTE });
    const rules = { ...fallback, hedge: false, ...withMaxCost(1) };
    const fleet = waits([late], { market: aMarket({ isBid: true }), unservedSince: NOW - 20 * MINUTE });
    expect(decideNow(fleet, rules)).toMatchObject({ endings: [{ ending: { kind: "failed" } }], areBidsOfNoUse: false });
    expect(areBidsUseless(aMarket({ isBid: true }), [], { ...fallback, ...withMaxCost(0.01) })).toBe(true);
  });

  test("the one offer is a living machine's own: no bid brings another one", () => {
    const market = aMarket({ isBid: true, candidates: [aCandidate(1)] });
    expect(areBidsUseless(market, [booting(1)])).toBe(true);
    // The machine came of this very search.
    expect(areBidsUseless(market, [booting(1, { searchedAt: NOW })])).toBe(false);
  });
});

describe("since when nothing fits", () => {
  const since = (given: Partial<FleetState>, machines: StoredMachine[] = []) =>
    decideNow(aFleet(machines, { jobs: gpuJobs({ waiting: 1 }), ...given }), { hedge: false }).noOfferSince;

  test("since nothing is left of the market", () => {
    expect(since({ market: anEmptyMarket() })).toBe(NOW);
    expect(since({ market: anEmptyMarket(), noOfferSince: 5 })).toBe(5);
  });

  test("an offer that was gone once, and is tried again, ends no search", () => {
    const gone = [51, 52, 53, 54, 55].map((id, index) => taken(index + 1, id, 20 * MINUTE));
    expect(since({ noOfferSince: 5 }, gone)).toBe(5);
    expect(since({ noOfferSince: 5 }, [...gone, asked(6, { candidate: aCandidate(51) })])).toBe(5);
  });

  test("while the repository has no room nothing is searched: that says nothing of offers", () => {
    const market = aMarket({ candidates: [aCandidate(1)] });
    const given = { market, noOfferSince: NOW - 9 * MINUTE };
    expect(since({ ...given, repositoryAlive: 8 }, [busy(1)])).toBeUndefined();
    expect(since(given, [busy(1), unmade(2, TOO_FAST)])).toBe(NOW - 9 * MINUTE);
  });

  test("nor while no list of instances can be read; one that got lost is none of that", () => {
    const listed = (ago: number) => since({ market: anEmptyMarket(), noOfferSince: 5, instancesAt: NOW - ago });
    expect(listed(61 * SECOND)).toBeUndefined();
    expect(listed(60 * SECOND)).toBe(5);
  });

  test("it begins anew when no machine is lacking", () => {
    expect(since({ market: anEmptyMarket(), noOfferSince: 5 }, [booting(1)])).toBeUndefined();
  });
});

describe("a search that finds nothing looks wider where that decides something", () => {
  const isWide = (given: Partial<FleetState>, market: Partial<Market> = {}) => {
    const empty = anEmptyMarket({ times: 2, searchedAt: NOW - 5 * MINUTE, ...market });
    const { commands: all } = decideNow(waits([], { market: empty, noOfferSince: NOW - MINUTE, ...given }));
    const [search] = all.filter((each) => each.kind === "search");
    return search === undefined ? undefined : search.known === undefined;
  };

  test.each<[string, boolean, Partial<FleetState>, Partial<Market>]>([
    ["the first", true, { market: undefined, noOfferSince: undefined }, {}],
    ["the second", true, {}, { times: 1 }],
    ["the third", false, {}, {}],
    [
      "one after a search that was not answered",
      true,
      {},
      { nothing: { kind: "fault", fault: faultOf(new UserError("502")) } },
    ],
    ["one after the word that waiting can't help", true, { hopelessSince: NOW - SECOND }, {}],
    ["one well before search-timeout", false, { noOfferSince: NOW - 8 * MINUTE + SECOND }, {}],
    ["the last before search-timeout", true, { noOfferSince: NOW - 8 * MINUTE }, {}],
    ["the last before ready-timeout", true, { unservedSince: NOW - 23 * MINUTE }, {}],
  ])("%s: %j", (_which, expected, given, market) => {
    expect(isWide(given, market)).toBe(expected);
  });
});
