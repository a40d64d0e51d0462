import { expect, test } from "vitest";
import type { GithubStandIn } from "../../simulator/github/start-github.ts";
import { ask, REPOSITORY, startOn, until } from "./github-under-test.ts";

const HOSTED = ["ubuntu-latest"];

async function listedJobs(github: GithubStandIn, id: number, attempt = 1): Promise<Record<string, unknown>[]> {
  const path = `${REPOSITORY}/actions/runs/${id}/attempts/${attempt}/jobs`;
  return (await ask(github, path, { token: github.jobToken })).body.jobs;
}

async function shown(github: GithubStandIn, id: number): Promise<string[]> {
  return (await listedJobs(github, id)).map((job) => `${job.name} ${job.conclusion ?? job.status}`);
}

test("a job whose needs are not over is not shown; it is queued when they succeed", async () => {
  await using github = await startOn(1);
  const run = github.addRun({
    repository: "octo/gpu-lib",
    jobs: [
      { name: "build", labels: HOSTED, status: "in_progress" },
      { name: "lint", labels: HOSTED, status: "in_progress" },
      { name: "gpu", labels: ["gpu-1"], needs: ["build", "lint"] },
    ],
  });
  expect(await shown(github, run.id)).toEqual(["build in_progress", "lint in_progress"]);
  run.job("build").complete();
  expect(await shown(github, run.id)).toEqual(["build success", "lint in_progress"]);
  run.job("lint").complete();
  expect(await shown(github, run.id)).toEqual(["build success", "lint success", "gpu queued"]);
  expect([run.status, run.conclusion]).toEqual(["in_progress", null]);
});

test.each(["failure", "cancelled", "skipped"] as const)(
  "needs that end as %s skip the job, which has no labels then",
  async (end) => {
    await using github = await startOn(1);
    const run = github.addRun({
      repository: "octo/gpu-lib",
      jobs: [
        { name: "build", labels: HOSTED, status: "in_progress" },
        { name: "gpu", labels: ["gpu-1"], needs: ["build"] },
        { name: "after", labels: ["gpu-1"], needs: ["gpu"] },
      ],
    });
    run.job("build").complete(end);
    const jobs = await listedJobs(github, run.id);
    expect(jobs.slice(1)).toEqual([
      expect.objectContaining({ name: "gpu", status: "completed", conclusion: "skipped", labels: [], runner_id: 0 }),
      expect.objectContaining({ name: "after", status: "completed", conclusion: "skipped", labels: [] }),
    ]);
  },
);

test("a job whose condition is not met is skipped", async () => {
  await using github = await startOn(1);
  const jobs = [{ name: "gpu", labels: ["gpu-1"], if: false }];
  const run = github.addRun({ repository: "octo/gpu-lib", jobs });
  expect(await shown(github, run.id)).toEqual(["gpu skipped"]);
  expect([run.status, run.conclusion]).toEqual(["completed", "skipped"]);
});

test("the run follows its jobs, and its time of change with it", async () => {
  await using github = await startOn(10_000);
  const run = github.addRun({
    repository: "octo/gpu-lib",
    jobs: [
      { name: "rent", labels: HOSTED },
      { name: "gpu", labels: ["gpu-1"] },
    ],
  });
  const see = async () =>
    (await ask(github, `${REPOSITORY}/actions/runs/${run.id}/attempts/1`, { token: github.jobToken })).body;
  const queued = await see();
  expect([queued.status, queued.conclusion, queued.run_attempt]).toEqual(["queued", null, 1]);
  run.job("rent").setStatus("in_progress");
  expect(await see()).toMatchObject({ status: "in_progress" });
  run.job("gpu").setStatus("in_progress");
  run.job("gpu").complete("failure");
  await until(
    async () =>
      Date.parse((await ask(github, "/nowhere")).headers.get("date") ?? "") > Date.parse(queued.updated_at) + 60_000,
  );
  run.job("rent").complete();
  const over = await see();
  expect([over.status, over.conclusion]).toEqual(["completed", "failure"]);
  expect(Date.parse(over.updated_at)).toBeGreaterThan(Date.parse(queued.updated_at));
  expect((await see()).updated_at).toBe(over.updated_at);
});

test("a job that is over can't change any more", async () => {
  await using github = await startOn(1);
  const run = github.addRun({ repository: "octo/gpu-lib", jobs: [{ name: "a", labels: HOSTED, status: "completed" }] });
  expect(() => run.job("a").setStatus("queued")).toThrow("Job a is already completed (success).");
  expect(() => run.job("a").complete()).toThrow("already completed");
});

test.each([
  ["needs that do not stand before it", { jobs: [{ name: "a", labels: HOSTED, needs: ["b"] }] }, "job a needs b"],
  [
    "two jobs of one name",
    {
      jobs: [
        { name: "a", labels: HOSTED },
        { name: "a", labels: HOSTED },
      ],
    },
    "two jobs are named a",
  ],
  ["no jobs", { jobs: [] }, "jobs"],
  ["an unknown key", { jobs: [{ name: "a", labels: HOSTED, runs: ["true"] }] }, "runs"],
])("a run with %s is refused", async (_, spec, message) => {
  await using github = await startOn(1);
  expect(() => github.addRun({ repository: "octo/gpu-lib", ...spec })).toThrow(message);
  expect(github.runs()).toEqual([]);
});

test("a run can be added as old as one likes, and its jobs are as old as it", async () => {
  await using github = await startOn(1);
  const jobs = [{ name: "gpu", labels: ["gpu-1"] }];
  const run = github.addRun({ repository: "octo/gpu-lib", jobs, secondsAgo: 3600 });
  const { body } = await ask(github, `${REPOSITORY}/actions/runs/${run.id}`, { token: github.jobToken });
  const [job] = await listedJobs(github, run.id);
  const ageSeconds = (time: unknown) => (Date.now() - Date.parse(String(time))) / 1000;
  for (const time of [body.created_at, body.updated_at, job?.created_at])
    expect(ageSeconds(time)).toBeGreaterThan(3500);
});

test("a job's log is 404 while it is queued, and 404 at the logs' own host while it runs", async () => {
  await using github = await startOn(1);
  const run = github.addRun({ repository: "octo/gpu-lib", jobs: [{ name: "gpu", labels: ["gpu-1"] }] });
  const read = async () => {
    const path = `${github.url}${REPOSITORY}/actions/jobs/${run.job("gpu").id}/logs`;
    const response = await fetch(path, { headers: { authorization: `Bearer ${github.jobToken}` } });
    return [response.redirected, response.status, await response.text()];
  };
  expect(await read()).toEqual([false, 404, expect.stringContaining("Not Found")]);
  run.job("gpu").setStatus("in_progress");
  expect(await read()).toEqual([true, 404, expect.stringContaining("BlobNotFound")]);
  run.job("gpu").complete();
  expect(await read()).toEqual([true, 200, ""]);
});
