import { describe, expect, test } from "vitest";
import { listAnnotations } from "../../src/github/annotations.ts";
import { GithubRefusedError } from "../../src/github/github-errors.ts";
import { branchHead, Runs } from "../../src/github/runs.ts";
import { type GithubUnderContract, GPU_JOB, RENT_JOB, RUN_ID, startContract } from "./support/github-under-contract.ts";

const asJob = ({ connect, github }: GithubUnderContract) => connect({ token: github.jobToken });

describe("cancel", () => {
  test("asks a run to end: what waits is cancelled, what runs may clean up", async () => {
    await using world = await startContract();
    const run = world.addRun([RENT_JOB, GPU_JOB]);
    expect(await new Runs(asJob(world)).cancel(RUN_ID)).toBe("asked");
    expect(run.jobs().map(({ status }) => status)).toEqual(["in_progress", "completed"]);
  });

  test("by force ends what runs, too", async () => {
    await using world = await startContract();
    const run = world.addRun([RENT_JOB, GPU_JOB]);
    expect(await new Runs(asJob(world)).forceCancel(RUN_ID)).toBe("asked");
    expect(run.conclusion).toBe("cancelled");
  });

  test.each(["cancel", "forceCancel"] as const)("%s of a run that is completed: it is over", async (how) => {
    await using world = await startContract();
    world.addRun([{ ...GPU_JOB, status: "completed" }]);
    expect(await new Runs(asJob(world))[how](RUN_ID)).toBe("over");
  });
});

test("of a workflow the newest 20 completed runs are listed, and no other's", async () => {
  await using world = await startContract();
  const add = (runId: number, more = {}) =>
    world.github.addRun({
      repository: "octo/gpu-lib",
      runId,
      secondsAgo: 9000 - runId,
      jobs: [{ ...GPU_JOB, status: "completed" }],
      ...more,
    });
  for (let runId = 1; runId <= 22; runId += 1) add(runId);
  add(23, { jobs: [RENT_JOB] });
  add(24, { workflow: "other" });
  const listed = await new Runs(asJob(world)).listOfWorkflow("gpu.yml");
  expect(listed.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_none, index) => 22 - index));
});

describe("run attempt", () => {
  const attempts = (world: GithubUnderContract) => new Runs(asJob(world));

  test("one that goes on, and how long nothing has changed by GitHub's clock", async () => {
    await using world = await startContract();
    world.addRun([RENT_JOB]);
    world.clock.advance(90);
    const { isCompleted, unchangedForMs } = (await attempts(world).attempt(RUN_ID, 1)) ?? {};
    expect(isCompleted).toBe(false);
    // Both are written in whole seconds.
    expect(Math.abs((unchangedForMs ?? 0) - 90_000)).toBeLessThanOrEqual(1000);
  });

  test("a clock of ours that is hours ahead makes nothing look old", async () => {
    await using world = await startContract();
    world.addRun([{ ...GPU_JOB, status: "completed" }]);
    const ahead = { ...world.clock, now: () => world.clock.now() + 36_000_000 };
    const client = world.connect({ token: world.github.jobToken, clock: ahead });
    const seen = await new Runs(client).attempt(RUN_ID, 1);
    expect(seen?.isCompleted).toBe(true);
    expect(seen?.unchangedForMs).toBeLessThanOrEqual(1000);
  });

  test("of two attempts each tells its own state", async () => {
    await using world = await startContract();
    world.addRun([{ ...GPU_JOB, status: "completed" }]);
    world.addRun([RENT_JOB], 2);
    const seen = await Promise.all([1, 2].map((attempt) => attempts(world).attempt(RUN_ID, attempt)));
    expect(seen.map((each) => each?.isCompleted)).toEqual([true, false]);
  });

  test("one that GitHub does not know is undefined, not an error", async () => {
    await using world = await startContract();
    expect(await attempts(world).attempt(RUN_ID, 1)).toBeUndefined();
  });
});

describe("open runs", () => {
  test("that wait, then that run; not those that are over", async () => {
    await using world = await startContract();
    const add = (runId: number, status: "queued" | "in_progress" | "completed") =>
      world.github.addRun({ repository: "octo/gpu-lib", runId, jobs: [{ ...GPU_JOB, status }], secondsAgo: 960 });
    add(1, "in_progress");
    add(2, "queued");
    add(3, "completed");
    add(4, "queued");
    world.github.addRun({ repository: "octo/another", runId: 5, jobs: [GPU_JOB] });
    const runs = await new Runs(asJob(world)).listOpen();
    expect(runs.map(({ id }) => id)).toEqual([4, 2, 1]);
    const then = world.clock.now() - 960_000;
    expect(Math.abs((runs[0]?.startedAt ?? 0) - then)).toBeLessThanOrEqual(1000);
  });

  test("by their latest attempt", async () => {
    await using world = await startContract();
    world.addRun([{ ...GPU_JOB, status: "completed" }]);
    world.addRun([GPU_JOB], 2);
    expect(await new Runs(asJob(world)).listOpen()).toMatchObject([{ id: RUN_ID, attempt: 2 }]);
  });

  test("over pages, but not without an end", async () => {
    await using world = await startContract();
    for (let runId = 1; runId <= 230; runId += 1) {
      world.github.addRun({ repository: "octo/gpu-lib", runId, jobs: [GPU_JOB] });
    }
    expect(await new Runs(asJob(world)).listOpen()).toHaveLength(200);
    expect(world.github.journal.of("listRuns")).toHaveLength(3);
  });
});

test("a job tells since when it waits", async () => {
  await using world = await startContract();
  world.github.addRun({ repository: "octo/gpu-lib", runId: RUN_ID, attempt: 1, jobs: [GPU_JOB], secondsAgo: 960 });
  const [job] = await world.jobs.list();
  expect(Math.abs((job?.createdAt ?? 0) - (world.clock.now() - 960_000))).toBeLessThanOrEqual(1000);
});

describe("what re-running a lost run needs", () => {
  const TOKEN = "ghs_may_rerun";
  const permissions = { actions: "write", checks: "read", contents: "read" } as const;
  const tokens = { [TOKEN]: { name: "rerun", kind: "integration" as const, permissions } };
  const start = async () => {
    const world = await startContract(tokens);
    return { ...world, client: world.connect({ token: TOKEN }) };
  };
  const REPOSITORY = "octo/gpu-lib";

  test("failed runs since a moment, with branch and commit", async () => {
    const world = await start();
    await using github = world.github;
    const add = (runId: number, conclusion: "failure" | "success", secondsAgo: number) =>
      github.addRun({
        repository: REPOSITORY,
        runId,
        secondsAgo,
        jobs: [{ ...GPU_JOB, status: "completed", conclusion }],
      });
    add(1, "success", 60);
    add(2, "failure", 60);
    const [run, ...others] = await new Runs(world.client).listFailed(world.clock.now() - 3_600_000);
    expect(others).toEqual([]);
    expect(run).toMatchObject({ id: 2, attempt: 1, status: "completed", conclusion: "failure", headBranch: "main" });
    expect(run).toMatchObject({ headSha: await branchHead(world.client, "main"), isOfFork: false });
    expect(github.journal.of("listRuns")[0]?.path).toMatch(/created=%3E%3D\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\dZ/);
  });

  test("a run by its latest attempt; one that GitHub does not know is undefined", async () => {
    const world = await start();
    await using _github = world.github;
    world.addRun([{ ...GPU_JOB, status: "completed" }]);
    world.addRun([GPU_JOB], 2);
    expect(await new Runs(world.client).get(RUN_ID)).toMatchObject({ id: RUN_ID, attempt: 2, status: "queued" });
    expect(await new Runs(world.client).get(1)).toBeUndefined();
  });

  test("a job's annotations", async () => {
    const world = await start();
    await using _github = world.github;
    const rent = world.addRun([RENT_JOB]).job("rent");
    rent.annotate({ level: "warning", title: "GPU machine lost", message: "One." });
    rent.annotate({ level: "failure", title: "", message: "Two." });
    expect(await listAnnotations(world.client, rent.id)).toEqual(["One.", "Two."]);
  });

  test("a branch's last commit; none where there is no such branch", async () => {
    const world = await start();
    await using github = world.github;
    github.moveBranch(REPOSITORY, "topic/one #1", "ab".repeat(20));
    github.moveBranch(REPOSITORY, "gone", undefined);
    expect(await branchHead(world.client, "topic/one #1")).toBe("ab".repeat(20));
    expect(await branchHead(world.client, "gone")).toBeUndefined();
  });

  test("the failed jobs of a run run again; one that is not over is refused", async () => {
    const world = await start();
    await using github = world.github;
    const run = world.addRun([RENT_JOB, GPU_JOB]);
    await expect(new Runs(world.client).rerunFailedJobs(RUN_ID)).rejects.toBeInstanceOf(GithubRefusedError);
    run.job("rent").complete("failure");
    run.job("test").complete("failure");
    await new Runs(world.client).rerunFailedJobs(RUN_ID);
    expect(github.runs().at(-1)).toMatchObject({ id: RUN_ID, attempt: 2, status: "in_progress" });
  });
});
