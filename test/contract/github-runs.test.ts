import { expect } from "vitest";
import { listAnnotations } from "../../src/github/annotations.ts";
import { GithubRefusedError } from "../../src/github/github-errors.ts";
import { branchHead, Runs } from "../../src/github/runs.ts";
import {
  type GithubUnderContract,
  GPU_JOB,
  OVER,
  RENT_JOB,
  RUN_ID,
  TOKEN,
  test,
} from "./support/github-under-contract.ts";

const runsOf = ({ connect, github }: GithubUnderContract) => new Runs(connect({ token: github.jobToken }));
const REPOSITORY = "octo/gpu-lib";

test.for([
  ["cancel", "cancelled", "in_progress"],
  ["forceCancel", "cancelled", "completed"],
] as const)("%s: what waits is %s, what runs is %s; of a run that is completed it says so", async (row, { world }) => {
  const [how, , running] = row;
  const run = world.addRun([RENT_JOB, GPU_JOB]);
  expect(await runsOf(world)[how](RUN_ID)).toBe("asked");
  expect(run.jobs().map(({ status }) => status)).toEqual([running, "completed"]);
  run.forceCancel();
  expect(await runsOf(world)[how](RUN_ID)).toBe("over");
});

test("of a workflow the newest 20 completed runs are listed, and no other's", async ({ world }) => {
  for (let runId = 1; runId <= 22; runId += 1) world.addRun(OVER, { runId, secondsAgo: 9000 - runId });
  world.addRun([RENT_JOB], { runId: 23 });
  world.addRun(OVER, { runId: 24, workflow: "other" });
  const listed = await runsOf(world).listOfWorkflow("gpu.yml");
  expect(listed.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_none, index) => 22 - index));
});

test("an attempt goes on or is over, and tells how long nothing has changed by GitHub's clock", async ({ world }) => {
  world.addRun(OVER);
  const second = world.addRun([RENT_JOB, GPU_JOB], { attempt: 2 });
  world.clock.advance(60);
  second.job("test").complete("cancelled");
  world.clock.advance(90);
  // A clock of ours that is hours ahead makes nothing look old.
  const ahead = { ...world.clock, now: () => world.clock.now() + 36_000_000 };
  const runs = new Runs(world.connect({ token: world.github.jobToken, clock: ahead }));
  const seen = [await runs.attempt(RUN_ID, 1), await runs.attempt(RUN_ID, 2)];
  expect(seen.map((each) => each?.isCompleted)).toEqual([true, false]);
  // Both are written in whole seconds.
  const unchanged = seen.map((each) => Math.round((each?.unchangedForMs ?? 0) / 10_000));
  expect(unchanged).toEqual([15, 9]);
  expect(await runs.attempt(RUN_ID, 3)).toBeUndefined();
});

test("open runs: those that wait, then those that run, by their latest attempt", async ({ world }) => {
  const states = ["in_progress", "queued", "completed", "queued"] as const;
  for (const [index, status] of states.entries())
    world.addRun([{ ...GPU_JOB, status }], { runId: index + 1, secondsAgo: 960 });
  world.addRun([GPU_JOB], { repository: "octo/another", runId: 5 });
  world.addRun([GPU_JOB], { runId: 3, attempt: 2 });
  const runs = await runsOf(world).listOpen();
  expect(runs.map(({ id, attempt }) => [id, attempt])).toEqual([3, 4, 2, 1].map((id) => [id, id === 3 ? 2 : 1]));
  expect(runs.at(-1)?.startedAt).toBe(world.clock.now() - 960_000);
});

test("open runs over pages, but not without an end", async ({ world }) => {
  for (let runId = 1; runId <= 230; runId += 1) world.addRun([GPU_JOB], { runId });
  expect(await runsOf(world).listOpen()).toHaveLength(200);
  expect(world.github.journal.of("listRuns")).toHaveLength(3);
});

test("failed runs since a moment, with branch and commit", async ({ world }) => {
  for (const [index, conclusion] of (["success", "failure"] as const).entries())
    world.addRun([{ ...GPU_JOB, status: "completed", conclusion }], { runId: index + 1, secondsAgo: 60 });
  const client = world.connect({ token: TOKEN.rerun });
  const [run, ...others] = await new Runs(client).listFailed(world.clock.now() - 3_600_000);
  expect(others).toEqual([]);
  expect(run).toMatchObject({ id: 2, attempt: 1, status: "completed", conclusion: "failure", headBranch: "main" });
  expect(run).toMatchObject({ headSha: await branchHead(client, "main"), isOfFork: false });
  expect(world.github.journal.of("listRuns")[0]?.path).toMatch(/created=%3E%3D\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\dZ/);
});

test("a run by its latest attempt; one that GitHub does not know is undefined", async ({ world }) => {
  world.addRun(OVER);
  world.addRun([GPU_JOB], { attempt: 2 });
  expect(await runsOf(world).get(RUN_ID)).toMatchObject({ id: RUN_ID, attempt: 2, status: "queued" });
  expect(await runsOf(world).get(1)).toBeUndefined();
});

test("a job's annotations; a branch's last commit, none where there is no such branch", async ({ world }) => {
  const client = world.connect({ token: TOKEN.rerun });
  const rent = world.addRun([RENT_JOB]).job("rent");
  rent.annotate({ level: "warning", title: "GPU machine lost", message: "One." });
  rent.annotate({ level: "failure", title: "", message: "Two." });
  expect(await listAnnotations(client, rent.id)).toEqual(["One.", "Two."]);
  world.github.moveBranch(REPOSITORY, "topic/one #1", "ab".repeat(20));
  world.github.moveBranch(REPOSITORY, "gone", undefined);
  const heads = ["topic/one #1", "gone"].map((branch) => branchHead(client, branch));
  expect(await Promise.all(heads)).toEqual(["ab".repeat(20), undefined]);
});

test("the failed jobs of a run run again; one that is not over is refused", async ({ world }) => {
  const runs = new Runs(world.connect({ token: TOKEN.rerun }));
  const run = world.addRun([RENT_JOB, GPU_JOB]);
  await expect(runs.rerunFailedJobs(RUN_ID)).rejects.toBeInstanceOf(GithubRefusedError);
  for (const name of ["rent", "test"]) run.job(name).complete("failure");
  await runs.rerunFailedJobs(RUN_ID);
  expect(world.github.runs().at(-1)).toMatchObject({ id: RUN_ID, attempt: 2, status: "in_progress" });
});
