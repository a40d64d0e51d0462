import { expect, test } from "vitest";
import type { GithubStandIn } from "../../simulator/github/start-github.ts";
import { ask, REPOSITORY, register, startOn } from "./support/github.ts";
import { until } from "./support/until.ts";

const RUNNERS = `${REPOSITORY}/actions/runners`;
/** What a list says: its total, and the names in it. */
async function list(github: GithubStandIn) {
  const { total_count, runners } = (await ask(github, RUNNERS)).body;
  return [total_count, ...runners.map(({ name }: { name: string }) => name)];
}
/** Asks one of its own paths. */
const post = (github: GithubStandIn, path: string, body: unknown) =>
  ask(github, `/_control/${path}`, { method: "POST", token: null, body });

test("an answer is delayed after the effect, and the request is counted as soon as it comes", async () => {
  await using github = await startOn(1);
  github.setFaults([{ operation: "generateJitConfig", kind: "delay", seconds: 3600, when: "after" }]);
  const asked = register(github).catch((error: Error) => error.message);
  await until(() => github.runners().length === 1);
  expect([github.arrived("generateJitConfig"), github.journal.of("generateJitConfig")]).toEqual([1, []]);
  await github[Symbol.asyncDispose]();
  expect(await asked).toBe("fetch failed");
});

test("a stale list shows what it showed before, or so many seconds ago, and no older one", async () => {
  await using github = await startOn(1);
  const stale = { operation: "listRunners", kind: "stale" } as const;
  const [later, now] = [
    { ...stale, nth: 5, seconds: 3600 },
    { ...stale, nth: 6, seconds: 0 },
  ];
  github.setFaults([{ ...stale, nth: 2 }, later, now]);
  const total = async () => (await list(github))[0];
  expect(await total()).toBe(0);
  await register(github, "a");
  expect([await total(), await total()]).toEqual([0, 1]);
  await register(github, "b");
  expect([await total(), await total(), await total()]).toEqual([2, 0, 2]);
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
  expect([await list(github), await list(github)]).toEqual([[counts[0], "a", "c"], [counts[1]]]);
  expect(await list(github)).toEqual([3, "a", "b", "c"]);
});

const RUN = { repository: "octo/new", repositoryId: 5, runId: 6, jobs: [{ name: "gpu", labels: ["gpu-1"] }] };

test("scripts add runs, drive jobs and set faults over HTTP, without a key", async () => {
  await using github = await startOn(1);
  const added = await post(github, "runs", RUN);
  expect(added).toMatchObject({ status: 201, body: { id: 6, attempt: 1 } });
  const job = `jobs/${added.body.jobs[0].id}`;
  const status = "in_progress";
  expect((await post(github, job, { status })).body).toMatchObject({ name: "gpu", status });
  await post(github, job, { status: "completed", conclusion: "failure" });
  const runs = await ask(github, "/_control/runs", { token: null });
  expect(runs.body).toMatchObject([{ repository: "octo/new", status: "completed", conclusion: "failure" }]);
  expect((await ask(github, "/repos/octo/NEW")).body.id).toBe(5);
  await post(github, "faults", [{ operation: "getRepository", kind: "status", status: 500 }]);
  expect((await ask(github, "/repos/octo/new")).status).toBe(500);
});
