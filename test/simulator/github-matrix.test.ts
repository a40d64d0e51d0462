import { expect, test } from "vitest";
import type { GithubStandIn } from "../../simulator/github/start-github.ts";
import { register, startListener, startOn, until } from "./github-under-test.ts";

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

test("a matrix of which no job is one is refused", async () => {
  await using github = await startOn(1);
  const spec = { repository: "octo/gpu-lib", jobs: [gpu("3.11")], matrices: { tset: {} } };
  expect(() => github.addRun(spec)).toThrow("no job is of the matrix tset");
});
