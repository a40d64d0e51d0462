import { expect, test } from "vitest";
import { scaledClock } from "../../simulator/clock/sim-clock.ts";
import { brokeOff, heard, isSilent, newSession } from "../../simulator/github/runners/runners.ts";
import type { GithubStandIn } from "../../simulator/github/start-github.ts";
import { register, startOn, until } from "./github-under-test.ts";

/** A listener without a machine: what the stand-in runner says, by hand. */
async function connect(github: GithubStandIn, name: string) {
  const { runner, encoded_jit_config } = (await register(github, name)).body;
  const files = JSON.parse(Buffer.from(encoded_jit_config, "base64").toString());
  const secret = JSON.parse(Buffer.from(files[".credentials"], "base64").toString()).Data.ClientId;
  const say = async (method: string, path: string, body?: string) => {
    const headers = { authorization: `Bearer ${secret}` };
    const response = await fetch(`${github.url}/_runner/${path}`, { method, headers, ...(body ? { body } : {}) });
    return { status: response.status, text: await response.text() };
  };
  const opened = await say("POST", "session?version=2.337.0");
  const session = opened.text.trim().split(" ")[1];
  return {
    id: runner.id as number,
    say,
    poll: async () => (await say("GET", `session/${session}/message`)).text.split("\n")[0],
    begin: async (job: number) => (await say("POST", `jobs/${job}/begin`)).status,
    close: () => say("DELETE", `session/${session}`),
  };
}

function addJob(github: GithubStandIn, name = "gpu") {
  const run = github.addRun({ repository: "octo/gpu-lib", jobs: [{ name, labels: ["gpu-1"], run: ["true"] }] });
  return { run, job: run.job(name) };
}

test("a poll without a message says none after a while, and does not fill the journal", async () => {
  await using github = await startOn(1);
  const listener = await connect(github, "one");
  expect(await listener.poll()).toBe("none");
  expect(github.journal.entries.filter(({ path }) => path.endsWith("/message"))).toEqual([]);
});

test("a runner that leaves before it began its job gives it to another one that waits", async () => {
  await using github = await startOn(1);
  const { job } = addJob(github);
  const [one, two] = [await connect(github, "one"), await connect(github, "two")];
  expect(await one.poll()).toBe("job");
  const waiting = two.poll();
  await one.close();
  expect(await waiting).toBe("job");
  expect(await two.begin(job.id)).toBe(200);
  expect(github.runners().map(({ name, online }) => [name, online])).toEqual([
    ["one", false],
    ["two", true],
  ]);
});

test("a runner that is held back gets no job while it is, and others do; when a job began is kept", async () => {
  await using github = await startOn(1);
  let isHeldBack = true;
  github.holdBack((name) => isHeldBack && name === "one");
  const first = addJob(github);
  const [one, two] = [await connect(github, "one"), await connect(github, "two")];
  expect([await one.poll(), await two.poll()]).toEqual(["none", "job"]);
  expect(first.job.startedAt).toBeNull();
  await two.begin(first.job.id);
  expect(first.job.startedAt).not.toBeNull();
  addJob(github);
  expect(await one.poll()).toBe("none");
  isHeldBack = false;
  expect(await one.poll()).toBe("job");
});

test("a runner that falls silent before it began its job loses it after a minute", async () => {
  await using github = await startOn(60);
  const { job } = addJob(github);
  const one = await connect(github, "one");
  expect(await one.poll()).toBe("job");
  await until(() => github.runners()[0]?.job === undefined);
  expect([job.status, github.runners()[0]?.online]).toEqual(["queued", false]);
});

test("a listener that breaks off in the middle of a poll is offline half a minute later", async () => {
  await using github = await startOn(60);
  const { body } = await register(github, "one");
  const files = JSON.parse(Buffer.from(body.encoded_jit_config, "base64").toString());
  const secret = JSON.parse(Buffer.from(files[".credentials"], "base64").toString()).Data.ClientId;
  const headers = { authorization: `Bearer ${secret}` };
  const opened = await fetch(`${github.url}/_runner/session`, { method: "POST", headers });
  const session = (await opened.text()).trim().split(" ")[1];
  const breaking = new AbortController();
  const poll = fetch(`${github.url}/_runner/session/${session}/message`, { headers, signal: breaking.signal });
  await new Promise((resolve) => setTimeout(resolve, 100));
  breaking.abort();
  await expect(poll).rejects.toThrow();
  expect(github.runners()[0]?.online).toBe(true);
  await until(() => github.runners()[0]?.online === false);
});

test("silence counts by the simulated clock, with a grace for a slow computer unless the connection broke", () => {
  let now = 0;
  const clock = { ...scaledClock(1), now: () => now };
  const session = newSession("id", clock);
  now = 31_000;
  expect(isSilent(session, clock)).toBe(false);
  brokeOff(session, clock);
  expect(isSilent(session, clock)).toBe(false);
  now = 62_000;
  expect(isSilent(session, clock)).toBe(true);
  heard(session, clock);
  expect(isSilent(session, clock)).toBe(false);
  session.seenAtReal -= 4_000;
  expect(isSilent(session, clock)).toBe(false);
  now = 93_000;
  expect(isSilent(session, clock)).toBe(true);
  session.answer = () => {};
  expect(isSilent(session, clock)).toBe(false);
});
