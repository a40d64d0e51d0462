import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { GithubStandIn } from "../../simulator/github/start-github.ts";
import { ask, REPOSITORY, register, startOn } from "./github-under-test.ts";

const RUNNERS = `${REPOSITORY}/actions/runners`;
let github: GithubStandIn;
beforeEach(async () => {
  github = await startOn(1);
});
afterEach(async () => github[Symbol.asyncDispose]());

test("the configuration is what the runner application expects, and as long as GitHub's", async () => {
  const { body } = await register(github);
  expect(body.encoded_jit_config.length).toBeGreaterThan(3_900);
  expect(body.encoded_jit_config.length).toBeLessThan(4_300);
  const files = JSON.parse(Buffer.from(body.encoded_jit_config, "base64").toString());
  expect(Object.keys(files)).toEqual([".runner", ".credentials", ".credentials_rsaparams"]);
  expect(JSON.parse(Buffer.from(files[".runner"], "base64").toString())).toMatchObject({
    AgentId: String(body.runner.id),
    AgentName: "runner-1",
    Ephemeral: true,
    DisableUpdate: "True",
    ServerUrl: github.url,
  });
});

test("the configuration holds a real key, with which the runner application signs", async () => {
  const { body } = await register(github);
  const files = JSON.parse(Buffer.from(body.encoded_jit_config, "base64").toString());
  const parts = JSON.parse(Buffer.from(files[".credentials_rsaparams"], "base64").toString());
  const part = (name: string) => Buffer.from(parts[name], "base64").toString("base64url");
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
  ["101 labels", { labels: Array.from({ length: 101 }, (_, index) => `l${index}`) }, 422, "/labels"],
  ["a name of 65 characters", { name: "n".repeat(65) }, 422, "/name"],
  ["GitHub's own group", { runner_group_id: 2 }, 403, "runner group"],
  ["an unknown group", { runner_group_id: 3 }, 404, "Not Found"],
])("a registration with %s is refused", async (_, change, status, message) => {
  const body = { name: "runner-1", runner_group_id: 1, labels: ["gpu-1"], ...change };
  const answer = await ask(github, `${RUNNERS}/generate-jitconfig`, { method: "POST", body });
  expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(message)]);
  expect(github.runners()).toEqual([]);
});

test("a name of 64 characters is accepted, a second runner of the same name is a conflict until the first is gone", async () => {
  const name = "n".repeat(64);
  const first = await register(github, name);
  const second = await register(github, name);
  expect(second.status).toBe(409);
  expect(second.body.message).toBe("Already exists - A runner with the name *** already exists.");
  const removed = await ask(github, `${RUNNERS}/${first.body.runner.id}`, { method: "DELETE" });
  expect([removed.status, removed.body]).toEqual([204, undefined]);
  expect((await register(github, name)).status).toBe(201);
});

test("a repository keeps its id, however its name is written, and an unknown one is not found", async () => {
  const { body } = await ask(github, REPOSITORY);
  expect((await ask(github, "/repos/Octo/GPU-Lib")).body.id).toBe(body.id);
  expect((await ask(github, "/repos/octo/other")).status).toBe(404);
  github.addRun({ repository: "octo/other", repositoryId: 42, jobs: [{ name: "a", labels: ["b"] }] });
  expect((await ask(github, "/repos/octo/other")).body.id).toBe(42);
});
