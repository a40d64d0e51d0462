import { describe, expect, test } from "vitest";
import { GithubDoubtError, GithubTokenError } from "../../src/github/github-errors.ts";
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
