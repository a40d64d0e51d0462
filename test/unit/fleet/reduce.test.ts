import { describe, expect, test } from "vitest";
import type { FleetEvent } from "../../../src/fleet/events.ts";
import { reduce } from "../../../src/fleet/reduce.ts";
import { failuresOf } from "../../../src/fleet/renting/failures.ts";
import { pausedOf } from "../../../src/fleet/renting/standing.ts";
import { machineFacts } from "../../../src/fleet/stage.ts";
import type { CreateOutcome, FleetState, StoredMachine } from "../../../src/fleet/state.ts";
import { faultOf, UserError } from "../../../src/shared/user-error.ts";
import {
  aCandidate,
  aFleet,
  anEmptyMarket,
  anEnding,
  aSlot,
  asked,
  booting,
  gpuJob,
  gpuJobs,
  NOW,
  nextSlot,
  ready,
  refused,
  spent,
  UNCERTAIN,
  withNext,
} from "../support/a-fleet.ts";
import { commands, decided, decideNow } from "../support/decide-now.ts";

const SECOND = 1000;
const FAULT = faultOf(new UserError("It stays."));
const WAITS = { jobs: gpuJobs({ waiting: 1 }) };

type Of<Kind extends FleetEvent["kind"]> = Extract<FleetEvent, { kind: Kind }>;
const when = (at = NOW) => ({ askedAt: at, at });

function reduced(fleet: FleetState, ...events: FleetEvent[]): FleetState {
  for (const event of events) reduce(fleet, event);
  return fleet;
}

const first = ({ machines }: FleetState) => machines[0] as StoredMachine;

describe("a create", () => {
  const answered = (outcome: CreateOutcome, given: Partial<Of<"CreateAnswered">> = {}): FleetEvent => {
    return { kind: "CreateAnswered", ...when(), machineNo: 1, outcome, jitter: 0, ...given };
  };
  const registered = () => aFleet([asked(1, { slots: [aSlot(1)] })], { repositoryAlive: 0 });

  test("is on its way from the moment that it is decided on, and has its runners as GitHub registered them", () => {
    const fleet = decided(aFleet([], WAITS));
    expect(fleet.machines).toMatchObject([{ machineNo: 1, askedAt: NOW, slots: [], instances: [] }]);
    expect(machineFacts(first(fleet)).stage).toBe("asked");
    const runners = [{ id: 21, name: "gpu-21" }];
    reduced(fleet, { kind: "RunnersRegistered", ...when(), machineNo: 1, runners });
    expect(first(fleet)).toMatchObject({ registeredAt: NOW, slots: [{ runnerId: 21, runnerName: "gpu-21" }] });
  });

  test("carried out: it is booting, and counts for the repository", () => {
    const fleet = reduced(registered(), answered({ kind: "created" }, { sentAt: NOW - 2000, instanceId: 7 }));
    expect(first(fleet)).toMatchObject({
      askedAt: NOW - 2000,
      answer: { kind: "created", at: NOW },
      instances: [{ id: 7, createdAt: NOW, foundAt: NOW }],
    });
    expect([fleet.repositoryAlive, machineFacts(first(fleet)).stage]).toEqual([1, "booting"]);
  });

  test("answered with another machine's id: that one and its job stay, and this one counts as not known", () => {
    const unwanted = answered({ kind: "unwanted", sentence: "you have it" }, { machineNo: 2, instanceId: 701 });
    const fleet = reduced(aFleet([ready(1), asked(2)], WAITS), unwanted);
    const [, second] = fleet.machines as [StoredMachine, StoredMachine];
    expect(second).toMatchObject({ instances: [], answer: { kind: "mistaken", instanceId: 701 } });
    expect([machineFacts(second).isUncertain, pausedOf(fleet, NOW).offers, failuresOf(fleet)]).toEqual([true, [2], []]);
    expect(decideNow(fleet).endings).toEqual([]);
  });

  test.each<[string, CreateOutcome, boolean]>([
    ["gave no answer", UNCERTAIN, true],
    ["was refused", refused("rejected"), true],
    ["was never sent, as GitHub made no runner", { kind: "unregistered", fault: FAULT }, false],
  ])("that %s: what may turn up of it is looked for, or not", (_what, outcome, mayCome) => {
    expect(machineFacts(first(reduced(aFleet([asked(1)]), answered(outcome)))).mayTurnUp).toBe(mayCome);
  });
});

describe("a search", () => {
  const found = (given: Partial<Of<"OffersFound">> = {}): FleetEvent => {
    return { kind: "OffersFound", ...when(), isBid: false, candidates: [], ...given };
  };
  const none = anEmptyMarket().nothing;
  const fault = { kind: "fault", fault: FAULT } as const;
  const offers = [aCandidate(51)];
  const hopeless = (isHopeless?: true) => {
    const explanation = { sentence: "None.", hint: "Widen.", ...(isHopeless && { isHopeless }) };
    return { kind: "none-fits", explanation, requirements: "RTX 4090" } as const;
  };

  test("is under way from the moment that it is decided on, until it is answered", () => {
    const fleet = decided(aFleet([], { ...WAITS, market: undefined }));
    expect(fleet.isSearching).toBe(true);
    expect(reduced(fleet, found({ candidates: offers }))).toMatchObject({
      isSearching: false,
      market: { searchedAt: NOW, candidates: [{ offer: { id: 51 } }], times: 0 },
    });
  });

  test.each<[string, Partial<Of<"OffersFound">>, object]>([
    ["brings nothing: counted", { nothing: none }, { times: 4, refusals: 0 }],
    ["brings something: that ends the count", { candidates: offers }, { times: 0 }],
    ["is the first for bids", { nothing: none, isBid: true }, { times: 1 }],
    ["is refused: counted", { nothing: fault }, { refusals: 2 }],
    ["has no answer", { nothing: { ...fault, fault: { ...FAULT, isPassing: true } } }, { refusals: 0 }],
  ])("that %s", (_what, given, expected) => {
    const fleet = aFleet([], { market: anEmptyMarket({ times: 3, refusals: 1 }) });
    expect(reduced(fleet, found(given)).market).toMatchObject(expected);
  });

  test.each<[string, number | undefined, Of<"OffersFound">["nothing"], number | undefined]>([
    ["says so", undefined, hopeless(true), NOW],
    ["says so again", 5, hopeless(true), 5],
    ["says otherwise", 5, hopeless(), undefined],
    ["brings something", 5, undefined, undefined],
  ])("since when waiting can't help: a search %s", (_what, hopelessSince, nothing, expected) => {
    expect(reduced(aFleet([], { hopelessSince }), found({ nothing })).hopelessSince).toBe(expected);
  });
});

test("the wait of a job begins with the first list that shows it waiting, and ends with the first that does not", () => {
  const listed = (ids: readonly number[], at: number): FleetEvent => {
    const ours = ids.map((id) => gpuJob(id, "waiting"));
    return { kind: "JobsListed", ...when(at), jobs: gpuJobs({}, { ours }) };
  };
  const both = reduced(aFleet(), listed([1], NOW), listed([1, 2], NOW + SECOND));
  expect(both.waitingSince).toEqual({ 1: NOW, 2: NOW + SECOND });
  expect(reduced(both, listed([2], NOW + 2 * SECOND)).waitingSince).toEqual({ 2: NOW + SECOND });
});

describe("runners that are taken away", () => {
  const next = nextSlot(1).runnerId;
  const once = (given: Partial<Of<"RunnerRemoved">>) =>
    reduced(aFleet([withNext(ready(1, { ending: anEnding("unneeded"), isDraining: true }))]), {
      ...{ kind: "RunnerRemoved", ...when(), machineNo: 1, removed: [] },
      ...given,
    });

  test("can take no job any more: the machine is destroyed", () => {
    const fleet = once({ removed: [next, 21] });
    expect(first(fleet).slots).toMatchObject([{ spentAt: NOW }, { spentAt: NOW }]);
    expect(commands(fleet)).toEqual(["destroy 701"]);
  });

  test("a job came to the one that is online: the machine is kept, with that slot alone", () => {
    const machine = first(decided(once({ removed: [next], kept: { id: 21, answer: "busy" } })));
    expect([machine.ending, machineFacts(machine).isBusy]).toEqual([undefined, true]);
    expect(machine.slots.map(({ spentAt }) => spentAt === undefined)).toEqual([true, false]);
  });

  test("GitHub gives no answer: asked again 15 s later, and nothing is destroyed before", () => {
    const fleet = once({ kept: { id: 21, answer: "unknown" } });
    const askAgainAt = NOW + 15 * SECOND;
    expect(first(fleet)).toMatchObject({ isDraining: undefined, unconfirmedDrains: 1, askAgainAt });
    expect(commands(fleet)).toEqual([]);
    expect(commands(fleet, {}, askAgainAt)).toEqual(["drain 1"]);
  });
});

describe("a destruction", () => {
  const done = (given: Partial<Of<"DestroyAnswered">>): FleetEvent => {
    return { kind: "DestroyAnswered", ...when(), machineNo: 1, id: 701, ...given };
  };
  const once = (given: Partial<Of<"DestroyAnswered">>, ending: StoredMachine["ending"] = anEnding("lost")) =>
    reduced(aFleet([booting(1, { ending, isDestroying: true, isAsking: true })]), done(given));

  test.each(["destroyed", "was-gone"] as const)("%s: it is gone, and no more is asked", (how) => {
    const fleet = once({ how });
    expect(first(fleet).instances).toMatchObject([{ goneAt: NOW, goneHow: how, isDestroying: undefined }]);
    expect(commands(fleet)).toEqual([]);
  });

  test("that could not be confirmed is asked for again 15 s later, and nothing is rented before", () => {
    const fleet = once({ fault: FAULT });
    expect(first(fleet).instances).toMatchObject([{ fault: FAULT, isDestroying: true, isAsking: undefined }]);
    expect(decideNow({ ...fleet, ...WAITS })).toMatchObject({ commands: [], stop: { id: "undestroyed" } });
    expect(commands(fleet, {}, NOW + 15 * SECOND)).toEqual(["destroy 701"]);
  });

  test("of a surplus instance that may stay by now: lists that show it count again", () => {
    const surplus = aFleet([booting(1, { isDestroying: true, isAsking: true })]);
    expect(first(reduced(surplus, done({}))).instances[0]?.isDestroying).toBeUndefined();
  });

  test("is about one machine, and one instance of it; of a machine that nobody knows it changes nothing", () => {
    const fleet = () => aFleet([asked(1), spent(2), booting(3)]);
    const gone = [2, 3].map((n) => done({ machineNo: n, id: 700 + n, how: "destroyed" }));
    const { machines } = reduced(fleet(), ...gone);
    expect(machines.map(({ instances }) => instances[0]?.goneAt)).toEqual([undefined, NOW, NOW]);
    expect(reduced(fleet(), done({ machineNo: 9, id: 9, how: "destroyed" }))).toEqual(fleet());
  });
});
