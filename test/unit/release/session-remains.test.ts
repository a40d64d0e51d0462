import { expect, test } from "vitest";
import { remainsOf } from "../../../src/release/destroy-session.ts";
import type { Ledger } from "../../../src/release/ledger.ts";
import { aLedger } from "../support/a-session-report.ts";

/** What main wrote down of its machines, by their numbers. */
interface Given {
  /** Those whose creates were announced: the first two. */
  pending?: number[];
  created?: Record<number, number | "none">;
  reports?: Record<number, object>;
  claimed?: number[];
}

const byNumber = (given: object) => new Map(Object.entries(given).map(([n, value]) => [Number(n), value]));

function remains({ pending = [1, 2], created = {}, reports = {}, claimed = [] }: Given) {
  const notes = { created: byNumber(created), reports: byNumber(reports), claimed } as Partial<Ledger>;
  return remainsOf(aLedger({ pending: new Map(pending.map((n) => [n, `any.${n}`])), ...notes }));
}

const BOTH = { 1: 701, 2: 702 };
const at = { created: 5 };
const listed = { at, isListed: true };
const LACKED = { at: { created: 5, gone: 9 } };
const ONE = { pending: [1] };
const TWO = { pending: [2] };
const unseen = (id: number) => ({ id, createdAt: undefined });
const seen = (id: number) => ({ id, createdAt: 5 });
const CLAIM = { ...unseen(701), wasListed: true, isClaimed: true };
const LISTED = { ...seen(701), wasListed: true };
const GONE = { instanceId: 701, isGone: true, at: {} };

test("without a create that was announced there is nothing to look for", () => {
  expect(remains({ pending: [] })).toBeUndefined();
  expect(remainsOf(aLedger({ prefix: undefined, pending: new Map([[1, "any"]]) }))).toBeUndefined();
});

test.each<[string, Given, object[], boolean]>([
  ["the oldest first, and its time", { created: BOTH, reports: { 2: { at } } }, [unseen(701), seen(702)], false],
  ["not what main saw go", { created: BOTH, reports: { 1: { at, isGone: true } } }, [unseen(702)], false],
  ["lacked by one list", { ...TWO, created: { 2: 702 }, reports: { 2: LACKED } }, [seen(702)], false],
  ["nothing of a create without an outcome", { created: { 1: "none" } }, [], true],
  ["nothing of creates that were surely refused", { created: { 1: "none", 2: "none" } }, [], false],
  // That there is none counts at once, however young it is.
  ["one that was listed", { ...ONE, created: { 1: 701 }, reports: { 1: listed } }, [LISTED], false],
  ["one that only lists showed", { ...ONE, reports: { 1: { instanceId: 701, ...listed } } }, [LISTED], true],
  ["one refused", { ...TWO, created: { 2: "none" }, reports: { 2: { instanceId: 702, at } } }, [seen(702)], false],
  [
    "the second one of a create",
    { created: { 2: 702 }, reports: { 1: { instanceId: 701, at }, 1001: { instanceId: 703, at } } },
    [seen(701), unseen(702), seen(703)],
    true,
  ],
  ["one that only a label can prove comes last", { created: BOTH, claimed: [701] }, [unseen(702), CLAIM], true],
  ["… until it is gone", { created: BOTH, claimed: [701], reports: { 1: GONE } }, [unseen(702)], false],
])("it knows %s", (_which, given, known, isUncertain) => {
  expect(remains(given)).toEqual({ prefix: "ghr1.1.2-1.abcdef", known, isUncertain });
});
