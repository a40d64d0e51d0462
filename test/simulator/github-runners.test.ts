import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { expect, test } from "vitest";
import type { RunSpec } from "../../simulator/github/runs/run-record.ts";
import type { GithubStandIn } from "../../simulator/github/start-github.ts";
import { type AttachedRunner, filesOf } from "./support/attached-runner.ts";
import { ask, attach, githubClock, REPOSITORY, register, startOn } from "./support/github.ts";
import type { HandClock } from "./support/hand-clock.ts";
import { until } from "./support/until.ts";

const MINUTE = 60;
const LABELS = ["gpu-1"];

function addJob(github: GithubStandIn) {
  const run = github.addRun({ repository: "octo/gpu-lib", jobs: [{ name: "gpu", labels: LABELS }] });
  return { run, job: run.job("gpu") };
}

/** A runner that has been given a job, on a clock that is wound by hand. */
async function assigned() {
  const clock = githubClock();
  const github = await startOn(clock);
  const { run, job } = addJob(github);
  const { id, listener } = await attach(github);
  expect(await listener.poll()).toBe(String(job.id));
  return { clock, github, run, job, id, listener, [Symbol.asyncDispose]: () => github[Symbol.asyncDispose]() };
}

/** The machine of a listener dies while it waits for its next message; gives the seconds until that is seen. */
async function die(github: GithubStandIn, clock: HandClock, listener: AttachedRunner): Promise<number> {
  const dying = new AbortController();
  const asked = listener.poll(dying.signal);
  await new Promise((resolve) => setTimeout(resolve, 50));
  dying.abort();
  await expect(asked).rejects.toThrow();
  let seconds = 0;
  await until(() => {
    clock.advance(1);
    seconds += 1;
    return github.runners()[0]?.online === false;
  });
  return seconds;
}

test("the configuration is what the runner application expects, as long as GitHub's, with a real key that signs", async () => {
  await using github = await startOn(1);
  const { body } = await register(github);
  expect(Math.abs(body.encoded_jit_config.length - 4100)).toBeLessThan(200);
  const files = filesOf(body.encoded_jit_config);
  expect(Object.keys(files)).toEqual([".runner", ".credentials", ".credentials_rsaparams"]);
  const settings = { AgentId: String(body.runner.id), AgentName: "runner-1", ServerUrl: github.url, Ephemeral: true };
  expect(files[".runner"]).toMatchObject({ ...settings, DisableUpdate: "True" });
  const parts = files[".credentials_rsaparams"] as Record<string, string>;
  const part = (name: string) => Buffer.from(parts[name] ?? "", "base64").toString("base64url");
  const numbers = { n: part("modulus"), e: part("exponent"), d: part("d"), p: part("p"), q: part("q") };
  const rest = { dp: part("dp"), dq: part("dq"), qi: part("inverseQ") };
  const key = createPrivateKey({ format: "jwk", key: { kty: "RSA", ...numbers, ...rest } });
  const signed = sign("sha256", Buffer.from("token"), key);
  expect(verify("sha256", Buffer.from("token"), createPublicKey(key), signed)).toBe(true);
});

test("a runner that leaves before it began its job gives it to another one that waits", async () => {
  await using github = await startOn(1);
  const { job } = addJob(github);
  const [one, two] = [await attach(github, "one"), await attach(github, "two")];
  expect(await one.listener.poll()).toBe(String(job.id));
  const waiting = two.listener.poll();
  await one.listener.close();
  expect(await waiting).toBe(String(job.id));
  expect(await two.listener.begin(job.id)).toBe(200);
});

test("a job with a label that the runner lacks, of another repository, or that is held back, is not given to it", async () => {
  await using github = await startOn(1);
  let isHeldBack = true;
  github.holdBack(() => isHeldBack);
  const { listener } = await attach(github);
  const add = (repository: string, labels: string[]) => github.addRun({ repository, jobs: [{ name: "gpu", labels }] });
  add("octo/gpu-lib", ["gpu-1", "big"]);
  add("octo/other", ["gpu-1"]);
  const right = add("octo/gpu-lib", ["GPU-1"]);
  expect(await listener.poll()).toBeUndefined();
  expect(github.journal.entries.filter(({ path }) => path.endsWith("/message"))).toEqual([]);
  isHeldBack = false;
  expect(await listener.poll()).toBe(String(right.job("gpu").id));
});

test("a runner that falls silent before it began its job loses it after a minute", async () => {
  await using github = await startOn(60);
  const { job } = addJob(github);
  await (await attach(github)).listener.poll();
  await until(() => github.runners()[0]?.job === undefined);
  expect([job.status, github.runners()[0]?.online]).toEqual(["queued", false]);
});

test("a killed runner is offline half a minute later; its job fails after 9 min 40 s, with its step open", async () => {
  await using world = await assigned();
  const { clock, github, job, listener } = world;
  await listener.begin(job.id);
  const seconds = await die(github, clock, listener);
  expect(seconds).toBeGreaterThan(29);
  clock.advance(9 * MINUTE + 30 - seconds);
  expect(job.status).toBe("in_progress");
  clock.advance(16);
  expect([job.status, job.conclusion]).toEqual(["completed", "failure"]);
  expect(job.steps.map(({ status }) => status)).toEqual(["completed", "in_progress"]);
});

test("a job that was acquired and never started is cancelled after 15 min 14 s, and no other runner gets it", async () => {
  await using world = await assigned();
  const { clock, github, job, listener } = world;
  github.answerRunners([{ request: "acquire", status: 500, binds: true }]);
  expect(await listener.begin(job.id)).toBe(500);
  await listener.close();
  clock.advance(2 * MINUTE);
  const waits = (await attach(github, "two")).listener.poll();
  clock.advance(13 * MINUTE + 13);
  expect([job.status, await waits]).toEqual(["queued", undefined]);
  clock.advance(1);
  expect([job.status, job.conclusion, job.runnerName]).toEqual(["completed", "cancelled", undefined]);
});

test("a runner's record outlives its job by some seconds, and is not busy after a force-cancel", async () => {
  await using world = await assigned();
  const { clock, github, id, job, listener, run } = world;
  const shown = async () => (await ask(github, `${REPOSITORY}/actions/runners/${id}`)).body;
  await listener.begin(job.id);
  run.forceCancel();
  expect([job.conclusion, (await shown()).busy]).toEqual(["cancelled", false]);
  clock.advance(10);
  expect((await shown()).message).toBe("Not Found");
});

const leg = (name: string, labels = LABELS) => ({ name, labels, matrix: "test" });
const REPORTED: RunSpec["jobs"] = [leg("a"), leg("b"), leg("c"), { name: "after", labels: LABELS, needs: ["test"] }];

test("the books keep when each runner came and went, and whether a request took it away", async () => {
  await using world = await assigned();
  const { clock, github, id, job, listener } = world;
  const begun = clock.now();
  const other = await attach(github, "two");
  clock.advance(20);
  await listener.begin(job.id);
  job.complete();
  clock.advance(20);
  await ask(github, `${REPOSITORY}/actions/runners/${other.id}`, { method: "DELETE" });
  expect(github.runnersEver()).toMatchObject([
    { id, onlineAt: begun, goneAt: begun + 20_000, isTakenAway: false },
    { id: other.id, onlineAt: begun, goneAt: begun + 40_000, isTakenAway: true },
  ]);
});

test.each([
  [undefined, ["failure", "cancelling", "cancelled", "blocked"]],
  [false, ["failure", "in_progress", "queued", "blocked"]],
])("fail-fast %s: what a failed job does to its matrix, and to what needs all of it", async (failFast, then) => {
  await using github = await startOn(1);
  const matrices = failFast === undefined ? {} : { test: { failFast } };
  const run = github.addRun({ repository: "octo/gpu-lib", jobs: REPORTED, matrices });
  for (const name of ["a", "b"]) run.job(name).setStatus("in_progress");
  run.job("a").complete("failure");
  const states = run.jobs().map((job) => (job.cancelRequested ? "cancelling" : (job.conclusion ?? job.status)));
  expect(states).toEqual(then);
  for (const job of run.jobs()) if (["in_progress", "queued"].includes(job.status)) job.complete();
  expect([run.job("after").conclusion, run.conclusion]).toEqual(["skipped", "failure"]);
});

test("max-parallel: those at the head of the queue hold the places, whatever runner waits", async () => {
  await using github = await startOn(1);
  const matrices = { test: { maxParallel: 1 } };
  const run = github.addRun({ repository: "octo/gpu-lib", jobs: [leg("a", ["elsewhere"]), leg("b")], matrices });
  const { listener } = await attach(github);
  expect(await listener.poll()).toBeUndefined();
  run.job("a").cancel();
  expect(await listener.poll()).toBe(String(run.job("b").id));
});

test("a re-run of one job has it and what needs it; one of a run that goes on, or is a month old, is refused", async () => {
  await using github = await startOn(1);
  const jobs = [
    { name: "rent", labels: LABELS },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a workflow's own form
    { name: "test", labels: ["gpu-${{ github.run_attempt }}"] },
    { name: "report", labels: LABELS, needs: ["test"] },
  ];
  const rerun = async (run: { job(name: string): { id: number } }) => {
    const path = `${REPOSITORY}/actions/jobs/${run.job("test").id}/rerun`;
    return (await ask(github, path, { method: "POST", token: github.jobToken })).body.message;
  };
  const run = github.addRun({ repository: "octo/gpu-lib", jobs });
  run.job("rent").complete("failure");
  expect(await rerun(run)).toBe("This workflow run is already running");
  run.job("test").complete("failure");
  expect(await rerun(run)).toBeUndefined();
  const states = github.runs().at(-1)?.jobs();
  expect(states?.map(({ name, status, conclusion }) => `${name} ${conclusion ?? status}`)).toEqual([
    ...["rent failure", "test queued", "report blocked"],
  ]);
  expect(states?.[1]?.labels).toEqual(["gpu-2"]);
  const old = github.addRun({ repository: "octo/gpu-lib", secondsAgo: 31 * 86_400, jobs: jobs.slice(0, 2) });
  for (const name of ["rent", "test"]) old.job(name).complete("failure");
  const month = "Unable to retry this workflow run because it was created over a month ago";
  expect(await rerun(old)).toBe(month);
});
