import { describe, expect, test } from "vitest";
import type { RunControl } from "../../simulator/github/runs/run-control.ts";
import type { RunSpec } from "../../simulator/github/runs/run-record.ts";
import type { GithubStandIn } from "../../simulator/github/start-github.ts";
import { ask, attach, githubClock, REPOSITORY, startOn } from "./support/github.ts";

const HOSTED = ["ubuntu-latest"];
const RUN_ID = 99;
// biome-ignore lint/suspicious/noTemplateCurlyInString: a workflow's own form
const LABELS = ["gpu-${{ github.run_id }}-${{ github.run_attempt }}"];
type Spec = Omit<RunSpec, "repository">;

const addRun = (github: GithubStandIn, jobs: Spec["jobs"], more: Partial<Spec> = {}) =>
  github.addRun({ repository: "octo/gpu-lib", runId: RUN_ID, jobs, ...more });
/** Every job, those that GitHub does not show yet too. */
const states = (run?: RunControl) =>
  run?.jobs().map(({ name, status, conclusion }) => `${name} ${conclusion ?? status}`);

async function listed(github: GithubStandIn, attempt = 1): Promise<Record<string, unknown>[]> {
  const path = `${REPOSITORY}/actions/runs/${RUN_ID}/attempts/${attempt}/jobs`;
  return (await ask(github, path, { token: github.jobToken })).body.jobs;
}

describe("needs", () => {
  test("a job whose needs are not over is not shown; it is queued when they succeed", async () => {
    await using github = await startOn(1);
    const run = addRun(github, [
      { name: "build", labels: HOSTED, status: "in_progress" },
      { name: "lint", labels: HOSTED, status: "in_progress" },
      { name: "gpu", labels: ["gpu-1"], needs: ["build", "lint"] },
    ]);
    run.job("build").complete();
    expect((await listed(github)).map(({ name }) => name)).toEqual(["build", "lint"]);
    run.job("lint").complete();
    expect((await listed(github)).map(({ status }) => status)).toEqual(["completed", "completed", "queued"]);
    expect([run.status, run.conclusion]).toEqual(["in_progress", null]);
  });

  test.each(["failure", "cancelled", "skipped"] as const)(
    "that end as %s skip the job, which has no labels then",
    async (end) => {
      await using github = await startOn(1);
      const run = addRun(github, [
        { name: "build", labels: HOSTED, status: "in_progress" },
        { name: "gpu", labels: ["gpu-1"], needs: ["build"] },
        { name: "after", labels: ["gpu-1"], needs: ["gpu"] },
      ]);
      run.job("build").complete(end);
      const skipped = { status: "completed", conclusion: "skipped", labels: [], runner_id: 0 };
      expect((await listed(github)).slice(1)).toMatchObject([
        { name: "gpu", ...skipped },
        { name: "after", ...skipped },
      ]);
    },
  );

  test("a job whose condition is not met is skipped, and with it the run", async () => {
    await using github = await startOn(1);
    const run = addRun(github, [{ name: "gpu", labels: ["gpu-1"], if: false }]);
    expect([states(run), run.status, run.conclusion]).toEqual([["gpu skipped"], "completed", "skipped"]);
  });
});

test("the run follows its jobs, and its time of change with it", async () => {
  const clock = githubClock();
  await using github = await startOn(clock);
  const run = addRun(github, [
    { name: "rent", labels: HOSTED },
    { name: "gpu", labels: ["gpu-1"] },
  ]);
  const path = `${REPOSITORY}/actions/runs/${RUN_ID}/attempts/1`;
  const see = async () => (await ask(github, path, { token: github.jobToken })).body;
  const queued = await see();
  expect([queued.status, queued.conclusion, queued.run_attempt]).toEqual(["queued", null, 1]);
  run.job("rent").setStatus("in_progress");
  expect(await see()).toMatchObject({ status: "in_progress" });
  run.job("gpu").complete("failure");
  clock.advance(60);
  run.job("rent").complete();
  const over = await see();
  expect([over.status, over.conclusion]).toEqual(["completed", "failure"]);
  expect(Date.parse(over.updated_at) - Date.parse(queued.updated_at)).toBe(60_000);
  clock.advance(60);
  expect((await see()).updated_at).toBe(over.updated_at);
  expect(() => run.job("rent").setStatus("queued")).toThrow("Job rent is already completed (success).");
});

test("a run can be added as old as one likes, and its jobs are as old as it", async () => {
  const clock = githubClock();
  await using github = await startOn(clock);
  addRun(github, [{ name: "gpu", labels: ["gpu-1"] }], { secondsAgo: 3600 });
  const { body } = await ask(github, `${REPOSITORY}/actions/runs/${RUN_ID}`, { token: github.jobToken });
  const [job] = await listed(github);
  for (const time of [body.created_at, body.updated_at, job?.created_at])
    expect(Date.parse(String(time))).toBe(clock.now() - 3_600_000);
});

test.each([
  ["needs that do not stand before it", { jobs: [{ name: "a", labels: HOSTED, needs: ["b"] }] }, "job a needs b"],
  ["two jobs of one name", { jobs: [1, 2].map(() => ({ name: "a", labels: HOSTED })) }, "two jobs are named a"],
  ["no jobs", { jobs: [] }, "jobs"],
  ["an unknown key", { jobs: [{ name: "a", labels: HOSTED, runs: ["true"] }] }, "runs"],
  [
    "a matrix of no job",
    { jobs: [{ name: "a", labels: HOSTED, matrix: "a" }], matrices: { b: {} } },
    "of the matrix b",
  ],
])("a run with %s is refused", async (_what, spec, message) => {
  await using github = await startOn(1);
  expect(() => github.addRun({ repository: "octo/gpu-lib", ...spec })).toThrow(message);
  expect(github.runs()).toEqual([]);
});

test("a job's log is 404 while it is queued, and 404 at the logs' own host while it runs", async () => {
  await using github = await startOn(1);
  const job = addRun(github, [{ name: "gpu", labels: ["gpu-1"] }]).job("gpu");
  const read = async () => {
    const headers = { authorization: `Bearer ${github.jobToken}` };
    const response = await fetch(`${github.url}${REPOSITORY}/actions/jobs/${job.id}/logs`, { headers });
    return [response.redirected, response.status, await response.text()];
  };
  expect(await read()).toEqual([false, 404, expect.stringContaining("Not Found")]);
  job.setStatus("in_progress");
  expect(await read()).toEqual([true, 404, expect.stringContaining("BlobNotFound")]);
  job.complete();
  expect(await read()).toEqual([true, 200, ""]);
});

describe("a matrix", () => {
  const leg = (name: string, more: object = {}) => ({ name, labels: LABELS, matrix: "test", run: ["true"], ...more });
  const LEGS = ["a", "b", "c"].map((name) => leg(name));

  test("max-parallel: jobs beyond it are queued, but no runner gets one before another is over", async () => {
    await using github = await startOn(1);
    const run = addRun(github, LEGS, { matrices: { test: { maxParallel: 1 } } });
    run.job("a").setStatus("in_progress");
    const { listener } = await attach(github, "one", [`gpu-${RUN_ID}-1`]);
    expect([states(run), await listener.poll()]).toEqual([["a in_progress", "b queued", "c queued"], undefined]);
    run.job("a").complete();
    expect(await listener.poll()).toBe(String(run.job("b").id));
  });

  test("max-parallel: those at the head of the queue hold the places, whatever runner waits", async () => {
    await using github = await startOn(1);
    const jobs = [leg("a", { labels: ["elsewhere"] }), leg("b")];
    const run = addRun(github, jobs, { matrices: { test: { maxParallel: 1 } } });
    const { listener } = await attach(github, "one", [`gpu-${RUN_ID}-1`]);
    expect(await listener.poll()).toBeUndefined();
    run.job("a").cancel();
    expect(await listener.poll()).toBe(String(run.job("b").id));
  });

  test.each([
    [undefined, ["a failure", "b in_progress", "c cancelled"], true],
    [true, ["a failure", "b in_progress", "c cancelled"], true],
    [false, ["a failure", "b in_progress", "c queued"], false],
  ])("fail-fast %s: what a failed job does to its matrix", async (failFast, expected, requested) => {
    await using github = await startOn(1);
    const run = addRun(github, LEGS, failFast === undefined ? {} : { matrices: { test: { failFast } } });
    for (const name of ["a", "b"]) run.job(name).setStatus("in_progress");
    run.job("a").complete("failure");
    expect([states(run), run.job("b").cancelRequested]).toEqual([expected, requested]);
  });

  test("a cancelled job ends no other, and a job can need all of it", async () => {
    await using github = await startOn(1);
    const jobs = [leg("a"), leg("b"), { name: "report", labels: HOSTED, needs: ["test"] }];
    const run = addRun(github, jobs);
    run.job("a").cancel();
    expect(states(run)).toEqual(["a cancelled", "b queued", "report blocked"]);
    run.job("b").complete("failure");
    expect(states(run)).toEqual(["a cancelled", "b failure", "report skipped"]);
    const other = addRun(github, jobs, { runId: 100 });
    other.job("a").complete();
    expect(other.job("report").status).toBe("blocked");
    other.job("b").complete();
    expect(other.job("report").status).toBe("queued");
  });
});

describe("re-run", () => {
  /** A run as the README's, over: one job rents, the one on the GPU failed, one reports. */
  function addFailed(github: GithubStandIn): RunControl {
    const run = addRun(github, [
      { name: "lint", labels: HOSTED, status: "completed" },
      { name: "rent", labels: HOSTED, status: "in_progress" },
      { name: "test", labels: LABELS },
      { name: "report", labels: HOSTED, needs: ["test"] },
    ]);
    for (const name of ["rent", "test"]) run.job(name).complete("failure");
    return run;
  }
  const said = async (github: GithubStandIn, path: string) => {
    const { status, body } = await ask(github, `${REPOSITORY}/actions/${path}`, {
      method: "POST",
      token: github.jobToken,
    });
    return [status, body.message];
  };
  const all = `runs/${RUN_ID}/rerun`;

  test.each([
    ["failed jobs: those and what needs them", `${all}-failed-jobs`, "rent in_progress"],
    ["all jobs: nothing is kept", all, "rent in_progress"],
    ["one job: it, and what needs it; the job that rents is not among them", undefined, "rent failure"],
  ])("%s", async (_what, path, rent) => {
    await using github = await startOn(1);
    const first = addFailed(github);
    expect(states(first)).toEqual(["lint success", "rent failure", "test failure", "report skipped"]);
    expect((await said(github, path ?? `jobs/${first.job("test").id}/rerun`))[0]).toBe(201);
    const second = github.runs().at(-1);
    expect([second?.id, second?.attempt, second?.status]).toEqual([RUN_ID, 2, "in_progress"]);
    expect(states(second)).toEqual(["lint success", rent, "test queued", "report blocked"]);
    const test = (await listed(github, 2)).find(({ name }) => name === "test");
    expect(test?.labels).toEqual([`gpu-${RUN_ID}-2`]);
    expect(second?.job("lint").id).not.toBe(first.job("lint").id);
    // The old attempt is history.
    expect([first.status, first.conclusion]).toEqual(["completed", "failure"]);
  });

  test("of a run that is not over, one without failed jobs, an attempt of the past, or an unknown one is refused", async () => {
    await using github = await startOn(1);
    const first = addFailed(github);
    await said(github, all);
    const ofThePast = `jobs/${first.job("test").id}/rerun`;
    for (const path of [all, `${all}-failed-jobs`, ofThePast])
      expect(await said(github, path), path).toEqual([403, "This workflow run is already running"]);
    for (const name of ["rent", "test", "report"]) github.runs().at(-1)?.job(name).complete();
    for (const path of [`${all}-failed-jobs`, ofThePast])
      expect(await said(github, path), path).toEqual([403, "This workflow run cannot be retried"]);
    for (const path of ["runs/1/rerun", "jobs/1/rerun"]) expect((await said(github, path))[0]).toBe(404);
    expect(github.runs()).toHaveLength(2);
  });

  test("of a run older than a month is refused, and of one that was cancelled is not", async () => {
    await using github = await startOn(1);
    for (const [runId, days] of [
      [1, 31],
      [2, 29],
    ] as const)
      addRun(github, [{ name: "test", labels: ["gpu"] }], { runId, secondsAgo: days * 86_400 }).cancel();
    const message = "Unable to retry this workflow run because it was created over a month ago";
    expect(await said(github, "runs/1/rerun")).toEqual([403, message]);
    expect((await said(github, "runs/2/rerun"))[0]).toBe(201);
  });
});
