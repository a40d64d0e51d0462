import { expect, test } from "vitest";
import { ask, REPOSITORY, register, startOn } from "./github-under-test.ts";

const MINT = `${REPOSITORY}/actions/runners/generate-jitconfig`;

test("without a known token nothing is answered", async () => {
  await using github = await startOn(1);
  expect(await ask(github, REPOSITORY, { token: null })).toMatchObject({
    status: 401,
    body: { message: "Requires authentication" },
  });
  expect(await ask(github, REPOSITORY, { token: "ghp_unknown" })).toMatchObject({
    status: 401,
    body: { message: "Bad credentials", status: "401" },
  });
});

test("a workflow's token may not register, a person's token without the permission neither, and both are told which", async () => {
  await using github = await startOn(1, {
    tokens: {
      none: { name: "none", kind: "personal", permissions: {} },
      reader: { name: "reader", kind: "personal", permissions: { administration: "read", actions: "read" } },
    },
  });
  const body = { name: "a", runner_group_id: 1, labels: ["b"] };
  const byJob = await ask(github, MINT, { method: "POST", body, token: github.jobToken });
  expect([byJob.status, byJob.body.message]).toEqual([403, "Resource not accessible by integration"]);
  for (const token of ["none", "reader"]) {
    const refused = await ask(github, MINT, { method: "POST", body, token });
    expect([refused.status, refused.body.message]).toEqual([403, "Resource not accessible by personal access token"]);
    expect(refused.headers.get("x-accepted-github-permissions")).toBe("administration=write");
  }
  expect(github.runners()).toEqual([]);
  expect((await ask(github, `${REPOSITORY}/actions/runners`, { token: "reader" })).status).toBe(200);
  expect((await ask(github, `${REPOSITORY}/actions/runners`, { token: "none" })).status).toBe(403);
});

test("reading jobs and cancelling are two levels of the same permission", async () => {
  await using github = await startOn(1, {
    tokens: { reader: { name: "reader", kind: "integration", permissions: { actions: "read" } } },
  });
  const run = github.addRun({ repository: "octo/gpu-lib", jobs: [{ name: "a", labels: ["b"] }] });
  const path = `${REPOSITORY}/actions/runs/${run.id}`;
  expect((await ask(github, `${path}/attempts/1/jobs`, { token: "reader" })).status).toBe(200);
  const refused = await ask(github, `${path}/cancel`, { method: "POST", token: "reader" });
  expect(refused.status).toBe(403);
  expect(refused.headers.get("x-accepted-github-permissions")).toBe("actions=write");
  expect((await ask(github, path)).status).toBe(403);
  expect((await ask(github, `${path}/cancel`, { method: "POST", token: github.jobToken })).status).toBe(202);
});

test("an answer that did not change is 304, is free, and has no body; the ETag changes with the answer", async () => {
  await using github = await startOn(1);
  const run = github.addRun({ repository: "octo/gpu-lib", jobs: [{ name: "a", labels: ["b"] }] });
  const path = `${REPOSITORY}/actions/runs/${run.id}/attempts/1/jobs`;
  const token = github.jobToken;
  const first = await ask(github, path, { token });
  const etag = first.headers.get("etag") ?? "";
  expect(etag).toMatch(/^W\/"[0-9a-f]{64}"$/);
  const second = await ask(github, path, { token, headers: { "if-none-match": etag } });
  expect([second.status, second.body, second.headers.get("etag")]).toEqual([304, undefined, etag]);
  expect(second.headers.get("x-ratelimit-used")).toBe("1");
  run.job("a").setStatus("in_progress");
  const third = await ask(github, path, { token, headers: { "if-none-match": etag } });
  expect([third.status, third.headers.get("etag") === etag]).toEqual([200, false]);
  expect(github.counted(token)).toBe(2);
});

test("when the requests of an hour are used up, the next are refused until the hour is over", async () => {
  await using github = await startOn(1);
  github.setRateLimit(github.runnerToken, 2);
  const first = await ask(github, REPOSITORY);
  expect(first.headers.get("x-ratelimit-remaining")).toBe("1");
  const { headers } = await ask(github, REPOSITORY);
  expect([headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")]).toEqual(["2", "0"]);
  await using slow = await startOn(1);
  slow.setRateLimit(slow.runnerToken, 1);
  await ask(slow, REPOSITORY);
  const refused = await ask(slow, REPOSITORY);
  expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining("rate limit")]);
  const inSeconds = Number(refused.headers.get("x-ratelimit-reset")) - Date.now() / 1000;
  expect(inSeconds).toBeGreaterThan(3_500);
  expect((await ask(slow, REPOSITORY, { token: slow.jobToken })).status).toBe(200);
});

test("a new hour brings new requests", async () => {
  await using github = await startOn(1_000_000);
  github.setRateLimit(github.runnerToken, 1);
  await ask(github, REPOSITORY);
  // An hour of this clock is less than 4 real milliseconds.
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect((await ask(github, REPOSITORY)).status).toBe(200);
});

test("a body that is not JSON is refused, and so is a request without a User-Agent", async () => {
  await using github = await startOn(1);
  expect(await ask(github, MINT, { method: "POST", body: "{" })).toMatchObject({
    status: 400,
    body: { message: "Problems parsing JSON" },
  });
  expect((await ask(github, REPOSITORY, { headers: { "user-agent": "" } })).status).toBe(403);
});

test("the journal names every request, its token and its end, but no token and no configuration", async () => {
  await using github = await startOn(1);
  const { body } = await register(github);
  await ask(github, `${REPOSITORY}/actions/runners?name=x`, { token: github.jobToken });
  await ask(github, "/nowhere", { token: "ghp_unknown" });
  await ask(github, REPOSITORY, { token: null });
  expect(github.journal.entries.map(({ at: _, ...entry }) => entry)).toEqual([
    {
      method: "POST",
      path: MINT,
      operation: "generateJitConfig",
      token: "runner",
      request: expect.objectContaining({ name: expect.any(String), labels: expect.any(Array) }),
      status: 201,
    },
    {
      method: "GET",
      path: `${REPOSITORY}/actions/runners?name=x`,
      operation: "listRunners",
      token: "job",
      status: 403,
    },
    { method: "GET", path: "/nowhere", operation: undefined, token: "unknown", status: 404 },
    { method: "GET", path: REPOSITORY, operation: "getRepository", token: "none", status: 401 },
  ]);
  const text = JSON.stringify(github.journal.entries);
  for (const secret of [github.runnerToken, github.jobToken, body.encoded_jit_config])
    expect(text).not.toContain(secret);
});
