import { describe, expect, test } from "vitest";
import type { Rules } from "../../../../src/fleet/options.ts";
import { reduce } from "../../../../src/fleet/reduce.ts";
import { type StopId, stopOf } from "../../../../src/fleet/renting/stop.ts";
import type { FleetState, StoredMachine } from "../../../../src/fleet/state.ts";
import { faultOf, UserError } from "../../../../src/shared/user-error.ts";
import { aFleet, anEmptyMarket, gpuJobs, MINUTE, NOW, SECOND, someFacts, someRules } from "../../support/a-fleet.ts";
import { aCandidate } from "../../support/an-offer.ts";
import { commands, decided, decideNow, decides } from "../../support/decide-now.ts";
import { anEnding, refused } from "../../support/machine-parts.ts";
import { booting, busy, type MachineGiven, ready, unmade } from "../../support/machines.ts";

const FAULT = faultOf(new UserError("No."));

/** A state in words, what stops renting, and the machines. */
type Case = [words: string, state: Partial<FleetState>, expected: StopId | undefined, machines?: StoredMachine[]];

function stops(rule: string, cases: readonly Case[], rules: Partial<Rules> = {}): void {
  test.each(cases)(`${rule}: %s`, (_words, state, expected, machines = []) => {
    expect(stopOf(someFacts(aFleet(machines, state), rules))?.id).toBe(expected);
  });
}

const unfit = (given: Partial<FleetState> = {}) => ({ market: anEmptyMarket(), noOfferSince: NOW - SECOND, ...given });
const long = { market: anEmptyMarket(), noOfferSince: NOW - 60 * MINUTE };
const gone = (goneAt: number) => [booting(1, { goneAt })];
const creates = (count: number) => Array.from({ length: count }, (_, n) => busy(n + 1, { goneAt: NOW }));

stops("renting stops", [
  ["two searches, 15 s apart, say that waiting can't help", unfit({ hopelessSince: NOW - 15 * SECOND }), "hopeless"],
  ["not one", unfit({ hopelessSince: NOW - SECOND }), undefined],
  ["a job has waited for ready-timeout", { unservedSince: NOW - 25 * MINUTE }, "ready-timeout"],
  ["at the 999th machine: its number has three digits in a runner's name", {}, "creates", creates(999)],
  ["no offer fits for search-timeout", long, "no-offer", gone(NOW - 1)],
  ["not where a machine has gone since the search: its own offer may be free", long, undefined, gone(NOW + 1)],
]);

const one = { attempts: 1 };
const lostBefore = [ready(1, { ending: anEnding("lost", { since: NOW - MINUTE, decidedAt: NOW }) })];
const ended = (kind: Parameters<typeof anEnding>[0]) => [ready(1, { ending: anEnding(kind), goneAt: NOW })];

stops(
  "what counts against attempts",
  [
    ["failed", {}, "attempts", ended("failed")],
    ["one, where two were wanted at a time", { mostWanted: 2 }, undefined, ended("failed")],
    ["over before a job began on it", {}, "attempts", ended("over")],
    ["seen after a job last began", { lastBeginAt: NOW - MINUTE - 1 }, "attempts", lostBefore],
    ["not before that, though it was decided on after it", { lastBeginAt: NOW - MINUTE }, undefined, lostBefore],
  ],
  one,
);

const dear = (ago = 0) => ({ market: anEmptyMarket({}, "max-cost"), noOfferSince: NOW - ago * MINUTE });

stops(
  "by max-cost",
  [
    ["at once when it is used up", dear(), "max-cost", [busy(1)]],
    ["not where max-price is to blame", { ...dear(), market: anEmptyMarket({}, "max-price") }, undefined, [busy(1)]],
    ["not before anything was made", dear(), undefined],
    ["a create that made nothing changes nothing", dear(10), "no-offer", [unmade(1, refused("offer-gone"))]],
    ["a machine went before the search", dear(60), "max-cost", gone(NOW - 1)],
    ["not when one has gone since: what was set aside for it is free", dear(60), undefined, gone(NOW + 1)],
  ],
  { rental: { ...someRules().rental, money: { maxCost: 1 } } },
);

describe("by refused creates", () => {
  /** So many creates on hosts of their own, so many seconds before the last, which was answered a second ago. */
  const said = (outcome: Parameters<typeof unmade>[1], before: number[], given: MachineGiven = {}) =>
    before.map((seconds, index) => unmade(index + 1, outcome, { ago: SECOND + seconds * SECOND, ...given }));
  const NONE_ALIVE = { repositoryAlive: 0 };
  const stop = (machines: StoredMachine[]) => stopOf(someFacts(aFleet(machines, NONE_ALIVE)))?.id;

  test.each(["key", "permission", "no-credit", "spend-rate"] as const)("%s: twice, 14 s apart", (code) => {
    const stops = [[0], [13, 0], [14, 0]].map((before) => stop(said(refused(code), before)));
    expect(stops).toEqual([undefined, undefined, "refused"]);
    expect(stop(said(refused(code, { ownWord: false }), [14, 0]))).toBeUndefined();
  });

  const sameHost = { candidate: aCandidate(1) };
  const old = (ago: number) => [20 * SECOND, 0].map((more, n) => unmade(n + 1, refused("key"), { ago: ago + more }));
  const [first, second] = [unmade(1, refused("key"), { ago: 20 * SECOND }), unmade(2, refused("permission"))];
  const made = booting(3, { answer: { kind: "created", at: NOW - 10 * SECOND, jitter: 0 } });
  const limited = said(refused("spend-rate"), [14, 0]);
  const went = booting(3, { goneAt: NOW - 5 * SECOND, answer: undefined });
  const no = { kind: "unregistered", fault: FAULT } as const;

  for (const code of ["rejected", "no-template"] as const)
    stops(`${code}, which is about the request`, [
      ["once", NONE_ALIVE, undefined, said(refused(code), [0])],
      ["two hosts say so", NONE_ALIVE, "refused", said(refused(code), [2, 0])],
      ["not a gateway's page", NONE_ALIVE, undefined, said(refused(code, { ownWord: false }), [20, 0])],
      ["one host says so twice", NONE_ALIVE, undefined, said(refused(code), [20, 0], sameHost)],
      ["three times in 14 s", NONE_ALIVE, "refused", said(refused(code), [14, 2, 0], sameHost)],
    ]);

  stops("what was said twice", [
    ["by two different words", NONE_ALIVE, undefined, [first, second]],
    ["by a word before a create that was carried out", NONE_ALIVE, undefined, [first, made, unmade(2, refused("key"))]],
    ["it holds for the longest pause", NONE_ALIVE, "refused", old(2 * MINUTE - 1)],
    ["longer: then one more create asks", NONE_ALIVE, undefined, old(2 * MINUTE)],
    ["by an answer 429", NONE_ALIVE, undefined, said(refused("too-fast", { status: 429 }), [60, 30, 0])],
    ["by a new account's limit while machines are alive", { repositoryAlive: 1 }, undefined, limited],
    ["or one has gone since", NONE_ALIVE, undefined, [...limited, went]],
    ["GitHub registers no runner, once", NONE_ALIVE, undefined, said(no, [0])],
    ["twice", NONE_ALIVE, "unregistered", said(no, [14, 0])],
    ["it can't be asked", NONE_ALIVE, undefined, said({ ...no, fault: { ...FAULT, isPassing: true } }, [14, 0])],
  ]);
});

const no = (refusals: number, ago = 0) => ({
  market: anEmptyMarket({ nothing: { kind: "fault", fault: FAULT }, refusals, searchedAt: NOW - ago }),
});
const used = (fullIn: number, given: Partial<FleetState> = {}, refusals = 1, ago = 0) => {
  const nothing = { kind: "fault", fault: FAULT, quotaUntil: NOW + fullIn } as const;
  const market = anEmptyMarket({ nothing, refusals, searchedAt: NOW - ago });
  return { market, noOfferSince: NOW - MINUTE, ...given };
};

stops("by a refused search: it", [
  ["was refused once", no(1), undefined],
  ["was refused twice", no(2), "unsearchable"],
  ["not longer than the longest pause", no(2, 2 * MINUTE), undefined],
  ["a used up quota stops at once", used(60 * MINUTE), "unsearchable"],
  ["it is waited for within search-timeout", used(9 * MINUTE, {}, 2), undefined],
  ["the service's clock is an hour ahead", used(65 * MINUTE, { aheadMs: 60 * MINUTE }), undefined],
  ["it should be full by now: a refusal like others", used(-1), undefined],
  ["said twice", used(-1, {}, 2), "unsearchable"],
]);

const stuck = [booting(1, { ending: anEnding("unneeded"), fault: FAULT })];
const twins = (machine: StoredMachine) => [
  { ...machine, instances: [...machine.instances, { id: 801, createdAt: NOW, foundAt: NOW, fault: FAULT }] },
];

stops("while a machine can't be destroyed", [
  ["nothing is rented", {}, "undestroyed", stuck],
  ["whatever else is wrong", { unservedSince: 0 }, "undestroyed", stuck],
  ["not where it stays, as a job may be on it", {}, undefined, twins(busy(1))],
  ["but once they end", {}, "undestroyed", twins(busy(1, { ending: anEnding("over") }))],
]);

type Cause = "machine" | "image" | "login" | "platform" | "driver" | "unfit-image" | "preparing";
const by = (...causes: Cause[]) =>
  causes.map((cause, index) => booting(index + 1, { ending: anEnding("failed", { cause }), goneAt: NOW }));

stops("what a second machine says, too, is no machine's fault", [
  ["an image that can't be pulled", {}, "image", by("image", "image")],
  ["one host's word is not enough", {}, undefined, by("image", "machine")],
  ["a driver that is too old is one host's: renting goes on", {}, undefined, by("driver", "driver")],
  ["an image that lacks what the runner needs", {}, "unfit-image", by("unfit-image", "unfit-image")],
  ["one host's word is not enough", {}, undefined, by("unfit-image", "preparing", "image")],
]);

// An image that its registry did not have when main began: another job of the run may build it.

const ASKS = { asksImage: true };

const waits = (given: Partial<FleetState> = {}) => aFleet([], { jobs: gpuJobs({ waiting: 1 }), ...given });

/** The same, and the registry said this, so long ago. */
function answered(missing: string | undefined, ago: number, fleet = waits()): FleetState {
  reduce(fleet, { kind: "ImageLookedUp", missing, askedAt: NOW - ago, at: NOW - ago });
  return fleet;
}

const stop = (fleet: FleetState) => stopOf(someFacts(fleet, ASKS));

const missingFor = (seconds: number) => answered("NAME_UNKNOWN", seconds * SECOND);
const turnedUp = () => answered(undefined, 5 * SECOND, missingFor(20));

decides("an image that was not there at the start", [
  ["is asked for when a job waits, and nothing is rented before the answer", waits(), ["look-up-image"], ASKS],
  ["not before", aFleet([], { jobs: gpuJobs({}) }), [], ASKS],
  ["not where it was there", waits(), ["create 51"]],
  ["is there now, or nobody can say: rented for, and not asked for again", answered(undefined, 0), ["create 51"], ASKS],
  ["is missing: not asked for again within 15 s", missingFor(13), [], ASKS],
  ["then it is", missingFor(15), ["look-up-image"], ASKS],
  ["turned up meanwhile: rented for", turnedUp(), ["create 51"], ASKS],
]);

test("an image that is missing still 15 s later stops the renting; one that turned up meanwhile begins anew", () => {
  expect(decideNow(waits(), ASKS).waitsFor).toBe("image");
  expect(commands(decided(waits(), ASKS), ASKS)).toEqual([]);
  const once = missingFor(15);
  expect(stop(once)).toBeUndefined();
  expect(stop(answered("NAME_UNKNOWN", 2 * SECOND, once))).toBeUndefined();
  expect(stop(answered("NAME_UNKNOWN", 0, once))).toEqual({ id: "no-image", detail: "NAME_UNKNOWN" });
  expect(stop(answered("NAME_UNKNOWN", 0, turnedUp()))).toBeUndefined();
});
