import { expect, test } from "vitest";
import { shownError } from "../support/shown-error.ts";
import { gpuJob, RENT_JOB, startUse } from "../support/use-of-action.ts";

test.concurrent("a second use in the same run has a name, and the GPU job of that name comes to its machine", async () => {
  await using use = await startUse({
    with: { name: "cuda12" },
    jobs: [RENT_JOB, { ...gpuJob(), name: "other" }, { ...gpuJob(), name: "named", labels: ["gpu-4711-1-cuda12"] }],
  });
  const main = use.step.startMain();
  const result = await main.done;
  expect(result.exitCode, result.log).toBe(0);
  expect(result.outputs["runner-label"]).toBe("gpu-4711-1-cuda12");
  expect(result.outputs["runner-name"]).toMatch(/^gpu-4711-1-cuda12-[a-z0-9]{6}-1$/);
  expect(use.run.job("named").conclusion).toBe("success");
  // The other job belongs to another session. This session neither serves it nor ends it.
  expect(use.run.job("other").status).toBe("queued");
  await use.endClean();
  expect(use.run.cancelRequested).toBe(false);
});

test.concurrent("of two live uses with one label the second is refused before it rents, and leaves the run to the first", async () => {
  await using use = await startUse({
    with: { name: "cuda12", "if-no-machine": "cancel" },
    jobs: [RENT_JOB, { ...gpuJob(), name: "named", labels: ["gpu-4711-1-cuda12"] }],
  });
  const rival = { name: "somebody", runner_group_id: 1, labels: ["gpu-4711-1-cuda12"] };
  await fetch(`${use.sim.github.url}/repos/octo/gpu-lib/actions/runners/generate-jitconfig`, {
    method: "POST",
    headers: { authorization: `Bearer ${use.sim.github.runnerToken}` },
    body: JSON.stringify(rival),
  });
  const main = await use.step.startMain().done;
  expect(shownError(main.log)).toMatchObject({
    name: "LabelInUseError",
    hint: expect.stringContaining("give each job that rents its own name"),
  });
  expect(use.sim.service.journal.of("createInstance")).toEqual([]);
  await use.endClean();
  expect(use.run.cancelRequested).toBe(false);
  expect(use.run.job("named").status).toBe("queued");
});

test.concurrent("runner-scope: org registers the runner in the organisation's group, and removes it there", async () => {
  const token = "ghs_of_the_organisation";
  const permissions = { organization_self_hosted_runners: "write" as const };
  await using use = await startUse({
    githubTokens: { [token]: { name: "org", kind: "integration", permissions } },
    with: { "github-token": token, "runner-scope": "org", "runner-group-id": "3" },
  });
  await use.step.mainSucceeds();
  expect(use.run.job("test").conclusion).toBe("success");
  await use.endClean();
  const { journal } = use.sim.github;
  expect(journal.of("generateOrgJitConfig")).toHaveLength(1);
  expect(journal.of("generateJitConfig")).toEqual([]);
  expect(use.sim.github.runners()).toEqual([]);
});

test.concurrent("fail-with-job: false: the GPU job's failure is told, and this job goes on", async () => {
  await using use = await startUse({ with: { "fail-with-job": "false" }, jobs: [RENT_JOB, gpuJob(["exit 3"])] });
  const main = await use.step.mainSucceeds();
  expect(main.log).toContain("1 did not succeed. With fail-with-job: false this job goes on.");
  await use.endClean();
});
