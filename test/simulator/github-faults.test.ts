import { expect, test } from "vitest";
import { ask, REPOSITORY, register, startOn, until } from "./github-under-test.ts";

test("a status fault answers in its operation's place, for as often as it says, and nothing happens", async () => {
  await using github = await startOn(1);
  const headers = { "retry-after": "7" };
  github.setFaults([
    {
      operation: "generateJitConfig",
      kind: "status",
      nth: 2,
      times: 2,
      status: 503,
      body: { message: "busy" },
      headers,
    },
  ]);
  expect((await register(github, "a")).status).toBe(201);
  const hit = await register(github, "b");
  expect([hit.status, hit.body, hit.headers.get("retry-after")]).toEqual([503, { message: "busy" }, "7"]);
  expect((await register(github, "b")).status).toBe(503);
  expect((await register(github, "b")).status).toBe(201);
  expect(github.runners().map(({ name }) => name)).toEqual(["a", "b"]);
});

test("a fault without nth hits every request, and only its own operation", async () => {
  await using github = await startOn(1);
  github.setFaults([{ operation: "getRepository", kind: "status", status: 502 }]);
  for (const _ of [1, 2, 3]) expect((await ask(github, REPOSITORY)).status).toBe(502);
  expect((await register(github)).status).toBe(201);
  github.setFaults([]);
  expect((await ask(github, REPOSITORY)).status).toBe(200);
});

test("a fault that is misspelt is refused", async () => {
  await using github = await startOn(1);
  // @ts-expect-error: what a script could send
  expect(() => github.setFaults([{ operation: "listJob", kind: "reset" }])).toThrow();
  // @ts-expect-error: what a script could send
  expect(() => github.setFaults([{ operation: "listJobs", kind: "reset", nht: 1 }])).toThrow();
});

test("an answer is delayed after the effect, and the request is counted as soon as it comes", async () => {
  await using github = await startOn(1);
  github.setFaults([{ operation: "generateJitConfig", kind: "delay", seconds: 3600, when: "after" }]);
  const abort = new AbortController();
  const asked = fetch(`${github.url}${REPOSITORY}/actions/runners/generate-jitconfig`, {
    method: "POST",
    headers: { authorization: `Bearer ${github.runnerToken}` },
    body: JSON.stringify({ name: "a", labels: ["gpu"], runner_group_id: 1 }),
    signal: abort.signal,
  }).catch((error: Error) => error.name);
  await until(() => github.runners().length === 1);
  expect(github.arrived("generateJitConfig")).toBe(1);
  expect(github.journal.of("generateJitConfig")).toEqual([]);
  abort.abort();
  expect(await asked).toBe("AbortError");
});

test("a stale list shows what it showed before", async () => {
  await using github = await startOn(1);
  github.setFaults([{ operation: "listRunners", kind: "stale", nth: 2 }]);
  const list = async () => (await ask(github, `${REPOSITORY}/actions/runners`)).body.total_count;
  expect(await list()).toBe(0);
  await register(github, "a");
  expect([await list(), await list()]).toEqual([0, 1]);
});

test("a stale list of so many seconds shows what it showed then, and no older one", async () => {
  await using github = await startOn(1);
  const stale = { operation: "listRunners", kind: "stale" } as const;
  github.setFaults([
    { ...stale, nth: 4, seconds: 3600 },
    { ...stale, nth: 5, seconds: 0 },
  ]);
  const list = async () => (await ask(github, `${REPOSITORY}/actions/runners`)).body.total_count;
  expect(await list()).toBe(0);
  await register(github, "a");
  expect(await list()).toBe(1);
  await register(github, "b");
  expect([await list(), await list(), await list()]).toEqual([2, 0, 2]);
});

test.each([
  ["all", [3, 3]],
  ["shown", [2, 0]],
] as const)("a short list lacks rows, and its total counts those that are %s", async (total, counts) => {
  await using github = await startOn(1);
  for (const name of ["a", "b", "c"]) await register(github, name);
  const short = { operation: "listRunners", kind: "short-list", total } as const;
  github.setFaults([
    { ...short, lacks: 0b10, nth: 1 },
    { ...short, lacks: "all", nth: 2 },
  ]);
  const list = async () => {
    const { total_count, runners } = (await ask(github, `${REPOSITORY}/actions/runners`)).body;
    return [total_count, runners.map(({ name }: { name: string }) => name)];
  };
  expect(await list()).toEqual([counts[0], ["a", "c"]]);
  expect(await list()).toEqual([counts[1], []]);
  expect(await list()).toEqual([3, ["a", "b", "c"]]);
  expect(github.journal.of("listRunners").map(({ fault }) => fault)).toEqual(["short-list", "short-list", undefined]);
});

test("runners of somebody else are registered, and are offline", async () => {
  await using github = await startOn(1);
  github.addOthers("octo/gpu-lib", 120);
  const { body } = await ask(github, `${REPOSITORY}/actions/runners?per_page=100`);
  expect(body).toMatchObject({ total_count: 120, runners: { length: 100, 0: { name: "other-1", status: "offline" } } });
});
