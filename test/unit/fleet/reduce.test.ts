import { beforeEach, describe, expect, test } from "vitest";
import type { FleetEvent } from "../../../src/fleet/events.ts";
import { reduce } from "../../../src/fleet/reduce.ts";
import { failuresOf } from "../../../src/fleet/renting/failures.ts";
import { pausedOf } from "../../../src/fleet/renting/standing.ts";
import { machineFacts } from "../../../src/fleet/stage.ts";
import type { CreateOutcome, FleetState, ListedInstance, StoredMachine } from "../../../src/fleet/state.ts";
import { faultOf, UserError } from "../../../src/shared/user-error.ts";
import { aFleet, anEmptyMarket, gpuJob, gpuJobs, NOW, SECOND } from "../support/a-fleet.ts";
import { waitingJob } from "../support/a-job.ts";
import { aCandidate } from "../support/an-offer.ts";
import { commands, decided, decideNow } from "../support/decide-now.ts";
import { anEnding, aSlot, aSlotJob, nextSlot, refused, UNCERTAIN, withNext } from "../support/machine-parts.ts";
import { asked, booting, inFlight, ready, spent } from "../support/machines.ts";
import { RentingWorld } from "../support/renting-world.ts";
import { aRefusal, FAULTS } from "../support/service-faults.ts";

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
    const instances = [{ id: 7, createdAt: NOW, foundAt: NOW }];
    expect(first(fleet)).toMatchObject({ askedAt: NOW - 2000, answer: { kind: "created", at: NOW }, instances });
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
    const market = { searchedAt: NOW, candidates: offers, times: 0 };
    expect(reduced(fleet, found({ candidates: offers }))).toMatchObject({ isSearching: false, market });
  });

  test.each<[string, Partial<Of<"OffersFound">>, object]>([
    ["is refused: counted", { nothing: fault }, { refusals: 2 }],
    ["is for bids: counted anew", { nothing: none, isBid: true }, { times: 1, refusals: 0 }],
  ])("that %s", (_what, given, expected) => {
    const fleet = aFleet([], { market: anEmptyMarket({ times: 3, refusals: 1 }) });
    expect(reduced(fleet, found(given)).market).toMatchObject(expected);
  });

  test.each<[string, number | undefined, Of<"OffersFound">["nothing"], number | undefined]>([
    ["says so again", 5, hopeless(true), 5],
  ])("since when waiting can't help: a search %s", (_what, hopelessSince, nothing, expected) => {
    expect(reduced(aFleet([], { hopelessSince }), found({ nothing })).hopelessSince).toBe(expected);
  });
});

test("the wait of a job begins with the first list that shows it waiting, and ends with the first that does not", () => {
  const fleet = aFleet();
  const since = (at: number, ...ids: number[]) => {
    const jobs = gpuJobs({}, { ours: ids.map((id) => gpuJob(id, "waiting")) });
    return reduced(fleet, { kind: "JobsListed", ...when(at), jobs }).waitingSince;
  };
  expect([since(5, 1), since(6, 1, 2), since(7, 2)]).toEqual([{ 1: 5 }, { 1: 5, 2: 6 }, { 2: 6 }]);
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
    expect(machine.slots.map(({ spentAt }) => spentAt)).toEqual([undefined, NOW]);
  });

  test("GitHub gives no answer: asked again 15 s later, and nothing is destroyed before", () => {
    const fleet = once({ kept: { id: 21, answer: "unknown" } });
    expect(first(fleet).unconfirmedDrains).toBe(1);
    expect([commands(fleet), commands(fleet, {}, NOW + 15 * SECOND)]).toEqual([[], ["drain 1"]]);
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

  test.each([
    ["that no list has shown for more than 90 s may have run since", 91, "destroyed", {}, NOW - 91 * SECOND],
    ["less", 90, "destroyed", {}, undefined],
    ["that lists lacked soon: not after that", 91, "was-gone", { absentSince: NOW - 60 * SECOND }, undefined],
  ] as const)("for the bill, of one %s (%s s, %s)", (_what, seconds, how, given, billedFrom) => {
    const fleet = aFleet([booting(1, { createdAt: NOW - seconds * SECOND, ...given })]);
    expect(first(reduced(fleet, done({ how }))).instances[0]?.billedFrom).toBe(billedFrom);
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

const MISTAKEN: CreateOutcome = { kind: "mistaken", instanceId: 799 };
const UNREGISTERED: CreateOutcome = { kind: "unregistered", fault: FAULT };

/** A fleet with this create, answered a second ago, and a job that waits. */
function having(outcome: CreateOutcome, given: Parameters<typeof inFlight>[2] = {}): FleetState {
  return aFleet([inFlight(1, outcome, given)], WAITS);
}

/** Reads a list that was asked for so long after the answer. */
function listed(fleet: FleetState, secondsAfter: number, instances: Partial<ListedInstance>[] = []): FleetState {
  const askedAt = (fleet.machines[0]?.answer?.at ?? 0) + secondsAfter * SECOND;
  const verdict = { kind: "pending", status: "loading" } as const;
  const rows = instances.map((given) => ({ id: 701, machineNo: 1, verdict, isSilent: false, address: {}, ...given }));
  const at = askedAt + SECOND;
  reduce(fleet, { kind: "InstancesListed", askedAt, at, instances: rows, gone: [], repositoryAlive: rows.length });
  return fleet;
}

describe("a create whose answer does not say what it made", () => {
  test.each([
    ["gave no answer", UNCERTAIN],
    ["was answered with another machine's id", MISTAKEN],
  ])("that %s: it counts as a machine on its way, and nothing else is created", (_what, outcome) => {
    const fleet = { ...having(outcome), jobs: gpuJobs({ waiting: 3 }) };
    expect(machineFacts(first(fleet)).isAlive).toBe(true);
    expect(commands(fleet, { machines: 4 })).toEqual([]);
  });

  test.each<[string, CreateOutcome, object, string?]>([
    ["gave no answer", UNCERTAIN, { kind: "created" }],
    ["was answered with another machine's id", MISTAKEN, { kind: "created" }],
    ["was refused", refused("rejected"), { kind: "unwanted", sentence: "no" }, "refused-and-made"],
  ])("that %s, and that a list shows: it was created, or is not wanted", (_what, outcome, answer, ending) => {
    const fleet = decided(listed(having(outcome), 5, [{}]));
    expect(first(fleet)).toMatchObject({ answer, instances: [{ id: 701 }] });
    expect(first(fleet).ending?.id).toBe(ending);
  });

  test.each<[string, CreateOutcome, number, boolean]>([
    ["refused, by a list that was asked for before", refused("rejected"), -0.5, false],
    ["refused, by one that was asked for after", refused("rejected"), 0, true],
    ["without an answer, for 39 s", UNCERTAIN, 39, false],
    ["without an answer, for 40 s", UNCERTAIN, 40, true],
  ])("%s: whether its runners are removed where a list lacks it", (_what, outcome, after, isOver) => {
    const fleet = listed(having(outcome), after);
    expect(commands(fleet)).toEqual(isOver ? ["drain 1"] : []);
  });

  test.each<[string, CreateOutcome, number]>([
    ["was refused", refused("rejected"), 90],
    ["gave no answer", UNCERTAIN, 90],
  ])("that %s, and no list can be read: its runners are removed after a while, or at once", (_what, outcome, after) => {
    const fleet = (seconds: number) => having(outcome, { ago: seconds * SECOND });
    expect([commands(fleet(after - 1)), commands(fleet(after))]).toEqual([after > 0 ? [] : ["drain 1"], ["drain 1"]]);
  });

  test("may turn up even then, if it was sent", () => {
    const mayTurnUp = (outcome: CreateOutcome) => machineFacts(first(having(outcome, { ago: 90 * SECOND }))).mayTurnUp;
    expect([UNCERTAIN, refused("rejected"), UNREGISTERED].map(mayTurnUp)).toEqual([true, true, false]);
  });

  test.each([
    ["busy", { runner: "busy", onlineAt: NOW, busySince: NOW }],
    ["at a job", { job: aSlotJob(1) }],
  ] as const)("its runner is %s, so that it was made: it stays, and others may be created", (_what, slot) => {
    const fleet = having(UNCERTAIN, { ago: 90 * SECOND, slots: [aSlot(1, slot)] });
    fleet.jobs = gpuJobs({ waiting: 2 });
    expect(commands(listed(fleet, 89), { machines: 4 })).toEqual([expect.stringMatching(/^create /)]);
    expect(first(listed(fleet, 95, [{}])).answer?.kind).toBe("created");
  });
});

describe("a create that counts as not carried out", () => {
  const over = () => decided(listed(having(UNCERTAIN), 40));

  const answered = (given: Partial<Of<"RunnerRemoved">>) =>
    reduced(over(), { kind: "RunnerRemoved", ...when(), machineNo: 1, removed: [], ...given });

  test.each<Partial<Of<"RunnerRemoved">>>([{ removed: [21] }, { kept: { id: 21, answer: "unknown" } }])(
    "GitHub's answer is %j: it is not asked again",
    (answer) => {
      const fleet = answered(answer);
      expect(machineFacts(first(fleet)).isAlive).toBe(false);
      expect(commands(fleet, {}, NOW + 60 * SECOND)).not.toContain("drain 1");
    },
  );

  test("what turns up of it is not needed", () => {
    const fleet = decided(listed(over(), 60, [{}]));
    expect(first(fleet).ending).toMatchObject({ id: "turned-up-late" });
  });
});

describe("the notes for post", () => {
  let world: RentingWorld;

  beforeEach(() => {
    world = new RentingWorld();
    world.jobs = [waitingJob()];
  });

  const created = () => world.written.filter((line) => line.startsWith("created_1="));

  test("a create that was refused, as a list confirms, made nothing", async () => {
    world.service.next("create", { kind: "refused", refusal: aRefusal(400, "disk") });
    await world.runUntil(100);
    expect(created()).toEqual(["created_1=none"]);
    expect(world.runners.removals).toContain(21);
    expect(world.service.of("create").length).toBeGreaterThan(1);
  });

  test.each([
    ["found", 20],
    ["not found", 1000],
  ])("after no answer post looks, too: lists may lack a second one. The first is %s", async (_what, seconds) => {
    world.service.next("create", FAULTS.noAnswer);
    world.at(seconds, () => void world.service.rent(world.service.orders[0]));
    await world.runUntil(100);
    expect(created()).toEqual([]);
    expect(world.service.of("create")).toHaveLength(seconds < 40 ? 1 : 2);
    expect(world.runners.removals.includes(21)).toBe(seconds >= 40);
  });

  test("a cancel in that time ends main at once", async () => {
    world.service.next("create", FAULTS.noAnswer);
    await world.runUntil(30);
    expect(world.clock.elapsed).toBe(30_000);
    expect(world.runners.removals).toEqual([]);
  });
});
