import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { expect, test } from "vitest";
import type { GithubStandIn } from "../../simulator/github/start-github.ts";
import { type AttachedRunner, filesOf } from "./support/attached-runner.ts";
import { ask, attach, githubClock, REPOSITORY, register, startOn } from "./support/github.ts";
import type { HandClock } from "./support/hand-clock.ts";
import { until } from "./support/until.ts";

const MINUTE = 60;

function addJob(github: GithubStandIn, name = "gpu") {
  const run = github.addRun({ repository: "octo/gpu-lib", jobs: [{ name, labels: ["gpu-1"], run: ["true"] }] });
  return { run, job: run.job(name) };
}

/** A runner that has been given a job, on a clock that is wound by hand. */
async function assigned() {
  const clock = githubClock();
  const github = await startOn(clock);
  const { run, job } = addJob(github);
  const { id, listener } = await attach(github);
  expect(await listener.poll()).toBe(String(job.id));
  return { clock, github, run, job, id, listener };
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
  expect(body.encoded_jit_config.length).toBeGreaterThan(3_900);
  expect(body.encoded_jit_config.length).toBeLessThan(4_300);
  const files = filesOf(body.encoded_jit_config);
  expect(Object.keys(files)).toEqual([".runner", ".credentials", ".credentials_rsaparams"]);
  expect(files[".runner"]).toMatchObject({
    ...{ AgentId: String(body.runner.id), AgentName: "runner-1", ServerUrl: github.url },
    ...{ Ephemeral: true, DisableUpdate: "True" },
  });
  const parts = files[".credentials_rsaparams"] as Record<string, string>;
  const part = (name: string) => Buffer.from(parts[name] ?? "", "base64").toString("base64url");
  const numbers = { n: part("modulus"), e: part("exponent"), d: part("d"), p: part("p"), q: part("q") };
  const rest = { dp: part("dp"), dq: part("dq"), qi: part("inverseQ") };
  const key = createPrivateKey({ format: "jwk", key: { kty: "RSA", ...numbers, ...rest } });
  const signed = sign("sha256", Buffer.from("token"), key);
  expect(verify("sha256", Buffer.from("token"), createPublicKey(key), signed)).toBe(true);
});

test.each([
  ["no group", { runner_group_id: undefined }, 422, "missing required key: runner_group_id"],
  ["no labels", { labels: undefined }, 422, "missing required key: labels"],
  ["no name", { name: undefined }, 422, "missing required key: name"],
  ["an empty list of labels", { labels: [] }, 422, "/labels"],
  ["a long label", { labels: ["l".repeat(256)] }, 422, "Labels must be less than 256 characters in length"],
  ["101 labels", { labels: Array.from({ length: 101 }, (_none, index) => `l${index}`) }, 422, "/labels"],
  ["a name of 65 characters", { name: "n".repeat(65) }, 422, "/name"],
  ["GitHub's own group", { runner_group_id: 2 }, 403, "runner group"],
  ["an unknown group", { runner_group_id: 3 }, 404, "Not Found"],
])("a registration with %s is refused", async (_what, change, status, message) => {
  await using github = await startOn(1);
  const body = { name: "runner-1", runner_group_id: 1, labels: ["gpu-1"], ...change };
  const answer = await ask(github, `${REPOSITORY}/actions/runners/generate-jitconfig`, { method: "POST", body });
  expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(message)]);
  expect(github.runners()).toEqual([]);
});

test("a name of 64 characters is accepted, a second runner of it is a conflict until the first is gone", async () => {
  await using github = await startOn(1);
  const name = "n".repeat(64);
  const { body } = await register(github, name);
  const message = "Already exists - A runner with the name *** already exists.";
  expect(await register(github, name)).toMatchObject({ status: 409, body: { message } });
  await ask(github, `${REPOSITORY}/actions/runners/${body.runner.id}`, { method: "DELETE" });
  expect((await register(github, name)).status).toBe(201);
});

test("a poll without a message says none after a while, and does not fill the journal", async () => {
  await using github = await startOn(1);
  const { listener } = await attach(github);
  expect(await listener.poll()).toBeUndefined();
  expect(github.journal.entries.filter(({ path }) => path.endsWith("/message"))).toEqual([]);
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
  expect(github.runners().map(({ name, online }) => [name, online])).toEqual([
    ["one", false],
    ["two", true],
  ]);
});

test("a job with a label that the runner lacks, or of another repository, is not given to it", async () => {
  await using github = await startOn(1);
  const { listener } = await attach(github);
  const add = (repository: string, labels: string[]) => github.addRun({ repository, jobs: [{ name: "gpu", labels }] });
  add("octo/gpu-lib", ["gpu-1", "big"]);
  add("octo/other", ["gpu-1"]);
  const right = add("octo/gpu-lib", ["GPU-1"]);
  expect(await listener.poll()).toBe(String(right.job("gpu").id));
});

test("a runner that is held back gets no job while it is, and others do; when a job began is kept", async () => {
  await using github = await startOn(1);
  let isHeldBack = true;
  github.holdBack((name) => isHeldBack && name === "one");
  const { job } = addJob(github);
  const [one, two] = [await attach(github, "one"), await attach(github, "two")];
  expect([await one.listener.poll(), await two.listener.poll()]).toEqual([undefined, String(job.id)]);
  expect(job.startedAt).toBeNull();
  await two.listener.begin(job.id);
  expect(job.startedAt).not.toBeNull();
  const next = addJob(github);
  expect(await one.listener.poll()).toBeUndefined();
  isHeldBack = false;
  expect(await one.listener.poll()).toBe(String(next.job.id));
});

test("a runner that falls silent before it began its job loses it after a minute", async () => {
  await using github = await startOn(60);
  const { job } = addJob(github);
  const { listener } = await attach(github);
  await listener.poll();
  await until(() => github.runners()[0]?.job === undefined);
  expect([job.status, github.runners()[0]?.online]).toEqual(["queued", false]);
});

test("a listener that breaks off in the middle of a poll is offline half a minute later", async () => {
  const clock = githubClock();
  await using github = await startOn(clock);
  const { listener } = await attach(github);
  expect(await die(github, clock, listener)).toBeGreaterThan(29);
});

test("a job whose runner was killed fails 9 min 40 s later, and its step stays open", async () => {
  const { clock, github, job, listener } = await assigned();
  await using _github = github;
  await listener.begin(job.id);
  const seconds = await die(github, clock, listener);
  clock.advance(9 * MINUTE + 30 - seconds);
  expect(job.status).toBe("in_progress");
  clock.advance(16);
  expect([job.status, job.conclusion]).toEqual(["completed", "failure"]);
  expect(job.steps.map(({ status }) => status)).toEqual(["completed", "in_progress"]);
});

test("a job that was acquired and never started is cancelled after 15 min 14 s, and no other runner gets it", async () => {
  const { clock, github, job, listener } = await assigned();
  await using _github = github;
  github.answerRunners([{ request: "acquire", status: 500, binds: true }]);
  expect(await listener.begin(job.id)).toBe(500);
  await listener.close();
  clock.advance(2 * MINUTE);
  const other = await attach(github, "two");
  const waits = other.listener.poll();
  clock.advance(13 * MINUTE + 13);
  expect([job.status, await waits]).toEqual(["queued", undefined]);
  clock.advance(1);
  expect([job.status, job.conclusion, job.runnerName]).toEqual(["completed", "cancelled", undefined]);
});

test("a runner's record outlives its job by some seconds, busy, or not busy after a force-cancel", async () => {
  const { clock, github, id, job, listener, run } = await assigned();
  await using _github = github;
  const shown = async () => (await ask(github, `${REPOSITORY}/actions/runners/${id}`)).body;
  await listener.begin(job.id);
  run.forceCancel();
  expect([job.conclusion, (await shown()).busy]).toEqual(["cancelled", false]);
  clock.advance(10);
  expect((await shown()).message).toBe("Not Found");
  const next = addJob(github);
  const other = await attach(github, "two");
  await other.listener.finish(await other.listener.takeJob());
  const { body } = await ask(github, `${REPOSITORY}/actions/runners/${other.id}`);
  expect([next.job.conclusion, body.busy, body.status]).toEqual(["success", true, "offline"]);
  expect(github.runners()).toEqual([]);
});

test("runners of somebody else are registered, and are offline", async () => {
  await using github = await startOn(1);
  github.addOthers("octo/gpu-lib", 120);
  const { body } = await ask(github, `${REPOSITORY}/actions/runners?per_page=100`);
  expect(body).toMatchObject({ total_count: 120, runners: { length: 100, 0: { name: "other-1", status: "offline" } } });
});
