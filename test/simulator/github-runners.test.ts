import { afterEach, beforeEach, expect, test } from "vitest";
import type { GithubStandIn } from "../../simulator/github/start-github.ts";
import { ask, REPOSITORY, register, startOn } from "./github-under-test.ts";

const RUNNERS = `${REPOSITORY}/actions/runners`;
let github: GithubStandIn;
beforeEach(async () => {
  github = await startOn(1);
});
afterEach(async () => github[Symbol.asyncDispose]());

test("a registered runner is offline, single-use, and has exactly the labels it asked for, in lower case", async () => {
  const { status, body } = await register(github, "runner-1", ["GPU-7", "gpu-7", "Big"]);
  expect(status).toBe(201);
  expect(body.runner).toEqual({
    id: body.runner.id,
    name: "runner-1",
    os: "unknown",
    status: "offline",
    busy: false,
    ephemeral: true,
    runner_group_id: 1,
    labels: [
      { id: 0, name: "gpu-7", type: "read-only" },
      { id: 0, name: "big", type: "read-only" },
    ],
  });
  expect((await ask(github, `${RUNNERS}/${body.runner.id}`)).body).toEqual(body.runner);
});

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

test("a removed runner is gone", async () => {
  const { id } = (await register(github)).body.runner;
  await ask(github, `${RUNNERS}/${id}`, { method: "DELETE" });
  expect((await ask(github, `${RUNNERS}/${id}`)).status).toBe(404);
  expect((await ask(github, `${RUNNERS}/${id}`, { method: "DELETE" })).status).toBe(404);
});

test("the list has pages with links, and a filter that may find more than one name", async () => {
  for (const name of ["gpu-a-1", "gpu-a-10", "gpu-b-1"]) await register(github, name);
  const all = await ask(github, `${RUNNERS}?per_page=2&page=1`);
  expect([all.body.total_count, all.body.runners.length]).toEqual([3, 2]);
  const next = /<([^>]+)>; rel="next"/.exec(all.headers.get("link") ?? "")?.[1] ?? "";
  const rest = await ask(github, next.replace(github.url, ""));
  expect(rest.body.runners.map((runner: { name: string }) => runner.name)).toEqual(["gpu-b-1"]);
  expect(rest.headers.get("link")).toContain('rel="first"');
  const named = await ask(github, `${RUNNERS}?name=gpu-a-1`);
  expect(named.body.runners.map((runner: { name: string }) => runner.name)).toEqual(["gpu-a-1", "gpu-a-10"]);
  expect((await ask(github, `${RUNNERS}?per_page=100`)).headers.get("link")).toBeNull();
});

test("the API also answers as an Enterprise Server does, and its links stay there", async () => {
  const answer = await ask(github, `/api/v3${REPOSITORY}`);
  expect([answer.status, answer.body.url]).toEqual([200, `${github.url}/api/v3${REPOSITORY}`]);
  expect(answer.body.full_name).toBe("octo/gpu-lib");
});

test("a repository keeps its id, however its name is written, and an unknown one is not found", async () => {
  const { body } = await ask(github, REPOSITORY);
  expect((await ask(github, "/repos/Octo/GPU-Lib")).body.id).toBe(body.id);
  expect((await ask(github, "/repos/octo/other")).status).toBe(404);
  github.addRun({ repository: "octo/other", repositoryId: 42, jobs: [{ name: "a", labels: ["b"] }] });
  expect((await ask(github, "/repos/octo/other")).body.id).toBe(42);
});

test("runners of another repository are not shown", async () => {
  const { id } = (await register(github)).body.runner;
  github.addRun({ repository: "octo/other", jobs: [{ name: "a", labels: ["b"] }] });
  expect((await ask(github, `/repos/octo/other/actions/runners/${id}`)).status).toBe(404);
  expect((await ask(github, "/repos/octo/other/actions/runners")).body.total_count).toBe(0);
});
