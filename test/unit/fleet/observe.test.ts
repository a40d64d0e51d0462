import { beforeEach, describe, expect, test } from "vitest";
import type { FleetEvent } from "../../../src/fleet/events.ts";
import { Observer } from "../../../src/fleet/observe.ts";
import { reduce } from "../../../src/fleet/reduce.ts";
import type { FleetState, StoredMachine } from "../../../src/fleet/state.ts";
import type { GpuJob, Job } from "../../../src/github/jobs.ts";
import type { RunnerState } from "../../../src/github/runners.ts";
import { UserError } from "../../../src/shared/user-error.ts";
import { aFleet, booting, busy, gpuJob, gpuJobs, NOW, ready } from "../support/a-fleet.ts";
import { aJob, completedJob, OWN_JOB, runningJob, waitingJob } from "../support/a-job.ts";
import { PREFIX, RentingWorld } from "../support/renting-world.ts";
import { FAULTS } from "../support/service-faults.ts";

const ALL = { runners: 0, jobs: 0, instances: 0 };
const never = Number.POSITIVE_INFINITY;
const INSTANCES = { runners: never, jobs: never, instances: 0 };
const JOBS = { runners: never, jobs: 0, instances: never };

let world: RentingWorld;

beforeEach(() => {
  world = new RentingWorld();
});

/** What one look brings, by kind. */
async function seen(fleet: FleetState, pace = ALL, hide = (_n: number, text: string) => text) {
  const events: FleetEvent[] = [];
  const observer = new Observer(world.deps, world.request(), hide, undefined);
  await world.clock.run(observer.look(fleet, pace, (event) => void events.push(event)));
  const of = <Kind extends FleetEvent["kind"]>(kind: Kind) =>
    events.find((event): event is Extract<FleetEvent, { kind: Kind }> => event.kind === kind);
  return { kinds: events.map(({ kind }) => kind), of };
}

const put = (id: number, given: object = {}) => world.service.put({ id, label: `${PREFIX}.${id - 700}.99`, ...given });

test("each list is asked for when it is due, side by side", async () => {
  expect((await seen(aFleet([ready(1)]))).kinds.toSorted()).toEqual(["InstancesListed", "JobsListed", "RunnersListed"]);
  expect((await seen(aFleet([ready(1)]), INSTANCES)).kinds).toEqual(["InstancesListed"]);
});

test("an event says when it was asked for, and when the answer came", async () => {
  world.service.next("list", async () => {
    await world.clock.sleep(3000);
    return [];
  });
  const { of } = await seen(aFleet(), INSTANCES);
  const { askedAt = 0, at = 0 } = of("InstancesListed") ?? {};
  expect([askedAt - world.clock.start, at - askedAt]).toEqual([0, 3000]);
});

describe("the service's list", () => {
  const listed = async (fleet = aFleet()) => (await seen(fleet, INSTANCES)).of("InstancesListed");

  test("our own fields of our own instances, and nothing else of the service's", async () => {
    const ours = { usdPerHour: 0.5, startedAt: undefined, traffic: undefined };
    const proxy = { host: "ssh1", port: 22 };
    put(701, { state: "running", status: "running", ...ours, ssh: { proxy } });
    const verdict = { kind: "running", status: "running" };
    const row = { id: 701, machineNo: 1, verdict, isSilent: false, address: { proxy }, older: 0, ...ours };
    expect((await listed(aFleet([booting(1)])))?.instances).toEqual([row]);
  });

  test.each([[-3000], [undefined]])("how far the service's clock is ahead goes with it: %s", async (aheadMs) => {
    world.service.aheadMs = aheadMs;
    expect((await listed())?.aheadMs).toBe(aheadMs);
  });

  test.each<[string, object, StoredMachine[], object]>([
    ["no heartbeat is noted as silence", { state: "silent" }, [ready(1)], { isSilent: true }],
    ["one that its label alone shows is of the create that this names", {}, [], { machineNo: 1 }],
  ])("%s", async (_what, given, machines, expected) => {
    put(701, given);
    expect((await listed(aFleet(machines)))?.instances).toMatchObject([expected]);
  });

  test("a machine's secrets are taken out of what it failed with", async () => {
    put(701, { message: "no space left on device: hunter2" });
    const { of } = await seen(aFleet([booting(1)]), INSTANCES, (_n, text) => text.replace("hunter2", "[SECRET]"));
    expect(of("InstancesListed")?.instances[0]?.verdict).toMatchObject({ why: expect.stringContaining("[SECRET]") });
  });

  test.each([`${PREFIX}g.1.99`, "ghr1.1.2-1.abcdeg.1.99", "mine", undefined])("not ours: %s", async (label) => {
    put(701, { label });
    expect((await listed())?.instances).toEqual([]);
  });

  test("that can't be read is no event, and is logged once", async () => {
    world.service.always("list", FAULTS.noAnswer);
    expect(await listed(aFleet([ready(1)]))).toBeUndefined();
    expect(world.log.lines).toEqual([expect.stringMatching(/^The service gave no usable answer; asking again\./)]);
  });

  test("each is shown with the number of the repository's machines that are older", async () => {
    for (const id of [700, 701, 702]) put(id);
    expect((await listed(aFleet([busy(1)])))?.instances.map(({ older }) => older)).toEqual([0, 1, 2]);
  });

  test.each<[string, () => void, object]>([
    ["there: as if it were listed", () => put(701), { instances: [{ id: 701 }], gone: [], repositoryAlive: 1 }],
    ["gone, by the service's own word", () => {}, { instances: [], gone: [701] }],
    ["no answer: neither", () => world.service.always("get", FAULTS.noAnswer), { instances: [], gone: [] }],
  ])("one that the list lacks is asked for by its id, %s", async (_what, given, expected) => {
    given();
    world.service.next("list", []);
    expect(await listed(aFleet([busy(1)]))).toMatchObject(expected);
  });

  test("not one that is gone already, or that no id is known of", async () => {
    await listed(aFleet([busy(1, { goneAt: NOW })]));
    expect(world.service.of("get")).toEqual([]);
  });
});

describe("the jobs", () => {
  test.each<[GpuJob["state"], Job[] | undefined, object[] | undefined]>([
    ["running", [completedJob("success")], [{ id: 2, state: "over" }]],
    ["running", [], []],
    ["running", undefined, undefined],
    ["waiting", [runningJob()], [{ id: 2, state: "running" }]],
    ["held", [runningJob()], [{ id: 2, state: "running" }]],
    ["over", [runningJob()], [{ id: 2, state: "running" }]],
    ["over", [], []],
  ])("one that was %s and is in no list any more is asked for by its id: %#", async (state, jobs, ours) => {
    world.deps.listJobs = async () => [OWN_JOB, aJob()];
    world.jobs = jobs;
    const { kinds, of } = await seen(aFleet([], { jobs: gpuJobs({}, { ours: [gpuJob(2, state)] }) }), JOBS);
    expect(kinds).toEqual([ours === undefined ? "JobsUnreadable" : "JobsListed"]);
    if (ours) expect(of("JobsListed")?.jobs.ours).toMatchObject(ours);
  });

  test("a token that may not read them is main's end only before anything is rented", async () => {
    world.deps.listJobs = async () => {
      throw new UserError("job-token may not");
    };
    const unread = { jobs: undefined };
    await expect(seen(aFleet([], unread), JOBS)).rejects.toThrow("job-token may not");
    expect((await seen(aFleet([ready(1)], unread), JOBS)).kinds).toEqual(["JobsUnreadable"]);
  });

  test("GitHub can't be asked: unreadable", async () => {
    world.jobs = undefined;
    expect((await seen(aFleet([busy(1)]), JOBS)).kinds).toEqual(["JobsUnreadable"]);
  });
});

test("the jobs are asked for at once when a runner changed, whatever their own pace", async () => {
  world.jobs = [waitingJob()];
  const fleet = aFleet([ready(1)]);
  const observer = new Observer(world.deps, world.request(), (_n, text) => text, undefined);
  const look = async (state: RunnerState) => {
    const kinds: string[] = [];
    world.runners.states.set(21, state);
    await world.clock.advance(1000);
    await observer.look(fleet, { runners: 0, jobs: 1e9, instances: never }, (event) => {
      kinds.push(event.kind);
      reduce(fleet, event);
    });
    return kinds;
  };
  await look("online");
  expect(await look("online")).toEqual(["RunnersListed"]);
  expect(await look("busy")).toEqual(["RunnersListed", "JobsListed"]);
});
