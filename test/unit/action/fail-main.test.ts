import { beforeEach, describe, expect, test } from "vitest";
import { type LeftRented, settleFailure } from "../../../src/action/fail-main.ts";
import type { StoredMachine } from "../../../src/fleet/state.ts";
import { GithubUnavailableError } from "../../../src/github/github-errors.ts";
import type { Job } from "../../../src/github/jobs.ts";
import { LabelInUseError } from "../../../src/github/registrations.ts";
import { failedEnd } from "../../../src/release/ledger.ts";
import { jobsMissed } from "../../../src/runs/own-run.ts";
import { aFleet, NOW } from "../support/a-fleet.ts";
import { completedJob, OWN_JOB, runningJob, waitingJob } from "../support/a-job.ts";
import { aSession } from "../support/a-session.ts";
import type { FakeGithub } from "../support/fake-github.ts";
import { clock, freshWorld, github, service } from "../support/fresh-world.ts";
import { aSlotJob, refused, UNCERTAIN, withSlot } from "../support/machine-parts.ts";
import { asked, busy, inFlight, ready, unmade } from "../support/machines.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { aMarketInstance } from "../support/stand-in-market.ts";

freshWorld();

const PREFIX = "ghr1.1.4711-1.abcdef";
const LABEL = `${PREFIX}.1.1770000000`;

beforeEach(() => {
  github.jobs = [OWN_JOB, waitingJob()];
});

/** Main fails with these machines, while a job of ours waits: the end, and what is left of them. */
async function failing(...machines: StoredMachine[]) {
  // It begins when the machines are as they are given.
  const its = { now: () => NOW + clock.elapsed, sleep: clock.sleep.bind(clock) };
  const session = { ...aSession({ github, clock: its, log: new RecordedLog() }), service };
  const rented: LeftRented = { prefix: PREFIX, fleet: aFleet(machines, { aheadMs: 0 }), isDestroyed: false };
  const failed = { session, rented, ledger: { report() {} }, signal: new AbortController().signal };
  const end = await clock.run(settleFailure(failedEnd(new Error("no offer")), failed));
  return { end, isDestroyed: rented.isDestroyed, seconds: clock.elapsed / 1000, left: [...service.instances.keys()] };
}

test.each<[string, StoredMachine, number]>([
  ["nothing is known yet", asked(1), 40],
  ["no answer came", unmade(1, UNCERTAIN), 40],
  ["only a refusal came, so one list is enough", inFlight(1, refused("too-fast")), 0],
])("main fails, and of a create %s: what turns up is destroyed before its end", async (_what, machine, waits) => {
  if (waits > 0) clock.at(30_000, () => service.put({ ...aMarketInstance({ id: 701 }), label: LABEL }));
  const { seconds, ...end } = await failing(machine);
  expect(end).toEqual({ end: "cancel", isDestroyed: true, left: [] });
  // It is not held until something comes of it: the looks of 40 s, and the second one at the jobs.
  expect(seconds).toBeGreaterThanOrEqual(waits);
  expect(seconds).toBeLessThan(waits === 0 ? 40 : 90);
});

/** Two machines of ours, as the service lists them. */
function putTwo(): void {
  for (const n of [1, 2]) service.put({ ...aMarketInstance({ id: 700 + n }), label: `${PREFIX}.${n}.1770000000` });
}

describe("main fails while a job may run on one of its machines", () => {
  beforeEach(putTwo);

  test.each([
    ["others wait", [waitingJob()], "cancel"],
    ["none waits", [], "leave"],
  ] as const)("a list shows it, whatever its runner (%s): kept until it is over", async (_which, others, end) => {
    const left: number[] = [];
    github.jobs = [OWN_JOB, ...others, runningJob({ id: 9 })];
    clock.at(4 * 60_000, () => left.push(...service.instances.keys()));
    clock.at(5 * 60_000, () => {
      github.jobs = [OWN_JOB, ...others, completedJob("success", { id: 9 })];
    });
    expect(await failing(ready(1), ready(2))).toMatchObject({ end, isDestroyed: true, left: [] });
    expect(left).toEqual([701]);
  });

  test("its runner is busy, and no list shows a job: kept for half an hour, then left to post", async () => {
    github.removeAnswer = "busy";
    expect(await failing(busy(1))).toEqual({ end: "leave", isDestroyed: false, seconds: 1800, left: [701, 702] });
    // It is asked for later each time, as in the loop.
    expect(github.removed).toHaveLength(10);
  });

  test.each<[string, FakeGithub["jobs"], number[]]>([
    ["a list shows it", [OWN_JOB, waitingJob(), runningJob({ id: 9 })], []],
    ["nobody can read jobs", new GithubUnavailableError("read the jobs of this run", "502"), [702]],
  ])("%s: at its deadline it goes all the same, and nothing else unseen", async (_why, jobs, stays) => {
    Object.assign(github, { jobs, removeAnswer: "busy" });
    const before: number[] = [];
    clock.at(120_000, () => before.push(...service.instances.keys()));
    expect((await failing(busy(1, { deadline: NOW + 100_000 }))).left).toEqual(stays);
    expect(before).toContain(701);
  });

  test("nobody knows, as the jobs can't be read: kept for ten minutes, then left to post", async () => {
    github.jobs = new GithubUnavailableError("read the jobs of this run", "502");
    expect(await failing(ready(1))).toEqual({ end: "leave", isDestroyed: false, seconds: 600, left: [701, 702] });
    expect(github.removed).toEqual([]);
  });
});

test.each([
  ["main's own last look", [OWN_JOB, waitingJob()], { spentAt: NOW, job: aSlotJob(1, { isOver: true }) }],
  ["the list of jobs", [OWN_JOB, waitingJob(), completedJob("failure", { id: 9 })], {}],
])("a runner whose job is over keeps nothing, though GitHub still calls it busy: by %s", async (_by, jobs, slot) => {
  putTwo();
  github.removeAnswer = "busy";
  github.jobs = jobs;
  expect(await failing(withSlot(busy(1), slot))).toMatchObject({ end: "cancel", isDestroyed: true, left: [] });
});

test.each<[string, Job[] | Error, Error, string[]]>([
  ["are those that wait", [OWN_JOB, waitingJob()], new Error("no credit"), ["test"]],
  ["are not named if one of ours runs", [OWN_JOB, waitingJob({ id: 8 }), runningJob({ id: 9 })], new Error("no"), []],
  ["are not named if GitHub can't be asked", new GithubUnavailableError("read the jobs", "502"), new Error("no"), []],
  ["are not ours if another session has the label", [OWN_JOB, waitingJob()], new LabelInUseError("gpu", "rival"), []],
])("the jobs that a failed main leaves without a machine %s", async (_which, jobs, error, names) => {
  github.jobs = jobs;
  const session = aSession({ github, clock, log: new RecordedLog() });
  expect((await jobsMissed(session, failedEnd(error))).map(({ name }) => name)).toEqual(names);
});
