import { expect, test } from "vitest";
import { ask, REPOSITORY, register, startOn } from "./github-under-test.ts";

const REGISTER = `${REPOSITORY}/actions/runners/generate-jitconfig`;

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
  expect(await ask(github, REGISTER, { method: "POST", body: "{" })).toMatchObject({
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
      path: REGISTER,
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
