import { expect } from "vitest";
import { conclusions, Gate, plainOffers, untilRunning } from "../support/gpu-matrix.ts";
import { test } from "../support/scenario.ts";
import { gpuJob, RENT_JOB } from "../support/simulated-session.ts";

test("two sessions with names work side by side: each serves its own jobs and ends by itself", async ({ start }) => {
  using gate = new Gate();
  const named = (name: string, run?: string[]) => ({ ...gpuJob(run), name, labels: [`gpu-4711-1-${name}`] });
  const session = await start({
    with: { name: "a", machines: "2" },
    jobs: [RENT_JOB, { ...RENT_JOB, name: "rent b", runnerName: "hosted-2" }, named("a", gate.wait), named("3.11")],
    scenario: { offers: plainOffers(4) },
  });
  const other = session.another({ with: { name: "3.11", machines: "2" }, env: { RUNNER_NAME: "hosted-2" } });
  const stage = session.step.startMain();
  const { outputs } = await other.mainSucceeds();
  expect(outputs["runner-label"]).toBe("gpu-4711-1-3.11");
  expect(outputs["runner-name"]).toMatch(/^gpu-4711-1-3\.11-[a-z0-9]{6}-\d+$/);
  await other.postSucceeds();
  await untilRunning(session, ["a"]);
  expect(session.run.cancelRequested).toBe(false);
  gate.open();

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(conclusions(session, ["a", "3.11"])).toEqual(["success", "success"]);
  expect(session.instances()).toHaveLength(2);
});

test("of two live sessions with one label the second is refused before it rents, and leaves run and runner to the first", async ({
  start,
}) => {
  const session = await start({ with: { "if-no-machine": "cancel" } });
  const rival = await fetch(`${session.sim.github.url}/repos/octo/gpu-lib/actions/runners/generate-jitconfig`, {
    method: "POST",
    headers: { authorization: `Bearer ${session.sim.github.runnerToken}`, "user-agent": "test" },
    body: JSON.stringify({ name: "rival", runner_group_id: 1, labels: ["gpu-4711-1"] }),
  });
  expect(rival.status).toBe(201);

  expect(await session.errorOfMain()).toMatchObject({
    name: "LabelInUseError",
    message: expect.stringMatching(/\(rival\)\. Nothing was rented\.$/),
    hint: expect.stringContaining("give each job that rents its own name"),
  });
  expect(session.sim.service.journal.of("createInstance")).toEqual([]);

  await session.step.postSucceeds();
  expect(session.run.cancelRequested).toBe(false);
  expect(session.run.job("test").status).toBe("queued");
  expect(session.sim.github.runners().map(({ name }) => name)).toEqual(["rival"]);
});

test("the GPU job fails, and so this job does: both are re-run, and attempt 2 rents for the failed one alone", async ({
  start,
}) => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: GitHub's own form, as in the README.
  const label = "gpu-${{ github.run_id }}-${{ github.run_attempt }}";
  const fails = '[ "$GITHUB_RUN_ATTEMPT" = 2 ]';
  const inputs = { machines: "2", jobs: "2" };
  const session = await start({
    with: inputs,
    jobs: [RENT_JOB, { ...gpuJob(), labels: [label] }, { ...gpuJob([fails]), name: "fails", labels: [label] }],
    scenario: { offers: plainOffers(4) },
  });
  expect(await session.errorOfMain()).toMatchObject({
    name: "GpuJobFailedError",
    message: expect.stringMatching(
      /^'fails' \(failure: https:\/\/github\.com\/.*\/job\/\d+\) did not succeed; the machine was fine\. /,
    ),
    hint: expect.stringContaining('"Re-run failed jobs" rents again'),
  });
  expect(conclusions(session, ["test", "fails"])).toEqual(["success", "failure"]);
  await session.endClean();
  session.run.job("rent").complete("failure");
  const again = session.run.rerun("failed");
  again.job("rent").setStatus("in_progress");

  const second = session.another({ with: inputs, attempt: 2 });
  const { outputs } = await second.mainSucceeds();
  expect(outputs["runner-label"]).toBe("gpu-4711-2");
  expect(again.job("fails").conclusion).toBe("success");
  expect(session.instances()).toHaveLength(3);
  await second.postSucceeds();
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});
