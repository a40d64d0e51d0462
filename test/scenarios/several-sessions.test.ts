import { expect, test } from "vitest";
import { shownError } from "../support/shown-error.ts";
import { gpuJob, RENT_JOB, startSession } from "../support/simulated-session.ts";

test.concurrent("a second session in the same run has a name, and the GPU job of that name comes to its machine", async () => {
  await using session = await startSession({
    with: { name: "cuda12" },
    jobs: [RENT_JOB, { ...gpuJob(), name: "other" }, { ...gpuJob(), name: "named", labels: ["gpu-4711-1-cuda12"] }],
  });
  const main = session.step.startMain();
  const result = await main.done;
  expect(result.exitCode, result.log).toBe(0);
  expect(result.outputs["runner-label"]).toBe("gpu-4711-1-cuda12");
  expect(result.outputs["runner-name"]).toMatch(/^gpu-4711-1-cuda12-[a-z0-9]{6}-1$/);
  expect(session.run.job("named").conclusion).toBe("success");
  // The other job belongs to another session. This session neither serves it nor ends it.
  expect(session.run.job("other").status).toBe("queued");
  await session.endClean();
  expect(session.run.cancelRequested).toBe(false);
});

test.concurrent("of two live sessions with one label the second is refused before it rents, and leaves the run to the first", async () => {
  await using session = await startSession({
    with: { name: "cuda12", "if-no-machine": "cancel" },
    jobs: [RENT_JOB, { ...gpuJob(), name: "named", labels: ["gpu-4711-1-cuda12"] }],
  });
  const rival = { name: "somebody", runner_group_id: 1, labels: ["gpu-4711-1-cuda12"] };
  await fetch(`${session.sim.github.url}/repos/octo/gpu-lib/actions/runners/generate-jitconfig`, {
    method: "POST",
    headers: { authorization: `Bearer ${session.sim.github.runnerToken}` },
    body: JSON.stringify(rival),
  });
  const main = await session.step.startMain().done;
  expect(shownError(main.log)).toMatchObject({
    name: "LabelInUseError",
    hint: expect.stringContaining("give each job that rents its own name"),
  });
  expect(session.sim.service.journal.of("createInstance")).toEqual([]);
  await session.endClean();
  expect(session.run.cancelRequested).toBe(false);
  expect(session.run.job("named").status).toBe("queued");
});

test.concurrent("runner-scope: org registers the runner in the organisation's group, and removes it there", async () => {
  const token = "ghs_of_the_organisation";
  const permissions = { organization_self_hosted_runners: "write" as const };
  await using session = await startSession({
    githubTokens: { [token]: { name: "org", kind: "integration", permissions } },
    with: { "github-token": token, "runner-scope": "org", "runner-group-id": "3" },
  });
  await session.step.mainSucceeds();
  expect(session.run.job("test").conclusion).toBe("success");
  await session.endClean();
  const { journal } = session.sim.github;
  expect(journal.of("generateOrgJitConfig")).toHaveLength(1);
  expect(journal.of("generateJitConfig")).toEqual([]);
  expect(session.sim.github.runners()).toEqual([]);
});

test.concurrent("fail-with-job: false: the GPU job's failure is told, and this job goes on", async () => {
  await using session = await startSession({
    with: { "fail-with-job": "false" },
    jobs: [RENT_JOB, gpuJob(["exit 3"])],
  });
  const main = await session.step.mainSucceeds();
  expect(main.log).toContain("1 did not succeed. With fail-with-job: false this job goes on.");
  await session.endClean();
});
