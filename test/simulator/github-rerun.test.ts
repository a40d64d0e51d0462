import { expect, test } from "vitest";
import type { RunControl } from "../../simulator/github/runs/run-control.ts";
import type { GithubStandIn } from "../../simulator/github/start-github.ts";
import { ask, REPOSITORY, startOn } from "./github-under-test.ts";

const RUN_ID = 99;

/** A run as the README's, over: one job rents, the one on the GPU failed, one reports. */
function addFailed(github: GithubStandIn): RunControl {
  const run = github.addRun({
    repository: "octo/gpu-lib",
    runId: RUN_ID,
    jobs: [
      { name: "lint", labels: ["ubuntu-latest"], status: "completed" },
      { name: "rent", labels: ["ubuntu-latest"], status: "in_progress" },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a workflow's own form
      { name: "test", labels: ["gpu-${{ github.run_id }}-${{ github.run_attempt }}"] },
      { name: "report", labels: ["ubuntu-latest"], needs: ["test"] },
    ],
  });
  run.job("rent").complete("failure");
  run.job("test").complete("failure");
  return run;
}

const post = (github: GithubStandIn, path: string) =>
  ask(github, `${REPOSITORY}/actions/${path}`, { method: "POST", token: github.jobToken });
const latest = (github: GithubStandIn) => github.runs().at(-1) as RunControl;
const states = (run: RunControl) => run.jobs().map(({ name, status, conclusion }) => `${name} ${conclusion ?? status}`);

test("re-run failed jobs: a new attempt runs those and what needs them; the others keep their results", async () => {
  await using github = await startOn(1);
  const first = addFailed(github);
  expect(states(first)).toEqual(["lint success", "rent failure", "test failure", "report skipped"]);
  expect((await post(github, `runs/${RUN_ID}/rerun-failed-jobs`)).status).toBe(201);
  const second = latest(github);
  expect([second.id, second.attempt, second.status]).toEqual([RUN_ID, 2, "in_progress"]);
  expect(states(second)).toEqual(["lint success", "rent in_progress", "test queued", "report blocked"]);
  const { body } = await ask(github, `${REPOSITORY}/actions/runs/${RUN_ID}/attempts/2/jobs`, {
    token: github.jobToken,
  });
  const labels = Object.fromEntries(body.jobs.map((job: { name: string; labels: string[] }) => [job.name, job.labels]));
  expect(labels.test).toEqual([`gpu-${RUN_ID}-2`]);
  expect(second.job("lint").id).not.toBe(first.job("lint").id);
  // The old attempt is history.
  expect([first.status, first.conclusion]).toEqual(["completed", "failure"]);
  for (const name of ["rent", "test", "report"]) second.job(name).complete();
  expect(second.conclusion).toBe("success");
});

test("re-run all jobs: nothing is kept", async () => {
  await using github = await startOn(1);
  addFailed(github);
  expect((await post(github, `runs/${RUN_ID}/rerun`)).status).toBe(201);
  expect(states(latest(github))).toEqual(["lint success", "rent in_progress", "test queued", "report blocked"]);
  expect(latest(github).jobs()[0]?.id).toBeGreaterThan(github.runs()[0]?.jobs()[3]?.id ?? 0);
});

test("re-run one job: it, and what needs it; the job that rents is not among them", async () => {
  await using github = await startOn(1);
  const first = addFailed(github);
  expect((await post(github, `jobs/${first.job("test").id}/rerun`)).status).toBe(201);
  expect(states(latest(github))).toEqual(["lint success", "rent failure", "test queued", "report blocked"]);
});

test("what can't be re-run: a run that is not over, one without failed jobs, an attempt of the past, an unknown one", async () => {
  await using github = await startOn(1);
  const said = async (path: string) => {
    const { status, body } = await post(github, path);
    return [status, body.message];
  };
  const first = addFailed(github);
  await post(github, `runs/${RUN_ID}/rerun`);
  const refused = [`runs/${RUN_ID}/rerun`, `runs/${RUN_ID}/rerun-failed-jobs`, `jobs/${first.job("test").id}/rerun`];
  for (const path of refused) expect(await said(path), path).toEqual([403, "This workflow run is already running"]);
  for (const name of ["rent", "test", "report"]) latest(github).job(name).complete();
  expect(latest(github).conclusion).toBe("success");
  const ofThePast = `jobs/${first.job("test").id}/rerun`;
  for (const path of [`runs/${RUN_ID}/rerun-failed-jobs`, ofThePast])
    expect(await said(path), path).toEqual([403, "This workflow run cannot be retried"]);
  expect((await post(github, "runs/1/rerun")).status).toBe(404);
  expect((await post(github, "jobs/1/rerun")).status).toBe(404);
  expect(github.runs()).toHaveLength(2);
});

test("a run older than a month can't be re-run, and one that was cancelled can", async () => {
  await using github = await startOn(1);
  const job = { name: "test", labels: ["gpu"] };
  const [old, cancelled] = [31 * 86_400, 29 * 86_400].map((secondsAgo) =>
    github.addRun({ repository: "octo/gpu-lib", secondsAgo, jobs: [job] }),
  );
  for (const run of [old, cancelled]) run?.cancel();
  const refused = await post(github, `runs/${old?.id}/rerun`);
  const message = "Unable to retry this workflow run because it was created over a month ago";
  expect([refused.status, refused.body.message]).toEqual([403, message]);
  expect((await post(github, `runs/${cancelled?.id}/rerun`)).status).toBe(201);
});
