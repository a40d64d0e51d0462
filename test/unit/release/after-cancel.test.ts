import { expect, test } from "vitest";
import { rowOf } from "../../../src/fleet/recording/records.ts";
import { GithubUnavailableError } from "../../../src/github/github-errors.ts";
import type { Job } from "../../../src/github/jobs.ts";
import type { MachineRecord, RanJob } from "../../../src/machine/record.ts";
import { describeRented, keepAfterCancel } from "../../../src/release/after-cancel.ts";
import { poll } from "../../../src/shared/poll.ts";
import { aJob, completedJob, runningJob } from "../support/a-job.ts";
import { aSession } from "../support/a-session.ts";
import { aRecord } from "../support/a-session-report.ts";
import { clock, freshWorld, github, log } from "../support/fresh-world.ts";
import { booting as aBootingMachine } from "../support/machines.ts";

freshWorld();

const OPEN: RanJob = { name: "test", started: 1 };
const OVER: RanJob = { name: "test", started: 1, seconds: 60, conclusion: "success" };

/** When each instance may go, in seconds after the start of post. `row`: of the first. `unreported`: further ids. */
async function releasedAt(records: MachineRecord[], row = 1, ...unreported: number[]): Promise<Record<number, number>> {
  const entries = records.map((record, index) => [index + row, record] as const);
  const { mayGo } = keepAfterCancel(aSession({ github, clock, log }), new Map(entries), clock.start);
  const ids = [...records.map(({ instanceId }) => instanceId), ...unreported];
  const at: Record<number, number> = {};
  const look = async () => {
    for (const id of ids) if (mayGo(id)) at[id] ??= clock.elapsed / 1000;
    return Object.keys(at).length === ids.length;
  };
  await clock.run(poll(look, { clock, intervalMs: 500, until: clock.start + 60_000 }));
  return at;
}

/** A machine of this session, and how far main saw it. */
const withJob = (instanceId: number, ...jobs: RanJob[]) => aRecord({ instanceId, jobs });
const ready = (instanceId: number) => aRecord({ instanceId });
const unseen = (instanceId: number) => aRecord({ instanceId, at: { ...aRecord().at, online: undefined } });
const booting = (instanceId: number) => aRecord({ instanceId, at: { ...unseen(instanceId).at, running: undefined } });
const gone = (instanceId: number) => aRecord({ instanceId, isGone: true });
const DOWN = new GithubUnavailableError("ask", "502");

/** What GitHub answers from then on. */
const answers = (jobs: Job[] | Error) => void Object.assign(github, { jobs });

test("a machine that is gone goes at once, one with a job when GitHub lists it as over", async () => {
  github.jobs = [runningJob()];
  clock.at(10_000, () => answers([completedJob("cancelled")]));
  expect(await releasedAt([withJob(7, OPEN), gone(8)])).toEqual({ 7: 12, 8: 0 });
});

test("the second instance of a machine's create, too, when the machine's job is over", async () => {
  github.jobs = [completedJob("cancelled")];
  expect(await releasedAt([withJob(7, OPEN)], rowOf(aBootingMachine(1), 1))).toEqual({ 7: 0.5 });
});

const TWELFTH = "gpu-4711-1-abcdef-12";
const NEXT = { id: 9, runnerName: "gpu-4711-1-abcdef-1-2" };

test.each<[string, MachineRecord, Job[] | Error, number]>([
  ["its job runs on", withJob(7, OPEN), [runningJob()], 30],
  ["the list lacks its job: absence proves nothing", withJob(7, OPEN), [aJob()], 30],
  ["the list can't be read", withJob(7, OPEN), DOWN, 30],
  ["another machine's job is over", withJob(7, OPEN), [completedJob("success", { runnerName: TWELFTH })], 30],
  // Main's last look may be older than the job of one that was ready: it waits for the first list.
  ["it was ready, and there is no list", ready(7), DOWN, 5],
  ["it ran, and main could not see its runner", unseen(7), [runningJob()], 30],
  // Main's notes may be older than what main saw, as where its disk was full.
  ["it did not run as far as main could note", booting(7), [runningJob()], 30],
  ["it did not run, and no job is on it", booting(7), [], 0.5],
  ["one use is over: a job came to the next", withJob(7, OVER), [completedJob("success"), runningJob(NEXT)], 30],
])("it goes at once or after some seconds where %s", async (_where, record, jobs, at) => {
  github.jobs = jobs;
  expect(await releasedAt([record])).toEqual({ 7: at });
});

// Where main could not write its notes.
test.each<[string, Job[] | Error, number]>([
  ["a machine of this session has one that runs", [runningJob()], 30],
  ["there is no list", DOWN, 5],
])("one that main reported nothing of goes at once or after some seconds where %s", async (_where, jobs, at) => {
  github.jobs = jobs;
  expect(await releasedAt([gone(8)], 1, 7)).toEqual({ 7: at, 8: 0 });
});

test("a list that comes after 5 s changes nothing for one that was ready", async () => {
  github.jobs = DOWN;
  clock.at(5500, () => answers([runningJob()]));
  expect(await releasedAt([ready(7)])).toEqual({ 7: 5 });
});

test("named as left for their jobs are those that have one, not those that waited for the list alone", async () => {
  github.jobs = [runningJob()];
  const reports = new Map([ready(7), ready(8)].map((record, index) => [index + 1, record] as const));
  const keeping = keepAfterCancel(aSession({ github, clock, log }), reports, clock.start);
  await clock.run(clock.sleep(1000));
  expect(keeping.leftForJobs()).toEqual([7]);
});

test("a bug of ours keeps nothing from being destroyed", async () => {
  github.jobs = new TypeError("x is undefined");
  expect(await releasedAt([withJob(7, OPEN)])).toEqual({ 7: 0.5 });
  expect(log.warnings).toEqual([expect.stringContaining("destroyed now")]);
});

test("first of all it says what is rented and how to destroy it by hand", () => {
  const prefix = "ghr1.1.2-1.abcdef";
  const known = [{ id: 7, createdAt: 0 }];
  expect(describeRented({ prefix, known, isUncertain: false })).toMatch(/^Rented: instance 7\. .*curl -X DELETE/);
  const uncertain = describeRented({ prefix, known: [], isUncertain: true });
  expect(uncertain).toMatch(/^Something may be rented under labels that begin with ghr1\.1\.2-1\.abcdef\./);
});
