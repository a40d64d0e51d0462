import { beforeEach, describe, expect, test } from "vitest";
import type { FleetEvent } from "../../../src/fleet/events.ts";
import { Observer } from "../../../src/fleet/observe.ts";
import { reduce } from "../../../src/fleet/reduce.ts";
import type { FleetState } from "../../../src/fleet/state.ts";
import type { GpuJob, Job } from "../../../src/github/jobs.ts";
import type { RunnerState } from "../../../src/github/runners.ts";
import { UserError } from "../../../src/shared/user-error.ts";
import { aFleet, gpuJob, gpuJobs, NOW } from "../support/a-fleet.ts";
import { aJob, completedJob, OWN_JOB, runningJob, waitingJob } from "../support/a-job.ts";
import { booting, busy, ready } from "../support/machines.ts";
import { PREFIX, RentingWorld } from "../support/renting-world.ts";
import { FAULTS } from "../support/service-faults.ts";

let world: RentingWorld;

beforeEach(() => {
  world = new RentingWorld();
  world.jobs = [waitingJob()];
});

/** Seconds since the start at which the service was called so. */
const calls = (operation: Parameters<RentingWorld["service"]["of"]>[0]) =>
  world.service.of(operation).map(({ at }) => at);

/** Its answer comes after so long, and carries the create out. */
const slowly = (milliseconds: number) => async () => {
  await world.clock.sleep(milliseconds);
  return world.service.rent();
};

test("the story: a job waits, a machine is rented, it runs there, the machine gives itself back, and it ends", async () => {
  world.oneJob();
  expect((await world.run()).kind).toBe("over");
  expect(world.service.of("create")).toHaveLength(1);
  const pending = expect.stringMatching(/^pending_1=ghr1\.1\.4711-1\.abcdef\.1\.\d+$/);
  expect(world.written.slice(0, 3)).toEqual(["runner_1=21", pending, "created_1=701"]);
  expect(world.runners.removals).toEqual([]);
  // Its record is written down when it changes, and not else.
  const reports = world.written.filter((line) => line.startsWith("report_1"));
  expect(reports.length).toBeLessThan(12);
  expect([reports[0], reports.at(-1)]).toEqual(["report_1=701: created", "report_1=701: gave itself back"]);
});

test.each([300, 301.5, 303, 304.5])("main ends within 10 s of the last end, at %d s, listed 3 s late", async (over) => {
  world.oneJob(over);
  world.at(over, () => {
    world.jobs = [runningJob()];
  });
  world.at(over + 3, () => {
    world.jobs = [completedJob("success")];
  });
  await world.run();
  expect(world.clock.elapsed / 1000 - over).toBeLessThanOrEqual(10);
});

describe("effects run between the looks", () => {
  test("a create that takes long blocks no look: the list is read every 15 s", async () => {
    world.oneJob();
    world.service.next("create", slowly(40_000));
    await world.run();
    expect(calls("list").filter((at) => at > 0 && at < 40).length).toBeGreaterThanOrEqual(2);
  });

  test("the next create leaves as soon as the one before is over", async () => {
    world.jobs = [waitingJob(), waitingJob({ id: 3, name: "test 2" })];
    world.service.next("create", slowly(4000), slowly(4000));
    await world.runUntil(100, { machines: 2 });
    expect(calls("create")).toEqual([0, 4]);
  });
});

describe("the end", () => {
  test("a cancel lets a create that is under way answer, and writes down what came of it", async () => {
    world.service.next("create", slowly(3000));
    await world.runUntil(1);
    expect(world.written).toContain("created_1=701");
  });

  test("a cancel in the middle of a look: what that look had shown by then is written down", async () => {
    world.becomesReady(701, 30, 21);
    const { listJobs } = world.deps;
    world.deps.listJobs = async (signal) => {
      if (world.clock.elapsed >= 30_000) await world.clock.sleep(60_000, signal);
      return await listJobs(signal);
    };
    await world.runUntil(50);
    expect(world.written.at(-1)).toBe("report_1=701: ready");
  });

  test("a fault that no act may survive ends the loop with it", async () => {
    world.service.next("create", new TypeError("a bug of ours"));
    await expect(world.run()).rejects.toThrow("a bug of ours");
  });

  test.each([
    ["something else: logged", () => new TypeError("a bug of ours"), [expect.stringContaining("a bug of ours")]],
    ["the end itself: no news", () => world.cancel.signal.reason, []],
  ])("an effect that fails once the loop has ended, by %s", async (_what, fault, warnings) => {
    world.service.next("search", async () => {
      await world.clock.sleep(60_000);
      throw fault();
    });
    await world.runUntil(30);
    expect(world.log.warnings).toEqual(warnings);
  });
});

test.each([
  ["four times a minute, as it may have asked us to come later", undefined, 4],
  ["once a minute where it refuses the token: more would lock its owner out", 1, 1],
])("GitHub does not say whether a runner is online: it is asked %s", async (_how, refusedSince, most) => {
  world.at(20, () => {
    world.service.shows(701, { state: "running" });
    Object.assign(world.runners, { answers: false, refusedSince });
  });
  const looks: number[] = [];
  for (const second of [40, 100]) world.at(second, () => void looks.push(world.runners.looks));
  await world.runUntil(100);
  const [before = 0, after = 0] = looks;
  expect(after - before).toBeLessThanOrEqual(most);
});

const ALL = { runners: 0, jobs: 0, instances: 0 };
const never = Number.POSITIVE_INFINITY;
const INSTANCES = { runners: never, jobs: never, instances: 0 };
const JOBS = { runners: never, jobs: 0, instances: never };

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

test("an event says when it was asked for, and when the answer came", async () => {
  world.service.next("list", () => world.clock.sleep(3000).then(() => []));
  const { start } = world.clock;
  expect((await seen(aFleet(), INSTANCES)).of("InstancesListed")).toMatchObject({ askedAt: start, at: start + 3000 });
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

  test("one that its label alone shows is of the create that this names, and no heartbeat is silence", async () => {
    put(701, { state: "silent" });
    expect((await listed())?.instances).toMatchObject([{ machineNo: 1, isSilent: true }]);
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

  test("one of ours that is destroyed, and that the list still shows, is none of those", async () => {
    for (const id of [701, 702]) put(id);
    const seen = await listed(aFleet([busy(1, { goneAt: NOW })]));
    expect([seen?.repositoryAlive, seen?.instances.map(({ older }) => older)]).toEqual([1, [0, 0]]);
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
});

describe("the jobs", () => {
  test.each<[GpuJob["state"], Job[] | undefined, object[] | undefined]>([
    ["running", [completedJob("success")], [{ id: 2, state: "over" }]],
    ["running", undefined, undefined],
    ["waiting", [runningJob()], [{ id: 2, state: "running" }]],
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
    expect(world.log.warnings).toEqual(["job-token may not"]);
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
