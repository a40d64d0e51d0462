import { describe, expect, test } from "vitest";
import { GithubDoubtError, GithubTokenError } from "../../src/github/github-errors.ts";
import { listOpenRuns } from "../../src/github/open-runs.ts";
import { RunAttempts } from "../../src/github/run-attempts.ts";
import { RunCancel } from "../../src/github/run-cancel.ts";
import { type GithubUnderContract, POOR_TOKEN, RUN_ID, startContract } from "./support/github-under-contract.ts";

const GPU_JOB = { name: "test", labels: ["gpu-4711-1"] };
const RENT_JOB = { name: "rent", labels: ["ubuntu-latest"], status: "in_progress" as const };

const asJob = ({ connect, github }: GithubUnderContract) => connect({ token: github.jobToken });

describe("cancel", () => {
  test("asks a run to end: what waits is cancelled, what runs may clean up", async () => {
    await using world = await startContract();
    const run = world.addRun([RENT_JOB, GPU_JOB]);
    expect(await new RunCancel(asJob(world)).cancel(RUN_ID)).toBe("asked");
    expect(run.jobs().map(({ status }) => status)).toEqual(["in_progress", "completed"]);
  });

  test("by force ends what runs, too", async () => {
    await using world = await startContract();
    const run = world.addRun([RENT_JOB, GPU_JOB]);
    expect(await new RunCancel(asJob(world)).forceCancel(RUN_ID)).toBe("asked");
    expect(run.conclusion).toBe("cancelled");
  });

  test.each(["cancel", "forceCancel"] as const)("%s of a run that is completed: it is over", async (how) => {
    await using world = await startContract();
    world.addRun([{ ...GPU_JOB, status: "completed" }]);
    expect(await new RunCancel(asJob(world))[how](RUN_ID)).toBe("over");
  });

  test("without actions: write names the permission", async () => {
    await using world = await startContract();
    world.addRun([GPU_JOB]);
    const error = await new RunCancel(world.connect({ token: POOR_TOKEN })).cancel(RUN_ID).catch((fault) => fault);
    expect(error).toBeInstanceOf(GithubTokenError);
    expect(error).toMatchObject({
      message: expect.stringContaining("job-token may not cancel a run"),
      hint: expect.stringContaining("actions: write"),
    });
  });

  test("of a run that GitHub does not know is refused like a missing permission", async () => {
    await using world = await startContract();
    await expect(new RunCancel(asJob(world)).cancel(1)).rejects.toBeInstanceOf(GithubTokenError);
  });

  test("5xx is a doubt", async () => {
    await using world = await startContract();
    world.github.setFaults([{ operation: "cancelRun", kind: "status", status: 502 }]);
    await expect(new RunCancel(asJob(world)).cancel(RUN_ID)).rejects.toBeInstanceOf(GithubDoubtError);
  });
});

describe("run attempt", () => {
  const attempts = (world: GithubUnderContract) => new RunAttempts(asJob(world));

  test("one that goes on, and how long nothing has changed by GitHub's clock", async () => {
    await using world = await startContract();
    world.addRun([RENT_JOB]);
    world.clock.advance(90);
    const { isCompleted, unchangedForMs } = (await attempts(world).get(RUN_ID, 1)) ?? {};
    expect(isCompleted).toBe(false);
    // Both are written in whole seconds.
    expect(Math.abs((unchangedForMs ?? 0) - 90_000)).toBeLessThanOrEqual(1000);
  });

  test("a clock of ours that is hours ahead makes nothing look old", async () => {
    await using world = await startContract();
    world.addRun([{ ...GPU_JOB, status: "completed" }]);
    const ahead = { ...world.clock, now: () => world.clock.now() + 36_000_000 };
    const client = world.connect({ token: world.github.jobToken, clock: ahead });
    const seen = await new RunAttempts(client).get(RUN_ID, 1);
    expect(seen?.isCompleted).toBe(true);
    expect(seen?.unchangedForMs).toBeLessThanOrEqual(1000);
  });

  test("of two attempts each tells its own state", async () => {
    await using world = await startContract();
    world.addRun([{ ...GPU_JOB, status: "completed" }]);
    world.addRun([RENT_JOB], 2);
    const seen = await Promise.all([1, 2].map((attempt) => attempts(world).get(RUN_ID, attempt)));
    expect(seen.map((each) => each?.isCompleted)).toEqual([true, false]);
  });

  test("one that GitHub does not know is undefined, not an error", async () => {
    await using world = await startContract();
    expect(await attempts(world).get(RUN_ID, 1)).toBeUndefined();
  });

  test.each([
    ["5xx", { kind: "status", status: 500 }],
    ["429", { kind: "status", status: 429 }],
    ["no answer", { kind: "reset" }],
    ["an answer that is no run", { kind: "status", status: 200, body: { status: "completed" } }],
  ] as const)("%s is a doubt", async (_what, fault) => {
    await using world = await startContract();
    world.addRun([RENT_JOB]);
    world.github.setFaults([{ operation: "getRunAttempt", ...fault }]);
    await expect(attempts(world).get(RUN_ID, 1)).rejects.toBeInstanceOf(GithubDoubtError);
  });

  test("without actions: read names the permission", async () => {
    await using world = await startContract();
    world.addRun([RENT_JOB]);
    const error = await new RunAttempts(world.connect({ token: POOR_TOKEN })).get(RUN_ID, 1).catch((fault) => fault);
    expect(error).toBeInstanceOf(GithubTokenError);
    expect(error).toMatchObject({ hint: expect.stringContaining("actions: read") });
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
    const runs = await listOpenRuns(asJob(world));
    expect(runs.map(({ id }) => id)).toEqual([4, 2, 1]);
    const then = world.clock.now() - 960_000;
    expect(Math.abs((runs[0]?.startedAt ?? 0) - then)).toBeLessThanOrEqual(1000);
  });

  test("by their latest attempt", async () => {
    await using world = await startContract();
    world.addRun([{ ...GPU_JOB, status: "completed" }]);
    world.addRun([GPU_JOB], 2);
    expect(await listOpenRuns(asJob(world))).toMatchObject([{ id: RUN_ID, attempt: 2 }]);
  });

  test("over pages, but not without an end", async () => {
    await using world = await startContract();
    for (let runId = 1; runId <= 230; runId += 1) {
      world.github.addRun({ repository: "octo/gpu-lib", runId, jobs: [GPU_JOB] });
    }
    expect(await listOpenRuns(asJob(world))).toHaveLength(200);
    expect(world.github.journal.of("listRuns")).toHaveLength(3);
  });

  test("5xx is a doubt, never an empty list", async () => {
    await using world = await startContract();
    world.github.setFaults([{ operation: "listRuns", kind: "status", status: 502 }]);
    await expect(listOpenRuns(asJob(world))).rejects.toBeInstanceOf(GithubDoubtError);
  });
});

test("a job tells since when it waits", async () => {
  await using world = await startContract();
  world.github.addRun({ repository: "octo/gpu-lib", runId: RUN_ID, attempt: 1, jobs: [GPU_JOB], secondsAgo: 960 });
  const [job] = await world.jobs.list();
  expect(Math.abs((job?.createdAt ?? 0) - (world.clock.now() - 960_000))).toBeLessThanOrEqual(1000);
});
