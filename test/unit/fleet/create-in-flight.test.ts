import { beforeEach, describe, expect, test } from "vitest";
import { reduce } from "../../../src/fleet/reduce.ts";
import { machineFacts } from "../../../src/fleet/stage.ts";
import type { CreateOutcome, FleetState, ListedInstance, StoredMachine } from "../../../src/fleet/state.ts";
import { faultOf, UserError } from "../../../src/shared/user-error.ts";
import { aFleet, aSlot, aSlotJob, gpuJobs, inFlight, NOW, refused, UNCERTAIN } from "../support/a-fleet.ts";
import { waitingJob } from "../support/a-job.ts";
import { commands, decided } from "../support/decide-now.ts";
import { RentingWorld } from "../support/renting-world.ts";
import { aRefusal, FAULTS } from "../support/service-faults.ts";

const SECOND = 1000;
const waiting = gpuJobs({ waiting: 1 });
const MISTAKEN: CreateOutcome = { kind: "mistaken", instanceId: 799 };
const UNREGISTERED: CreateOutcome = { kind: "unregistered", fault: faultOf(new UserError("GitHub says no.")) };

/** A fleet with this create, answered a second ago, and a job that waits. */
function having(outcome: CreateOutcome, given: Parameters<typeof inFlight>[2] = {}): FleetState {
  return aFleet([inFlight(1, outcome, given)], { jobs: waiting });
}

/** Reads a list that was asked for so long after the answer. */
function listed(fleet: FleetState, secondsAfter: number, instances: Partial<ListedInstance>[] = []): FleetState {
  const askedAt = (fleet.machines[0]?.answer?.at ?? 0) + secondsAfter * SECOND;
  const rows = instances.map((given): ListedInstance => {
    const verdict = { kind: "pending", status: "loading" } as const;
    return { id: 701, machineNo: 1, verdict, isSilent: false, address: {}, ...given };
  });
  const at = askedAt + SECOND;
  reduce(fleet, { kind: "InstancesListed", askedAt, at, instances: rows, gone: [], repositoryAlive: rows.length });
  return fleet;
}

const first = ({ machines }: FleetState) => machines[0] as StoredMachine;

describe("a create whose answer does not say what it made", () => {
  test.each([
    ["gave no answer", UNCERTAIN],
    ["was answered with another machine's id", MISTAKEN],
    ["was refused", refused("rejected")],
  ])("that %s: it counts as a machine on its way, and nothing else is created", (_what, outcome) => {
    const fleet = { ...having(outcome), jobs: gpuJobs({ waiting: 3 }) };
    expect(machineFacts(first(fleet)).isAlive).toBe(true);
    expect(commands(fleet, { machines: 4 })).toEqual([]);
  });

  test.each<[string, CreateOutcome]>([
    ["gave no answer", UNCERTAIN],
    ["was answered with another machine's id", MISTAKEN],
    ["came too fast", refused("too-fast")],
  ])("that %s, and that a list shows: it was created", (_what, outcome) => {
    const fleet = decided(listed(having(outcome), 5, [{}]));
    expect(first(fleet)).toMatchObject({ answer: { kind: "created" }, instances: [{ id: 701 }] });
    expect(first(fleet).ending).toBeUndefined();
  });

  test("that was refused, and that a list shows: it is not wanted", () => {
    const fleet = decided(listed(having(refused("rejected")), 5, [{}]));
    expect(first(fleet)).toMatchObject({ answer: { kind: "unwanted", sentence: "no" }, instances: [{ id: 701 }] });
    expect(first(fleet).ending).toMatchObject({ id: "refused-and-made" });
  });

  test.each<[string, CreateOutcome, number, boolean]>([
    ["refused, by a list that was asked for before", refused("rejected"), -0.5, false],
    ["refused, by one that was asked for after", refused("rejected"), 0, true],
    ["without an answer, for 39 s", UNCERTAIN, 39, false],
    ["without an answer, for 40 s", UNCERTAIN, 40, true],
    ["with another machine's id, for 39 s", MISTAKEN, 39, false],
    ["with another machine's id, for 40 s", MISTAKEN, 40, true],
  ])("%s: whether its runners are removed where a list lacks it", (_what, outcome, after, isOver) => {
    const fleet = listed(having(outcome), after);
    expect(commands(fleet)).toEqual(isOver ? ["drain 1"] : []);
  });

  test.each([
    ["was refused", refused("rejected")],
    ["gave no answer", UNCERTAIN],
  ])("that %s, and no list can be read: its runners go after 90 s, and it may turn up", (_what, outcome) => {
    expect(commands(having(outcome, { ago: 89 * SECOND }))).toEqual([]);
    const fleet = having(outcome, { ago: 90 * SECOND });
    expect(commands(fleet)).toEqual(["drain 1"]);
    expect(machineFacts(first(fleet)).mayTurnUp).toBe(true);
  });

  test.each([
    ["lost its offer", refused("offer-gone")],
    ["was never sent", UNREGISTERED],
  ])("that %s made nothing: its runners go at once", (_what, outcome) => {
    expect(commands(having(outcome))).toEqual(["drain 1"]);
  });

  test.each([
    ["online", { runner: "online", onlineAt: NOW }],
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

  test("takes no place any more, as soon as GitHub is asked to remove its runners", () => {
    const fleet = over();
    expect(machineFacts(first(fleet)).isAlive).toBe(false);
    expect(commands(fleet)).toEqual([expect.stringMatching(/^create /)]);
  });

  test.each(["removed", "unknown"] as const)("GitHub's answer is %s: it is not asked again", (answer) => {
    const fleet = over();
    const kept = answer === "unknown" ? { kept: { id: 21, answer } as const } : {};
    const removed = answer === "unknown" ? [] : [21];
    reduce(fleet, { kind: "RunnerRemoved", machineNo: 1, removed, ...kept, askedAt: NOW, at: NOW });
    expect(machineFacts(first(fleet)).isAlive).toBe(false);
    expect(commands(fleet, {}, NOW + 60 * SECOND)).not.toContain("drain 1");
  });

  test("a job is on its runner: it is a machine", () => {
    const fleet = over();
    const kept = { id: 21, answer: "busy" } as const;
    reduce(fleet, { kind: "RunnerRemoved", machineNo: 1, removed: [], kept, askedAt: NOW, at: NOW });
    expect(machineFacts(first(fleet)).isAlive).toBe(true);
    expect(first(listed(fleet, 60, [{}])).answer?.kind).toBe("created");
  });

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

  test.each([
    ["was refused, as a list confirms", aRefusal(400, "disk")],
    ["lost its offer", aRefusal(404, "no_such_ask", "offer-gone")],
  ])("a create that %s made nothing", async (_what, refusal) => {
    world.service.next("create", { kind: "refused", refusal });
    await world.runUntil(100);
    expect(created()).toEqual(["created_1=none"]);
    expect(world.runners.removals).toContain(21);
    expect(world.service.of("create").length).toBeGreaterThan(1);
  });

  test("while no list can be read after a refusal, post looks for what it may have made", async () => {
    world.service.next("create", () => {
      world.service.always("list", FAULTS.noAnswer);
      return { kind: "refused", refusal: aRefusal(400, "disk") };
    });
    await world.runUntil(100);
    expect(created()).toEqual([]);
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
