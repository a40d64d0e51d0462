import { expect, test } from "vitest";
import type { GithubStandIn } from "../../simulator/github/start-github.ts";
import { ask, REPOSITORY, register, startOn } from "./support/github.ts";

const RUNNERS = `${REPOSITORY}/actions/runners`;
/** What a list says: its total, and the names in it. */
async function list(github: GithubStandIn) {
  const { total_count, runners } = (await ask(github, RUNNERS)).body;
  return [total_count, ...runners.map(({ name }: { name: string }) => name)];
}

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

test("a short list lacks rows, and its total counts all of them or those shown", async () => {
  await using github = await startOn(1);
  for (const name of ["a", "b"]) await register(github, name);
  const short = (nth: number, lacks: number | "all", total: "all" | "shown") =>
    ({ operation: "listRunners", kind: "short-list", nth, lacks, total }) as const;
  github.setFaults([short(1, 2, "shown"), short(2, "all", "all")]);
  expect([await list(github), await list(github), await list(github)]).toEqual([[1, "a"], [2], [2, "a", "b"]]);
});
