import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { GithubStandIn } from "../../simulator/github/start-github.ts";
import { ask, githubClock, REPOSITORY, register, startOn } from "./support/github.ts";
import { until } from "./support/until.ts";

const RUNNERS = `${REPOSITORY}/actions/runners`;
const total = async (github: GithubStandIn) => (await ask(github, RUNNERS)).body.total_count;

test("a status fault answers in its operation's place, for as often as it says, and nothing happens", async () => {
  await using github = await startOn(1);
  const answer = { status: 503, body: { message: "busy" }, headers: { "retry-after": "7" } };
  github.setFaults([{ operation: "generateJitConfig", kind: "status", nth: 2, times: 2, ...answer }]);
  expect((await register(github, "a")).status).toBe(201);
  const hit = await register(github, "b");
  expect([hit.status, hit.body, hit.headers.get("retry-after")]).toEqual([503, { message: "busy" }, "7"]);
  expect([(await register(github, "b")).status, (await register(github, "b")).status]).toEqual([503, 201]);
  expect(github.runners().map(({ name }) => name)).toEqual(["a", "b"]);
});

test("a fault without nth hits every request, and only its own operation, until it is taken back", async () => {
  await using github = await startOn(1);
  github.setFaults([{ operation: "getRepository", kind: "status", status: 502 }]);
  for (const _ of [1, 2, 3]) expect((await ask(github, REPOSITORY)).status).toBe(502);
  expect((await register(github)).status).toBe(201);
  github.setFaults([]);
  expect((await ask(github, REPOSITORY)).status).toBe(200);
  // @ts-expect-error: what a script could send
  expect(() => github.setFaults([{ operation: "listJob", kind: "reset" }])).toThrow();
  // @ts-expect-error: what a script could send
  expect(() => github.setFaults([{ operation: "listJobs", kind: "reset", nht: 1 }])).toThrow();
});

test("an answer is delayed after the effect, and the request is counted as soon as it comes", async () => {
  await using github = await startOn(1);
  github.setFaults([{ operation: "generateJitConfig", kind: "delay", seconds: 3600, when: "after" }]);
  const abort = new AbortController();
  const asked = fetch(`${github.url}${RUNNERS}/generate-jitconfig`, {
    method: "POST",
    headers: { authorization: `Bearer ${github.runnerToken}` },
    body: JSON.stringify({ name: "a", labels: ["gpu"], runner_group_id: 1 }),
    signal: abort.signal,
  }).catch((error: Error) => error.name);
  await until(() => github.runners().length === 1);
  expect([github.arrived("generateJitConfig"), github.journal.of("generateJitConfig")]).toEqual([1, []]);
  abort.abort();
  expect(await asked).toBe("AbortError");
});

test("a stale list shows what it showed before, or so many seconds ago, and no older one", async () => {
  await using github = await startOn(1);
  const stale = { operation: "listRunners", kind: "stale" } as const;
  github.setFaults([
    { ...stale, nth: 2 },
    { ...stale, nth: 5, seconds: 3600 },
    { ...stale, nth: 6, seconds: 0 },
  ]);
  expect(await total(github)).toBe(0);
  await register(github, "a");
  expect([await total(github), await total(github)]).toEqual([0, 1]);
  await register(github, "b");
  expect([await total(github), await total(github), await total(github)]).toEqual([2, 0, 2]);
});

test.each([
  ["all", [3, 3]],
  ["shown", [2, 0]],
] as const)("a short list lacks rows, and its total counts those that are %s", async (totals, counts) => {
  await using github = await startOn(1);
  for (const name of ["a", "b", "c"]) await register(github, name);
  const short = { operation: "listRunners", kind: "short-list", total: totals } as const;
  github.setFaults([
    { ...short, lacks: 0b10, nth: 1 },
    { ...short, lacks: "all", nth: 2 },
  ]);
  const list = async () => {
    const { total_count, runners } = (await ask(github, RUNNERS)).body;
    return [total_count, ...runners.map(({ name }: { name: string }) => name)];
  };
  expect(await list()).toEqual([counts[0], "a", "c"]);
  expect(await list()).toEqual([counts[1]]);
  expect(await list()).toEqual([3, "a", "b", "c"]);
  expect(github.journal.of("listRunners").map(({ fault }) => fault)).toEqual(["short-list", "short-list", undefined]);
});

test("a token's requests of an hour are counted, and a new hour brings new ones", async () => {
  const clock = githubClock();
  await using github = await startOn(clock);
  github.setRateLimit(github.runnerToken, 1);
  const status = async () => (await ask(github, REPOSITORY)).status;
  expect([await status(), await status()]).toEqual([200, 403]);
  clock.advance(3600);
  expect(await status()).toBe(200);
});

test.each([
  ["a body that is not JSON", `${RUNNERS}/generate-jitconfig`, { method: "POST", body: "{" }, 400],
  ["no User-Agent", REPOSITORY, { headers: { "user-agent": "" } }, 403],
  ["a repository that there is not", "/repos/octo/other", {}, 404],
])("%s is refused", async (_what, path, asking, status) => {
  await using github = await startOn(1);
  expect((await ask(github, path, asking)).status).toBe(status);
});

test("a repository keeps its id, however its name is written", async () => {
  await using github = await startOn(1);
  expect((await ask(github, "/repos/Octo/GPU-Lib")).body.id).toBe((await ask(github, REPOSITORY)).body.id);
  github.addRun({ repository: "octo/other", repositoryId: 42, jobs: [{ name: "a", labels: ["b"] }] });
  expect((await ask(github, "/repos/octo/other")).body.id).toBe(42);
});

test("the journal names every request, its token and its end, but no token and no configuration", async () => {
  await using github = await startOn(1);
  const { body } = await register(github, "one", ["gpu"]);
  await ask(github, `${RUNNERS}?name=x`, { token: github.jobToken });
  await ask(github, "/nowhere", { token: "ghp_unknown" });
  await ask(github, REPOSITORY, { token: null });
  const request = expect.objectContaining({ name: "one", labels: ["gpu"] });
  const entry = (method: string, path: string, operation: string | undefined, token: string, status: number) => ({
    method,
    path,
    operation,
    token,
    status,
  });
  expect(github.journal.entries.map(({ at: _, ...each }) => each)).toEqual([
    { ...entry("POST", `${RUNNERS}/generate-jitconfig`, "generateJitConfig", "runner", 201), request },
    entry("GET", `${RUNNERS}?name=x`, "listRunners", "job", 403),
    entry("GET", "/nowhere", undefined, "unknown", 404),
    entry("GET", REPOSITORY, "getRepository", "none", 401),
  ]);
  const text = JSON.stringify(github.journal.entries);
  for (const secret of [github.runnerToken, github.jobToken, body.encoded_jit_config])
    expect(text).not.toContain(secret);
});

describe("its own paths", () => {
  const RUN = { repository: "octo/new", repositoryId: 5, runId: 6, jobs: [{ name: "gpu", labels: ["gpu-1"] }] };
  const post = (github: GithubStandIn, path: string, body: unknown) =>
    ask(github, `/_control/${path}`, { method: "POST", token: null, body });

  test("scripts add runs, drive jobs and set faults over HTTP, without a key", async () => {
    await using github = await startOn(1);
    const added = await post(github, "runs", RUN);
    expect([added.status, added.body.id, added.body.attempt]).toEqual([201, 6, 1]);
    const job = `jobs/${added.body.jobs[0].id}`;
    expect((await post(github, job, { status: "in_progress" })).body).toMatchObject({
      name: "gpu",
      status: "in_progress",
    });
    await post(github, job, { status: "completed", conclusion: "failure" });
    const runs = await ask(github, "/_control/runs", { token: null });
    expect(runs.body).toMatchObject([{ repository: "octo/new", status: "completed", conclusion: "failure" }]);
    await post(github, "faults", [{ operation: "getRepository", kind: "status", status: 500 }]);
    expect((await ask(github, "/repos/octo/new")).status).toBe(500);
  });

  test.each([
    ["runs", { ...RUN, job: [] }, 400],
    ["runs", "{", 400],
    ["faults", [{ operation: "nothing", kind: "reset" }], 400],
    ["jobs/1", {}, 404],
    ["nothing", {}, 404],
  ])("what is wrong with a request is said in one sentence: %s %j", async (path, body, status) => {
    await using github = await startOn(1);
    expect(await post(github, path, body)).toMatchObject({ status, body: { message: expect.stringMatching(/\w+/) } });
  });

  test("the runner archive is there behind a redirect, and its checksum is true unless the test says otherwise", async () => {
    await using github = await startOn(1);
    const read = async () =>
      (await ask(github, `${RUNNERS}/downloads`)).body.filter((each: { filename: string }) =>
        /linux-(x|arm)64/.test(each.filename),
      );
    for (const entry of await read()) {
      const manual = await fetch(entry.download_url, { redirect: "manual" });
      expect([manual.status, manual.headers.get("location")]).toEqual([302, expect.stringContaining(entry.filename)]);
      const bytes = Buffer.from(await (await fetch(entry.download_url)).arrayBuffer());
      expect(createHash("sha256").update(bytes).digest("hex")).toBe(entry.sha256_checksum);
      expect(entry.filename).toMatch(/^actions-runner-linux-(x64|arm64)-\d+\.\d+\.\d+\.tar\.gz$/);
    }
    const [x64, arm64] = await read();
    expect(x64.sha256_checksum).not.toBe(arm64.sha256_checksum);
    github.redirectDownloads(false);
    expect((await fetch(x64.download_url, { redirect: "manual" })).status).toBe(200);
    github.publishSha256("0".repeat(64));
    expect((await read())[0].sha256_checksum).toBe("0".repeat(64));
    github.publishSha256(null);
    expect((await read())[0]).not.toHaveProperty("sha256_checksum");
  });
});
