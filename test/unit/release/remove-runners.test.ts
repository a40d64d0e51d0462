import { expect, test } from "vitest";
import { GithubUnavailableError } from "../../../src/github/github-errors.ts";
import { removeRunners } from "../../../src/release/destroy-session.ts";
import { aLedger } from "../support/a-session-report.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";
import { RecordedLog } from "../support/recorded-log.ts";

type Session = Parameters<typeof removeRunners>[0];

/** Machine 2 is gone, and the create of 3 made none. */
const ENDED = { created: new Map([[3, "none" as const]]), reports: new Map([[2, { isGone: true }]]) };

interface Given {
  /** What GitHub is away for. */
  bad?: (number | "list")[];
  badLists?: number;
  /** Runners of machines that are over. */
  ended?: [n: number, ids: number[]][];
}

/** The removals asked for, and the warnings, of machine 1 with these runners; the list shows one more. */
async function remove(ids: number[], { bad = [], badLists = Number.POSITIVE_INFINITY, ended = [] }: Given = {}) {
  const clock = new HandWoundClock();
  const log = new RecordedLog();
  const asked: number[] = [];
  let lists = 0;
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
  const ledger = aLedger({ ...(ENDED as object), runners: new Map([[1, ids], ...ended]) });
  const session = { runners, log, clock, runnerNamePrefix: "gpu-1-1-abcdef" } as unknown as Session;
  await clock.run(removeRunners(session, ledger, Number.POSITIVE_INFINITY));
  return { asked, warnings: log.warnings };
}

const OVER: Given["ended"] = [
  [2, [31, 99, 32]],
  [3, [41]],
];

test.each<[string, number[], Given, number[]]>([
  ["those that were written down, and those that only the list shows", [21, 22], {}, [21, 22, 99]],
  ["those that were written down, where the list can't be read", [21, 22], { bad: ["list"] }, [21, 22]],
  ["… and all, where it can be read again", [21], { bad: ["list"], badLists: 1 }, [21, 99]],
  ["of hundreds of machines that are gone only those that are listed", [21], { ended: OVER }, [21, 99]],
  ["… and all, where no list can be read", [21], { bad: ["list"], ended: OVER }, [21, 31, 99, 32, 41]],
])("it removes %s", async (_which, ids, given, asked) => {
  expect((await remove(ids, given)).asked).toEqual(asked);
});

test("one that can't be removed does not keep the others from it", async () => {
  const { asked, warnings } = await remove([21, 22], { bad: [21] });
  expect(asked).toEqual([21, 22, 99]);
  expect(warnings).toEqual([expect.stringContaining("remove 21 (it was away)")]);
});

test("stops while GitHub is away: post has other things to do in its time", async () => {
  const { asked, warnings } = await remove([21, 22, 23, 24], { bad: ["list", 21, 22, 23, 24] });
  expect(asked).toEqual([21]);
  expect(warnings).toHaveLength(1);
});

test("asks for no list after post's own end: service and GitHub may both be away", async () => {
  const clock = new HandWoundClock();
  const log = new RecordedLog();
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
  const session = { runners, log, clock, runnerNamePrefix: "gpu-1-1-abcdef" } as unknown as Session;
  // Destroying took all the time that it may take.
  await clock.advance(210_000);
  await clock.run(removeRunners(session, aLedger(), until));
  expect(asked).toEqual([210, 232]);
  expect(clock.now()).toBeLessThanOrEqual(until);
  expect(log.warnings).toEqual([expect.stringContaining("A runner registration may be left over")]);
});
