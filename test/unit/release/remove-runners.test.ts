import { expect, test } from "vitest";
import { GithubUnavailableError } from "../../../src/github/github-errors.ts";
import { removeRunners } from "../../../src/release/destroy-session.ts";
import type { Ledger } from "../../../src/release/ledger.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";

/** Machine 1 is there, 2 is gone, and the create of 3 made none: so many runners each. */
const ENDED = { created: new Map([[3, "none"]]), reports: new Map([[2, { isGone: true }]]) };

const runnerNamePrefix = "gpu-1-1-abcdef";

/** The removals asked for, and the warnings, when these requests fail. */
async function remove(
  ids: number[],
  bad: (number | "list")[],
  badLists = Number.POSITIVE_INFINITY,
  ended: readonly (readonly [n: number, ids: number[]])[] = [],
): Promise<{ asked: number[]; warnings: string[] }> {
  const asked: number[] = [];
  let lists = 0;
  const warnings: string[] = [];
  const fail = (what: number | "list") => {
    if (bad.includes(what)) throw new GithubUnavailableError(`remove ${what}`, "it was away");
  };
  const runners = {
    async find() {
      lists += 1;
      if (lists <= badLists) fail("list");
      return [{ id: 99 }];
    },
    async remove(id: number) {
      asked.push(id);
      fail(id);
      return "removed";
    },
  };
  const log = { info() {}, warning: (line: string) => warnings.push(line) };
  const ledger = { ...ENDED, runners: new Map([[1, ids], ...ended]) };
  const clock = { now: Date.now, async sleep() {} };
  const session = { runners, log, clock, runnerNamePrefix } as unknown as Parameters<typeof removeRunners>[0];
  const until = Number.POSITIVE_INFINITY;
  await removeRunners(session, ledger as unknown as Ledger, until);
  return { asked, warnings };
}

test("removes those that were written down, and those that only the list shows", async () => {
  expect(await remove([21, 22], [])).toEqual({ asked: [21, 22, 99], warnings: [] });
});

test("one that can't be removed does not keep the others from it, and neither does a list that can't be read", async () => {
  const one = await remove([21, 22], [21]);
  expect(one.asked).toEqual([21, 22, 99]);
  expect(one.warnings).toEqual([expect.stringContaining("remove 21 (it was away)")]);
  expect((await remove([21, 22], ["list"])).asked).toEqual([21, 22]);
});

test("a list that could not be read once is read again: one that was never written down shows only there", async () => {
  expect(await remove([21], ["list"], 1)).toEqual({ asked: [21, 99], warnings: [] });
});

test("of hundreds of machines that are gone, only the runners that are listed are asked for", async () => {
  const ended = [
    [2, [31, 99, 32]],
    [3, [41]],
  ] as const satisfies [number, number[]][];
  expect((await remove([21], [], 0, ended)).asked).toEqual([21, 99]);
  expect((await remove([21], ["list"], Number.POSITIVE_INFINITY, ended)).asked).toEqual([21, 31, 99, 32, 41]);
});

test("stops while GitHub is away: post has other things to do in its time", async () => {
  const { asked, warnings } = await remove([21, 22, 23, 24], ["list", 21, 22, 23, 24]);
  expect(asked).toEqual([21]);
  expect(warnings).toHaveLength(1);
});

test("asks for no list after post's own end: service and GitHub may both be away", async () => {
  const clock = new HandWoundClock();
  const until = clock.start + 250_000;
  const asked: number[] = [];
  const runners = {
    async find() {
      asked.push(clock.elapsed / 1000);
      // As the client: 20 s for an answer, none after the end.
      await clock.sleep(Math.min(20_000, until - clock.now()));
      throw new GithubUnavailableError("list the runners", "no answer");
    },
  };
  const warnings: string[] = [];
  const log = { warning: (line: string) => warnings.push(line) };
  const ledger = { created: new Map(), reports: new Map(), runners: new Map() } as unknown as Ledger;
  const session = { runners, log, clock, runnerNamePrefix } as unknown as Parameters<typeof removeRunners>[0];
  // Destroying took all the time that it may take.
  await clock.advance(210_000);
  await clock.run(removeRunners(session, ledger, until));
  expect(asked).toEqual([210, 232]);
  expect(clock.now()).toBeLessThanOrEqual(until);
  expect(warnings).toEqual([expect.stringContaining("A runner registration may be left over")]);
});
