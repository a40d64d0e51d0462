import { describe, expect, test } from "vitest";
import type { Rules } from "../../../../src/fleet/options.ts";
import type { RentCommand } from "../../../../src/fleet/renting/next-create.ts";
import { standing } from "../../../../src/fleet/renting/standing.ts";
import type { CreateOutcome, FleetState, Market, StoredMachine } from "../../../../src/fleet/state.ts";
import { faultOf, UserError } from "../../../../src/shared/user-error.ts";
import { aFleet, aMarket, anEmptyMarket, gpuJobs, MINUTE, NOW, SECOND, someRules } from "../../support/a-fleet.ts";
import { aCandidate } from "../../support/an-offer.ts";
import { commands, decided, decideNow, decides } from "../../support/decide-now.ts";
import { anEnding, refused, UNCERTAIN, withNext } from "../../support/machine-parts.ts";
import { asked, booting, busy, ready, spent, unmade } from "../../support/machines.ts";

const waits = (machines: StoredMachine[] = [], given: Partial<FleetState> = {}) =>
  aFleet(machines, { jobs: gpuJobs({ waiting: 2 }), ...given });
const TOO_FAST = refused("too-fast", { status: 429 });
/** A create of this offer, which somebody else had so long ago. */
const taken = (n: number, offer: number, ago = SECOND) =>
  unmade(n, refused("offer-gone"), { candidate: aCandidate(offer), ago });
const takenTimes = (times: number, ago: number) =>
  Array.from({ length: times }, (_one, index) => taken(index + 1, 51, ago));
const withMaxCost = (maxCost: number): Partial<Rules> => ({ rental: { ...someRules().rental, money: { maxCost } } });
/** A market of these offers alone, each at its urgent cost. */
const offers = (...ids: number[]) => aMarket({ candidates: ids.map((id) => aCandidate(id)) });

function firstOf<Kind extends RentCommand["kind"]>(fleet: FleetState, kind: Kind, rules: Partial<Rules> = {}) {
  const isOfKind = (each: { kind: string }): each is Extract<RentCommand, { kind: Kind }> => each.kind === kind;
  return decideNow(fleet, rules).commands.find(isOfKind);
}

test("deadline and label are told by the service's clock, and judged by ours", () => {
  const orderOf = (aheadMs?: number) => firstOf(waits([], { aheadMs }), "create")?.order;
  const { deadline = 0, expiry = 0, terms } = orderOf() ?? {};
  expect(orderOf()?.deadlineThere).toBe(deadline);
  const ahead = { deadlineThere: deadline - 3 * 60 * MINUTE, expiry: expiry - 3 * 60 * MINUTE };
  expect(orderOf(-3 * 60 * MINUTE)).toMatchObject({ deadline, terms, ...ahead });
});

/** A market of these offers, by their urgent costs; each boots for so long. */
const urgent = (costs: Record<number, number>, bootMs?: number) => {
  const expected = bootMs === undefined ? undefined : ({ bootMs, standing: "none" } as const);
  const candidates = Object.entries(costs).map(([id, urgentCost]) => ({ ...aCandidate(+id), expected, urgentCost }));
  return { market: aMarket({ candidates: candidates as Market["candidates"] }) };
};
const QUICK = urgent({ 51: 0.05, 52: 0.03, 53: 0.04 });
// Boots so long that one machine runs all three jobs in the time.
const SHARED = { ...urgent({ 51: 0.05, 52: 0.03 }, 90 * MINUTE), jobs: gpuJobs({ waiting: 3 }) };
const late = withNext(withNext(booting(1, { askedAt: NOW - 5 * MINUTE, foundAt: NOW - 5 * MINUTE })));
const onHost = (machineId: number, given: object = {}) =>
  booting(1, { candidate: aCandidate(11, machineId), ...given });
const allTaken = [52, 53, 54, 55].map((id, index) => taken(index + 2, id));
const deaf = (ending: StoredMachine["ending"]) => ready(1, { ending, goneAt: NOW - MINUTE, candidate: aCandidate(51) });
const BESIDE = anEnding("over", { id: "held-beside", cause: undefined });
const silent = unmade(1, UNCERTAIN, { ago: MINUTE });
const HOSTS = { market: aMarket({ candidates: [aCandidate(99, 100), aCandidate(52)] }) };

decides("the offer", [
  ["the best", waits(), ["create 51"]],
  ["one that somebody else had, not within 5 minutes", waits(takenTimes(1, 5 * MINUTE - 1)), ["create 52"]],
  ["after that", waits(takenTimes(1, 5 * MINUTE)), ["create 51"]],
  ["the second time not within three times as long", waits(takenTimes(2, 15 * MINUTE - 1)), ["create 52"]],
  ["for a spare a quick one", waits([booting(1), booting(2)], QUICK), ["create 52"]],
  ["for a spare beside that machine a quick one", aFleet([late], SHARED), ["create 52"], { jobsPerMachine: 3 }],
  ["another host than one that is alive", waits([onHost(5100)]), ["create 52"]],
  ["that one where no other is left", waits([onHost(5100), ...allTaken]), ["create 51"]],
  ["another host than one without a job", waits([deaf(anEnding("over"))], { market: offers(51, 52) }), ["create 52"]],
  ["that one where no other is left", waits([deaf(anEnding("over"))], { market: offers(51) }), ["create 51"]],
  ["another host than one beside which a job waited", waits([deaf(BESIDE)], { market: offers(51, 52) }), ["create 52"]],
  ["never the host of a create that gave no answer: it may be ours after all", waits([silent], HOSTS), ["create 52"]],
]);

const EXITED = { kind: "failed", status: "exited", why: "exited", blame: "machine" } as const;
const noPull = { verdict: { ...EXITED, blame: "image" } } as const;
const oneWaits = (...machines: StoredMachine[]) => aFleet(machines, { jobs: gpuJobs({ waiting: 1 }) });
const pulledNot = booting(1, { ...noPull, ending: anEnding("failed", { cause: "image", since: 0 }), goneAt: 0 });
const exits = booting(1, { verdict: EXITED });

decides("a machine fails in this very look", [
  ["another one is rented at once", oneWaits(exits), ["drain 1", "create 51"]],
  ["not when `attempts` are used up by it", oneWaits(exits), ["drain 1"], { attempts: 1 }],
  ["not where it is the second that can't pull the image", oneWaits(pulledNot, booting(2, noPull)), ["drain 2"]],
  ["never its own host", { ...oneWaits(exits), market: aMarket({ candidates: [aCandidate(99, 100)] }) }, ["drain 1"]],
]);

const FAULT = faultOf(new UserError("It stays."));

describe("it waits", () => {
  decides("for", [
    ["the create that is under way", waits([asked(1)]), []],
    ["a newer list", waits([], { instancesAt: NOW - 16 * SECOND }), []],
  ]);

  test.each<[string, FleetState, object]>([
    ["after an answer 429", waits([unmade(1, TOO_FAST)]), { waitsFor: "pause" }],
    ["when it has stopped", waits([], { unservedSince: NOW - 25 * MINUTE }), { stop: { id: "ready-timeout" } }],
  ])("%s", (_when, fleet, expected) => {
    expect(decideNow(fleet)).toMatchObject({ commands: [], ...expected });
  });
});

describe("the pause after a create that was not carried out", () => {
  const PAGE = refused("permission", { status: 403, ownWord: false });
  const made = booting(2, { answer: { kind: "created", at: NOW, jitter: 0 } });

  test.each<[string, CreateOutcome, secondsByTimes: Record<number, number>, jitter?: number]>([
    ["grows after each answer 429, to two minutes", TOO_FAST, { 1: 12, 2: 19.2, 3: 30.72, 21: 120 }],
    ["is not in step with other runs", TOO_FAST, { 1: 15.6 }, 1],
  ])("%s", (_what, outcome, secondsByTimes, jitter = 0) => {
    for (const [times, seconds] of Object.entries(secondsByTimes).map((each) => each.map(Number) as [number, number])) {
      const machines = Array.from({ length: times }, (_one, index) =>
        unmade(index + 1, outcome, { ago: (times - index) * SECOND, jitter }),
      );
      expect((standing(aFleet(machines), "create")?.until ?? 0) - (NOW - SECOND)).toBe(seconds * SECOND);
    }
  });

  test("is over when a create is carried out; an offer that was gone makes none", () => {
    expect(standing(aFleet([unmade(1, TOO_FAST), made]), "create")).toBeUndefined();
    expect(standing(aFleet([taken(1, 51)]), "create")).toBeUndefined();
  });

  test("a page of a gateway said no once: the next create comes 15 s later", () => {
    const decision = (ago: number) => decideNow(waits([unmade(1, PAGE, { ago })]));
    expect(decision(15 * SECOND - 1)).toMatchObject({ commands: [], stop: undefined });
    expect(decision(15 * SECOND)).toMatchObject({ commands: [{ kind: "create" }], stop: undefined });
  });
});

describe("a search", () => {
  const empty = (times: number, ago: number) => ({ market: anEmptyMarket({ times, searchedAt: NOW - ago }) });
  const unfit = { jobs: gpuJobs({ waiting: 1, running: 1 }), noOfferSince: NOW - 30 * MINUTE };

  decides("is due", [
    ["where nothing is known", waits([], { market: undefined }), ["search"]],
    ["not because one went before the last", waits([booting(1, { goneAt: NOW - 1001 })], empty(9, SECOND)), []],
    ["at once where one went since", waits([booting(1, { goneAt: NOW - SECOND })], empty(9, SECOND)), ["search"]],
    ["not in the moment of a search", waits([booting(1, { goneAt: NOW })], empty(9, 0)), []],
    ["not where an offer is known", aFleet([busy(1)], unfit), ["create 51"]],
  ]);

  test.each(Object.entries({ 1: 15, 3: 60, 9: 120 }))("after %d that brought nothing: %d s later", (times, seconds) => {
    expect(commands(waits([], empty(Number(times), seconds * SECOND - 1)))).toEqual([]);
    expect(commands(waits([], empty(Number(times), seconds * SECOND)))).toEqual(["search"]);
  });
});

describe("a machine is past its limits, and is kept while no other offer is to be had", () => {
  const timing = { ...booting(1).timing, mayWait: true };
  const slow = booting(1, { foundAt: NOW - 20 * MINUTE, timing });
  const fleet = (searchedAgo: number, given: Partial<FleetState> = {}, market: Partial<Market> = offers(51)) => {
    const searched = { market: aMarket({ ...market, searchedAt: NOW - searchedAgo }) };
    return waits([slow], { ...searched, unservedSince: NOW - 20 * MINUTE, ...given });
  };
  const one = { machines: 1 };

  decides("the market", [
    ["was asked within a minute: that answer counts", fleet(59 * SECOND), ["drain 1"], one],
    ["longer ago: it is asked again, and the machine is kept until it answers", fleet(60 * SECOND), ["search"], one],
  ]);

  test("what max-cost has set aside for it pays the one that is searched for in its place", () => {
    const left = (machine: StoredMachine) =>
      firstOf({ ...fleet(MINUTE), machines: [machine] }, "search", { ...withMaxCost(1), machines: 2 })?.budget?.left;
    expect(left(slow)).toBeGreaterThan(0.5);
    expect(left({ ...slow, instances: booting(1, { timing }).instances })).toBeLessThan(0.5);
  });
});

describe("max-cost", () => {
  test("that is set aside for a machine keeps what it can't pay away", () => {
    // About 0.80 USD are set aside for it, and the shortest rental costs more than is left.
    expect(commands(waits([busy(1)]), withMaxCost(0.85))).toEqual([]);
  });

  test("is shared by the machines that are lacking, and cuts their time", () => {
    const { order } = firstOf(waits(), "create", withMaxCost(0.4)) ?? {};
    expect(order).toMatchObject({ cutBy: "max-cost", money: { budget: { left: 0.4 } } });
    expect(order?.money?.share.left).toBeLessThan(0.4);
  });
});

describe("bids", () => {
  const bidding = { isBidding: true };
  const fallback = { isBidding: true, bidFallback: true };
  const BIDS = aMarket({ isBid: true });
  const lost = busy(1, { ending: anEnding("lost", { cause: "outbid" }), goneAt: NOW });

  test.each<[string, FleetState, Partial<Rules>, boolean | undefined]>([
    ["where the user makes them", waits([], { market: undefined }), bidding, true],
    ["no more once outbid, where the user allows that", waits([lost], { market: BIDS }), fallback, false],
  ])("are searched for, %s", (_when, fleet, rules, isBid) => {
    expect(firstOf(fleet, "search", rules)?.isBid).toBe(isBid);
  });

  const timing = { ...booting(1).timing, mayWait: true };
  const late = booting(1, { timing, foundAt: NOW - 20 * MINUTE, askedAt: NOW - 20 * MINUTE });
  const none = (given: Partial<Market> = {}, input?: string) => anEmptyMarket({ isBid: true, ...given }, input);
  const fault = { kind: "fault", fault: faultOf(new UserError("No answer.")) } as const;
  const own = { ...offers(1), isBid: true };

  test.each<[string, boolean, Market, StoredMachine[], Partial<Rules>?]>([
    ["no offer for a bid, where the user allows that", true, none(), []],
    ["not where the user does not", false, none(), [], { bidFallback: false }],
    ["nor where the search was on demand", false, none({ isBid: false }), []],
    ["a service that does not answer says nothing of bids", false, none({ nothing: fault }), []],
    ["what max-cost has set aside for a machine keeps the next bid away", false, none({}, "max-cost"), [busy(1)]],
    ["offers that can be paid once a late machine is gone", false, BIDS, [late], { hedge: false, ...withMaxCost(1) }],
    ["the one offer is a living machine's own", true, own, [booting(1)]],
    ["that machine came of this very search", false, own, [booting(1, { searchedAt: NOW })]],
  ])("are of no use, and ended for good: %s: %j", (_what, expected, market, machines, rules = {}) => {
    const fleet = waits(machines, { market, unservedSince: NOW - 20 * MINUTE });
    expect(decided(fleet, { ...fallback, ...rules }).bidsFailedAt === NOW).toBe(expected);
  });

  test("no offer for a bid is not yet none on demand: search-timeout begins with that search", () => {
    const rules = { ...fallback, hold: false, searchTimeout: 0 };
    const fleet = decided(aFleet([], { jobs: undefined, market: none() }), rules);
    expect(firstOf(fleet, "search", rules)?.isBid).toBe(false);
    expect(decideNow(fleet, rules, NOW + SECOND).end).toBeUndefined();
  });
});

const gone = [51, 52, 53, 54, 55].map((id, index) => taken(index + 1, id, 20 * MINUTE));
const own = { market: offers(1), noOfferSince: 5 };
const empty = { market: anEmptyMarket(), noOfferSince: 5 };

test.each<[string, number | undefined, Partial<FleetState>, StoredMachine[]]>([
  ["nothing is left of the market", NOW, { market: anEmptyMarket() }, []],
  ["a search from before is no word on now", undefined, { market: anEmptyMarket({ searchedAt: NOW - MINUTE }) }, []],
  ["even while it is asked for", 5, { noOfferSince: 5 }, [...gone, asked(6, { candidate: aCandidate(51) })]],
  ["not while the repository has no room: no search", undefined, { ...own, repositoryAlive: 8 }, [busy(1)]],
  ["not while no list of instances can be read", undefined, { ...empty, instancesAt: NOW - 61 * SECOND }, []],
  ["one that is a minute old is read", 5, { ...empty, instancesAt: NOW - 60 * SECOND }, []],
  ["not where no machine is lacking", undefined, empty, [booting(1)]],
  ["one went since: its offer comes back, if not at once", undefined, empty, [spent(1, { goneAt: NOW })]],
])("since when nothing fits: %s: %j", (_what, expected, given, machines) => {
  const fleet = aFleet(machines, { jobs: gpuJobs({ waiting: 1 }), ...given });
  expect(decideNow(fleet, { hedge: false }).noOfferSince).toBe(expected);
});

test.each<[string, boolean, Partial<FleetState>, Partial<Market>?, StoredMachine[]?]>([
  ["the second", true, {}, { times: 1 }],
  ["the third", false, {}],
  ["one after a search that was not answered", true, {}, { nothing: { kind: "fault", fault: FAULT } }],
  ["one after the word that waiting can't help", true, { hopelessSince: NOW - SECOND }],
  ["the last before search-timeout", true, { noOfferSince: NOW - 8 * MINUTE }],
  ["one after a machine went", true, {}, {}, [spent(1, { goneAt: NOW })]],
])(
  "a search that finds nothing looks wider where that decides something, %s: %j",
  (_which, isWide, given, market, gone = []) => {
    const empty = anEmptyMarket({ times: 2, searchedAt: NOW - 5 * MINUTE, ...market });
    const search = firstOf(waits(gone, { market: empty, noOfferSince: NOW - MINUTE, ...given }), "search");
    expect(search && search.known === undefined).toBe(isWide);
  },
);
