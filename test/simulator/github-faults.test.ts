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

test("an answer is delayed after the effect, and the request is counted as soon as it comes", async () => {
  await using github = await startOn(1);
  github.setFaults([{ operation: "generateJitConfig", kind: "delay", seconds: 3600, when: "after" }]);
  const asked = register(github).catch((error: Error) => error.message);
  await until(() => github.runners().length === 1);
  expect([github.arrived("generateJitConfig"), github.journal.of("generateJitConfig")]).toEqual([1, []]);
  await github[Symbol.asyncDispose]();
  expect(await asked).toBe("fetch failed");
});

test("the journal knows who asked where a fault answers before GitHub looks at the token, too", async () => {
  await using github = await startOn(1);
  github.setFaults([{ operation: "listRunners", kind: "status", status: 503 }]);
  await list(github).catch(() => {});
  expect(github.journal.of("listRunners")).toMatchObject([{ status: 503, token: "runner" }]);
});

test("a stale list shows what it showed before, or so many seconds ago, and no older one", async () => {
  await using github = await startOn(1);
  const stale = { operation: "listRunners", kind: "stale" } as const;
  github.setFaults([
    { ...stale, nth: 2 },
    { ...stale, nth: 5, seconds: 3600 },
    { ...stale, nth: 6, seconds: 0 },
  ]);
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
