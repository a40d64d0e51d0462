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
import { decided, decideNow } from "../support/decide-now.ts";

const SECOND = 1000;
const FAULT = faultOf(new UserError("It stays."));

type Of<Kind extends FleetEvent["kind"]> = Extract<FleetEvent, { kind: Kind }>;
const when = (at = NOW) => ({ askedAt: at, at });

function reduced(fleet: FleetState, event: FleetEvent): FleetState {
  reduce(fleet, event);
  return fleet;
}

function answered(outcome: CreateOutcome, given: Partial<Of<"CreateAnswered">> = {}): Of<"CreateAnswered"> {
  return { kind: "CreateAnswered", ...when(), machineNo: 1, outcome, jitter: 0, ...given };
}

describe("a create", () => {
  test("is on its way from the moment that it is decided on", () => {
    const fleet = decided(aFleet([], { jobs: gpuJobs({ waiting: 1 }) }));
    expect(fleet.machines).toMatchObject([{ machineNo: 1, askedAt: NOW, slots: [], instances: [] }]);
    expect(machineFacts(fleet.machines[0] as StoredMachine).stage).toBe("asked");
  });

  test("has its runners as soon as GitHub registered them", () => {
    const runners = [{ id: 21, name: "gpu-21" }];
    const fleet = reduced(aFleet([asked(1)]), { kind: "RunnersRegistered", ...when(), machineNo: 1, runners });
    expect(fleet.machines[0]).toMatchObject({ registeredAt: NOW, slots: [{ runnerId: 21, runnerName: "gpu-21" }] });
  });

  test("carried out: it is booting, and counts for the repository", () => {
    const sent = { sentAt: NOW - 2000, instanceId: 7 };
    const made = asked(1, { slots: [aSlot(1)] });
    const fleet = reduced(aFleet([made], { repositoryAlive: 0 }), answered({ kind: "created" }, sent));
    expect(fleet.machines[0]).toMatchObject({
      askedAt: NOW - 2000,
      answer: { kind: "created", at: NOW },
      instances: [{ id: 7, createdAt: NOW, foundAt: NOW }],
    });
    expect(fleet.repositoryAlive).toBe(1);
    expect(machineFacts(fleet.machines[0] as StoredMachine).stage).toBe("booting");
  });

  test("refused, and made all the same: failed at once, and excluded", () => {
    const unwanted = { kind: "unwanted", sentence: "disk is too small" } as const;
    const fleet = decided(reduced(aFleet([asked(1, { slots: [aSlot(1)] })]), answered(unwanted, { instanceId: 7 })));
    expect(fleet.machines[0]?.ending).toMatchObject({ kind: "failed", why: "disk is too small", cause: "refused" });
    expect(failuresOf(fleet)).toHaveLength(1);
    expect(pausedOf(fleet, NOW)).toEqual({ hosts: [100], offers: [1], taken: [] });
  });

  test("answered with another machine's id: that one and its job stay, and this one counts as not known", () => {
    const fleet = aFleet([ready(1), asked(2)]);
    reduced(fleet, answered({ kind: "unwanted", sentence: "you have it" }, { machineNo: 2, instanceId: 701 }));
    const [, second] = fleet.machines as [StoredMachine, StoredMachine];
    expect(second).toMatchObject({ instances: [], answer: { kind: "mistaken", instanceId: 701 } });
    expect([machineFacts(second).isUncertain, pausedOf(fleet, NOW).offers, failuresOf(fleet)]).toEqual([true, [2], []]);
    expect(decideNow({ ...fleet, jobs: gpuJobs({ waiting: 1 }) }).endings).toEqual([]);
  });

  test.each<[string, CreateOutcome, boolean]>([
    ["gave no answer", UNCERTAIN, true],
    ["was refused", refused("rejected"), true],
    ["was never sent, as GitHub made no runner", { kind: "unregistered", fault: FAULT }, false],
  ])("that %s: what may turn up of it is looked for, or not", (_what, outcome, mayCome) => {
    const [machine] = reduced(aFleet([asked(1)]), answered(outcome)).machines as [StoredMachine];
    expect(machineFacts(machine).mayTurnUp).toBe(mayCome);
  });
});

describe("a search", () => {
  const found = (given: Partial<Of<"OffersFound">> = {}): FleetEvent => {
    return { kind: "OffersFound", ...when(), isBid: false, candidates: [], ...given };
  };
  const none = anEmptyMarket().nothing;
  const fault = { kind: "fault", fault: FAULT } as const;

  test("is under way from the moment that it is decided on, until it is answered", () => {
    const fleet = decided(aFleet([], { jobs: gpuJobs({ waiting: 1 }), market: undefined }));
    expect(fleet.isSearching).toBe(true);
    expect(reduced(fleet, found({ candidates: [aCandidate(51)] }))).toMatchObject({
      isSearching: false,
      market: { searchedAt: NOW, candidates: [{ offer: { id: 51 } }], times: 0 },
    });
  });

  test("that brings nothing is counted, and one that brings something ends the count", () => {
    const before = { market: anEmptyMarket({ times: 3 }) };
    expect(reduced(aFleet([], before), found({ nothing: none })).market?.times).toBe(4);
    expect(reduced(aFleet([], before), found({ candidates: [aCandidate(51)] })).market?.times).toBe(0);
    expect(reduced(aFleet([], before), found({ nothing: none, isBid: true })).market?.times).toBe(1);
  });

  test("since when waiting can't help: until a search shows otherwise", () => {
    const nothing = (isHopeless?: true) => {
      const none = { sentence: "None.", hint: "Widen.", ...(isHopeless && { isHopeless }) };
      return { kind: "none-fits", explanation: none, requirements: "RTX 4090" } as const;
    };
    const since = (hopelessSince: number | undefined, of: ReturnType<typeof nothing> | undefined) =>
      reduced(aFleet([], { hopelessSince }), found({ nothing: of })).hopelessSince;
    expect(since(undefined, nothing(true))).toBe(NOW);
    expect(since(5, nothing(true))).toBe(5);
    expect(since(5, nothing())).toBeUndefined();
    expect(since(5, undefined)).toBeUndefined();
  });

  test("that is refused is counted; one without an answer is not", () => {
    const refusals = (nothing: Of<"OffersFound">["nothing"], before = 1) =>
      reduced(aFleet([], { market: anEmptyMarket({ refusals: before }) }), found({ nothing })).market?.refusals;
    expect(refusals(fault)).toBe(2);
    expect(refusals({ ...fault, fault: { ...FAULT, isPassing: true } })).toBe(0);
    expect(refusals(none)).toBe(0);
  });
});

test("the wait of a job begins with the first list that shows it waiting, and ends with the first that does not", () => {
  const listed = (ids: readonly number[], at: number): FleetEvent => {
    const ours = ids.map((id) => gpuJob(id, "waiting"));
    return { kind: "JobsListed", ...when(at), jobs: gpuJobs({}, { ours }) };
  };
  const both = reduced(reduced(aFleet(), listed([1], NOW)), listed([1, 2], NOW + SECOND));
  expect(both.waitingSince).toEqual({ 1: NOW, 2: NOW + SECOND });
  expect(reduced(both, listed([2], NOW + 2 * SECOND)).waitingSince).toEqual({ 2: NOW + SECOND });
});

describe("runners that are taken away", () => {
  const draining = () => aFleet([withNext(ready(1, { ending: anEnding("unneeded"), isDraining: true }))]);
  const removed = (given: Partial<Of<"RunnerRemoved">>): FleetEvent => {
    return { kind: "RunnerRemoved", ...when(), machineNo: 1, removed: [], ...given };
  };

  test("can take no job any more: the machine is destroyed", () => {
    const fleet = reduced(draining(), removed({ removed: [nextSlot(1).runnerId, 21] }));
    expect(fleet.machines[0]?.slots).toMatchObject([{ spentAt: NOW }, { spentAt: NOW }]);
    expect(decideNow(fleet).commands).toMatchObject([{ kind: "destroy", id: 701 }]);
  });

  test("a job came to the one that is online: the machine is kept, with that slot alone", () => {
    const fleet = decided(
      reduced(draining(), removed({ removed: [nextSlot(1).runnerId], kept: { id: 21, answer: "busy" } })),
    );
    const [machine] = fleet.machines as [StoredMachine];
    expect([machine.ending, machineFacts(machine).isBusy]).toEqual([undefined, true]);
    expect(machine.slots.map(({ spentAt }) => spentAt === undefined)).toEqual([true, false]);
  });

  test("GitHub gives no answer: asked again 15 s later, and nothing is destroyed before", () => {
    const fleet = reduced(draining(), removed({ kept: { id: 21, answer: "unknown" } }));
    expect(fleet.machines[0]).toMatchObject({
      isDraining: undefined,
      unconfirmedDrains: 1,
      askAgainAt: NOW + 15 * SECOND,
    });
    expect(decideNow(fleet).commands).toEqual([]);
    expect(decideNow(fleet, {}, NOW + 15 * SECOND).commands).toMatchObject([{ kind: "drain" }]);
  });
});

describe("a destruction", () => {
  const destroying = () => aFleet([booting(1, { ending: anEnding("lost"), isDestroying: true, isAsking: true })]);
  const done = (given: Partial<Of<"DestroyAnswered">>): FleetEvent => {
    return { kind: "DestroyAnswered", ...when(), machineNo: 1, id: 701, ...given };
  };

  test.each(["destroyed", "was-gone"] as const)("%s: it is gone, and no more is asked", (how) => {
    const fleet = reduced(destroying(), done({ how }));
    expect(fleet.machines[0]?.instances).toMatchObject([{ goneAt: NOW, goneHow: how, isDestroying: undefined }]);
    expect(decideNow(fleet).commands).toEqual([]);
  });

  test("that could not be confirmed is asked for again 15 s later, and nothing is rented before", () => {
    const fleet = reduced(destroying(), done({ fault: FAULT }));
    expect(fleet.machines[0]?.instances).toMatchObject([{ fault: FAULT, isDestroying: true, isAsking: undefined }]);
    expect(decideNow({ ...fleet, jobs: gpuJobs({ waiting: 1 }) })).toMatchObject({
      commands: [],
      stop: { id: "undestroyed" },
    });
    expect(decideNow(fleet, {}, NOW + 15 * SECOND).commands).toMatchObject([{ kind: "destroy", id: 701 }]);
  });

  test("of a surplus instance that may stay by now: lists that show it count again", () => {
    const surplus = aFleet([booting(1, { isDestroying: true, isAsking: true })]);
    expect(reduced(surplus, done({})).machines[0]?.instances[0]?.isDestroying).toBeUndefined();
  });
});

describe("an answer", () => {
  const fleet = () => aFleet([asked(1), spent(2), booting(3)]);

  test("is about one machine, and one instance of it", () => {
    const gone = (n: number): FleetEvent => {
      return { kind: "DestroyAnswered", ...when(), machineNo: n, id: 700 + n, how: "destroyed" };
    };
    const both = reduced(reduced(fleet(), gone(2)), gone(3));
    expect(both.machines.map(({ instances }) => instances[0]?.goneAt)).toEqual([undefined, NOW, NOW]);
  });

  test("about a machine that nobody knows changes nothing", () => {
    const strange: FleetEvent = { kind: "DestroyAnswered", ...when(), machineNo: 9, id: 9, how: "destroyed" };
    expect(reduced(fleet(), strange)).toEqual(fleet());
  });
});
