import { beforeEach, describe, expect, test } from "vitest";
import type { FleetEvent } from "../../../src/fleet/events.ts";
import { Observer } from "../../../src/fleet/observe.ts";
import { reduce } from "../../../src/fleet/reduce.ts";
import type { FleetState } from "../../../src/fleet/state.ts";
import { NoAnswerError } from "../../../src/marketplace/errors.ts";
import { UserError } from "../../../src/shared/user-error.ts";
import { aFleet, booting, busy, gpuJob, gpuJobs, NOW, ready } from "../support/a-fleet.ts";
import { aJob, completedJob, OWN_JOB, runningJob, waitingJob } from "../support/a-job.ts";
import { PREFIX, RentingWorld } from "../support/renting-world.ts";

const ALL = { runners: 0, jobs: 0, instances: 0 };
const never = Number.POSITIVE_INFINITY;

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
  expect((await seen(aFleet([ready(1)]), { ...ALL, runners: never, jobs: never })).kinds).toEqual(["InstancesListed"]);
});

test("an event says when it was asked for, and when the answer came", async () => {
  world.service.next("list", async () => {
    await world.clock.sleep(3000);
    return [];
  });
  const { of } = await seen(aFleet(), { ...ALL, jobs: never, runners: never });
  const { askedAt = 0, at = 0 } = of("InstancesListed") ?? {};
  expect([askedAt - world.clock.start, at - askedAt]).toEqual([0, 3000]);
});

describe("the service's list", () => {
  const instances = { runners: never, jobs: never, instances: 0 };

  test("our own fields of our own instances, and nothing else of the service's", async () => {
    const extra = { state: "running", status: "running", usdPerHour: 0.5, ssh: { proxy: { host: "ssh1", port: 22 } } };
    put(701, extra);
    const { of } = await seen(aFleet([booting(1)]), instances);
    expect(of("InstancesListed")?.instances).toEqual([
      {
        id: 701,
        machineNo: 1,
        verdict: { kind: "running", status: "running" },
        isSilent: false,
        address: { proxy: { host: "ssh1", port: 22 } },
        startedAt: undefined,
        traffic: undefined,
        usdPerHour: 0.5,
        older: 0,
      },
    ]);
  });

  test.each([[-3000], [undefined]])("how far the service's clock is ahead goes with it: %s", async (aheadMs) => {
    world.service.aheadMs = aheadMs;
    expect((await seen(aFleet(), instances)).of("InstancesListed")?.aheadMs).toBe(aheadMs);
  });

  test("no heartbeat is noted as silence", async () => {
    put(701, { state: "silent" });
    const { of } = await seen(aFleet([ready(1)]), instances);
    expect(of("InstancesListed")?.instances).toMatchObject([{ isSilent: true }]);
  });

  test("a machine's secrets are taken out of what it failed with", async () => {
    put(701, { message: "no space left on device: hunter2" });
    const { of } = await seen(aFleet([booting(1)]), instances, (_n, text) => text.replace("hunter2", "[SECRET]"));
    expect(of("InstancesListed")?.instances[0]?.verdict).toMatchObject({ why: expect.stringContaining("[SECRET]") });
  });

  test("one that is known by its label alone is of the create that the label names", async () => {
    put(701);
    expect((await seen(aFleet(), instances)).of("InstancesListed")?.instances).toMatchObject([{ machineNo: 1 }]);
  });

  test.each([`${PREFIX}g.1.99`, "ghr1.1.2-1.abcdeg.1.99", "mine", undefined])("not ours: %s", async (label) => {
    put(701, { label });
    expect((await seen(aFleet(), instances)).of("InstancesListed")?.instances).toEqual([]);
  });

  test("that can't be read is no event, and is logged once", async () => {
    world.service.always("list", new NoAnswerError("list instances", new Error("socket hang up")));
    expect((await seen(aFleet([ready(1)]), instances)).kinds).toEqual([]);
    expect(world.log.lines).toEqual([expect.stringMatching(/^The service gave no usable answer; asking again\./)]);
  });
});

describe("one that the list lacks is asked for by its id", () => {
  const instances = { runners: never, jobs: never, instances: 0 };
  const listed = async (fleet: FleetState) => (await seen(fleet, instances)).of("InstancesListed");

  test("there: it is shown, as if it were listed", async () => {
    put(701);
    world.service.next("list", []);
    expect(await listed(aFleet([busy(1)]))).toMatchObject({ instances: [{ id: 701 }], gone: [], repositoryAlive: 1 });
  });

  test("each is shown with the number of the repository's machines that are older", async () => {
    for (const id of [700, 701, 702]) put(id);
    const list = await listed(aFleet([busy(1)]));
    expect(list?.instances.map(({ id, older }) => [id, older])).toEqual([
      [700, 0],
      [701, 1],
      [702, 2],
    ]);
  });

  test("gone, by the service's own word", async () => {
    expect(await listed(aFleet([busy(1)]))).toMatchObject({ instances: [], gone: [701] });
  });

  test("no answer: neither", async () => {
    world.service.always("get", new NoAnswerError("get one instance", new Error("socket hang up")));
    expect(await listed(aFleet([busy(1)]))).toMatchObject({ instances: [], gone: [] });
  });

  test("not one that is gone already, or that no id is known of", async () => {
    await listed(aFleet([busy(1, { goneAt: NOW })]));
    expect(world.service.of("get")).toEqual([]);
  });
});

describe("the jobs", () => {
  const jobs = { runners: never, jobs: 0, instances: never };
  const known = aFleet([busy(1)], { jobs: gpuJobs({}, { ours: [gpuJob(2, "running")] }) });

  test("one that is in no list any more is asked for by its id", async () => {
    world.deps.listJobs = async () => [OWN_JOB, aJob()];
    world.jobs = [completedJob("success")];
    expect((await seen(known, jobs)).of("JobsListed")?.jobs.ours).toMatchObject([{ id: 2, state: "over" }]);
  });

  test("one that GitHub does not have any more is in no list, and that is noted", async () => {
    world.deps.listJobs = async () => [OWN_JOB, aJob()];
    world.jobs = [];
    expect((await seen(known, jobs)).of("JobsListed")?.jobs.ours).toEqual([]);
  });

  test("one that can't be asked about makes the list unreadable", async () => {
    world.deps.listJobs = async () => [OWN_JOB, aJob()];
    world.jobs = undefined;
    expect((await seen(known, jobs)).kinds).toEqual(["JobsUnreadable"]);
  });

  test.each(["waiting", "held", "over"] as const)(
    "the same of one that was %s: none vanishes from a list",
    async (state) => {
      const before = aFleet([], { jobs: gpuJobs({}, { ours: [gpuJob(2, state)] }) });
      world.deps.listJobs = async () => [OWN_JOB, aJob()];
      world.jobs = [runningJob()];
      expect((await seen(before, jobs)).of("JobsListed")?.jobs.ours).toMatchObject([{ id: 2, state: "running" }]);
      world.jobs = [];
      expect((await seen(before, jobs)).of("JobsListed")?.jobs.ours).toEqual([]);
    },
  );

  test("a token that may not read them is main's end only before anything is rented", async () => {
    world.deps.listJobs = async () => {
      throw new UserError("job-token may not");
    };
    const unread = { jobs: undefined };
    await expect(seen(aFleet([], unread), jobs)).rejects.toThrow("job-token may not");
    expect((await seen(aFleet([ready(1)], unread), jobs)).kinds).toEqual(["JobsUnreadable"]);
  });

  test("GitHub can't be asked: unreadable", async () => {
    world.jobs = undefined;
    expect((await seen(known, jobs)).kinds).toEqual(["JobsUnreadable"]);
  });
});

test("the jobs are asked for at once when a runner changed, whatever their own pace", async () => {
  world.jobs = [waitingJob()];
  const fleet = aFleet([ready(1)]);
  const looked: string[] = [];
  const observer = new Observer(world.deps, world.request(), (_n, text) => text, undefined);
  const look = () =>
    observer.look(fleet, { runners: 0, jobs: 1e9, instances: never }, (event) => {
      looked.push(event.kind);
      reduce(fleet, event);
    });
  const looks = async () => {
    await look();
    looked.length = 0;
    await world.clock.sleep(1000);
    await look();
    world.runners.states.set(21, "busy");
    await world.clock.sleep(1000);
    await look();
  };
  world.runners.states.set(21, "online");
  await world.clock.run(looks());
  expect(looked).toEqual(["RunnersListed", "RunnersListed", "JobsListed"]);
});
