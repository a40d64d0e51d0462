import { expect, test } from "vitest";
import type { GithubStandIn } from "../../simulator/github/start-github.ts";
import { ask, REPOSITORY, register, startListener, startOn, until } from "./github-under-test.ts";

const RUN_ID = 99;
const gpu = (version: string, more: object = {}) => ({
  name: `test (${version})`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a workflow's own form
  labels: ["gpu-${{ github.run_id }}-${{ github.run_attempt }}"],
  matrix: "test",
  run: ["true"],
  ...more,
});

function addMatrix(
  github: GithubStandIn,
  matrix: { maxParallel?: number; failFast?: boolean } = {},
  more: object = {},
) {
  return github.addRun({
    repository: "octo/gpu-lib",
    runId: RUN_ID,
    jobs: [gpu("3.11", more), gpu("3.12", more), gpu("3.13", more)],
    matrices: { test: matrix },
  });
}

const statuses = (run: ReturnType<typeof addMatrix>) =>
  run.jobs().map(({ status, conclusion }) => conclusion ?? status);

async function runOne(github: GithubStandIn, name: string): Promise<void> {
  const { encoded_jit_config } = (await register(github, name, [`gpu-${RUN_ID}-1`])).body;
  await using listener = await startListener(github, encoded_jit_config);
  await listener.ended();
}

test("the jobs of a matrix ask for the label of their run, and each takes one runner", async () => {
  await using github = await startOn(1);
  const run = addMatrix(github);
  const jobs = `${REPOSITORY}/actions/runs/${RUN_ID}/attempts/1/jobs`;
  const { body } = await ask(github, jobs, { token: github.jobToken });
  expect(body.jobs.map((job: { labels: string[] }) => job.labels)).toEqual(Array(3).fill([`gpu-${RUN_ID}-1`]));
  for (const name of ["one", "two", "three"]) await runOne(github, name);
  expect(statuses(run)).toEqual(["success", "success", "success"]);
  expect(run.jobs().map(({ runnerName }) => runnerName)).toEqual(["one", "two", "three"]);
  expect(run.conclusion).toBe("success");
});

test("a single-use runner leaves the list with its job, and is not taken away; one beside it stays, until it is", async () => {
  await using github = await startOn(1);
  const run = addMatrix(github, {}, { run: ["while [[ ! -e go ]]; do sleep 0.05; done"] });
  const label = [`gpu-${RUN_ID}-1`];
  const { encoded_jit_config, runner: busy } = (await register(github, "busy", label)).body;
  const { runner: fresh } = (await register(github, "fresh", label)).body;
  await using listener = await startListener(github, encoded_jit_config);
  await until(() => run.job("test (3.11)").status === "in_progress");
  const list = async () => (await ask(github, `${REPOSITORY}/actions/runners`)).body;
  const states = (body: { runners: { name: string; status: string; busy: boolean }[] }) =>
    body.runners.map(({ name, status, busy }) => [name, status, busy]);
  expect(states(await list())).toEqual([
    ["busy", "online", true],
    ["fresh", "offline", false],
  ]);
  run.job("test (3.11)").cancel();
  await listener.ended();
  expect(states(await list())).toEqual([["fresh", "offline", false]]);
  expect((await list()).total_count).toBe(1);
  // Asks for both: the busy one is gone by then, so that nothing was taken.
  for (const id of [busy.id, fresh.id]) await ask(github, `${REPOSITORY}/actions/runners/${id}`, { method: "DELETE" });
  expect([busy.id, fresh.id].map((id) => github.wasTakenAway(id))).toEqual([false, true]);
});

test("the list of runners comes in pages, and costs nothing while it says the same", async () => {
  await using github = await startOn(1);
  for (const name of ["one", "two", "three"]) await register(github, name);
  const path = `${REPOSITORY}/actions/runners?per_page=2`;
  const first = await ask(github, path);
  expect(first.headers.get("link")).toContain('rel="next"');
  expect(first.body.runners.map(({ name }: { name: string }) => name)).toEqual(["one", "two"]);
  const counted = github.counted(github.runnerToken);
  const again = () => ask(github, path, { headers: { "if-none-match": first.headers.get("etag") ?? "" } });
  expect((await again()).status).toBe(304);
  expect(github.counted(github.runnerToken)).toBe(counted);
  github.dropRunner(first.body.runners[0].id);
  expect((await again()).status).toBe(200);
  const shown = await (await fetch(`${github.url}/_control/counted`)).json();
  expect(shown).toEqual({ runner: counted + 1, job: 0 });
});

test("max-parallel: jobs beyond it are queued, but no runner gets one before another is over", async () => {
  await using github = await startOn(1);
  const run = addMatrix(github, { maxParallel: 1 });
  run.job("test (3.11)").setStatus("in_progress");
  const label = [`gpu-${RUN_ID}-1`];
  const { encoded_jit_config } = (await register(github, "one", label)).body;
  await using listener = await startListener(github, encoded_jit_config);
  await until(() => listener.output.includes("Listening for Jobs"));
  expect(statuses(run)).toEqual(["in_progress", "queued", "queued"]);
  expect(github.runners().map(({ job }) => job)).toEqual([undefined]);
  run.job("test (3.11)").complete();
  expect(await listener.ended()).toBe(0);
  expect(statuses(run)).toEqual(["success", "success", "queued"]);
});

test("max-parallel: those at the head of the queue hold the places, whatever runner waits", async () => {
  await using github = await startOn(1);
  const run = github.addRun({
    repository: "octo/gpu-lib",
    runId: RUN_ID,
    jobs: [gpu("3.11", { labels: ["elsewhere"] }), gpu("3.12")],
    matrices: { test: { maxParallel: 1 } },
  });
  const { encoded_jit_config } = (await register(github, "one", [`gpu-${RUN_ID}-1`])).body;
  await using listener = await startListener(github, encoded_jit_config);
  await until(() => listener.output.includes("Listening for Jobs"));
  expect(github.runners()[0]?.job).toBeUndefined();
  run.job("test (3.11)").cancel();
  await listener.ended();
  expect(statuses(run)).toEqual(["cancelled", "success"]);
});

test.each([
  [true, ["failure", "in_progress", "cancelled"], true],
  [false, ["failure", "in_progress", "queued"], false],
])("fail-fast %s: what a failed job does to its matrix", async (failFast, expected, requested) => {
  await using github = await startOn(1);
  const run = addMatrix(github, { failFast });
  run.job("test (3.12)").setStatus("in_progress");
  run.job("test (3.11)").setStatus("in_progress");
  run.job("test (3.11)").complete("failure");
  expect(statuses(run)).toEqual(expected);
  const told = run.job("test (3.12)").cancelRequested;
  expect(told).toBe(requested);
});

test("fail-fast is the default, a cancelled job ends no other, and a job can need a whole matrix", async () => {
  await using github = await startOn(1);
  const jobs = [gpu("3.11"), gpu("3.12"), { name: "report", labels: ["ubuntu-latest"], needs: ["test"] }];
  const run = github.addRun({ repository: "octo/gpu-lib", jobs });
  run.job("test (3.11)").cancel();
  expect(statuses(run)).toEqual(["cancelled", "queued", "blocked"]);
  run.job("test (3.12)").complete("failure");
  expect(statuses(run)).toEqual(["cancelled", "failure", "skipped"]);
  const other = github.addRun({ repository: "octo/gpu-lib", jobs });
  other.job("test (3.11)").complete();
  expect(other.job("report").status).toBe("blocked");
  other.job("test (3.12)").complete();
  expect(other.job("report").status).toBe("queued");
  const third = github.addRun({ repository: "octo/gpu-lib", jobs });
  third.job("test (3.12)").complete("failure");
  expect(statuses(third)).toEqual(["cancelled", "failure", "skipped"]);
});

test("one job is cancelled by its control path, too", async () => {
  await using github = await startOn(1);
  const run = addMatrix(github);
  const url = `${github.url}/_control/jobs/${run.job("test (3.12)").id}`;
  const { status } = await fetch(url, { method: "POST", body: '{"cancel":true}' });
  expect([status, ...statuses(run)]).toEqual([200, "queued", "cancelled", "queued"]);
});

test("a matrix of which no job is one is refused", async () => {
  await using github = await startOn(1);
  const spec = { repository: "octo/gpu-lib", jobs: [gpu("3.11")], matrices: { tset: {} } };
  expect(() => github.addRun(spec)).toThrow("no job is of the matrix tset");
});
