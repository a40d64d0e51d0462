import { expect, test } from "vitest";
import type { MachineRecord } from "../../../src/machine/record.ts";
import { remainsOf } from "../../../src/release/destroy-session.ts";
import { aLedger } from "../support/a-session-report.ts";

interface Given {
  /** Machines whose creates were announced: the first two. */
  pending?: number[];
  created?: [n: number, id: number | "none"][];
  reports?: [n: number, record: object][];
  claimed?: number[];
}

function remains({ pending = [1, 2], created = [], reports = [], claimed = [] }: Given) {
  const written = { pending: new Map(pending.map((n) => [n, `any.${n}`])), created: new Map(created), claimed };
  return remainsOf(aLedger({ ...written, reports: new Map(reports as [number, MachineRecord][]) }));
}

const CREATED = { created: 5, gone: undefined };
const BOTH: Given["created"] = [
  [1, 701],
  [2, 702],
];
const CLAIM = { id: 701, createdAt: undefined, wasListed: true, isClaimed: true };

test("without a create that was announced there is nothing to look for", () => {
  expect(remains({ pending: [] })).toBeUndefined();
  expect(remainsOf(aLedger({ prefix: undefined, pending: new Map([[1, "any"]]) }))).toBeUndefined();
});

test.each<[string, Given, object[], boolean]>([
  [
    "the oldest first, with the moment of its creation where that was written down",
    { created: BOTH, reports: [[2, { at: CREATED }]] },
    [
      { id: 701, createdAt: undefined },
      { id: 702, createdAt: 5 },
    ],
    false,
  ],
  [
    "what one list lacked, not what main confirmed to be gone",
    {
      created: BOTH,
      reports: [
        [1, { at: CREATED, isGone: true }],
        [2, { at: { created: 5, gone: 9 } }],
      ],
    },
    [{ id: 702, createdAt: 5 }],
    false,
  ],
  ["of a create without an outcome nothing is known", { created: [[1, "none"]] }, [], true],
  [
    "creates that were surely refused left nothing",
    {
      created: [
        [1, "none"],
        [2, "none"],
      ],
    },
    [],
    false,
  ],
  [
    "one that was listed: that there is none counts at once, however young it is",
    { pending: [1], created: [[1, 701]], reports: [[1, { at: CREATED, isListed: true }]] },
    [{ id: 701, createdAt: 5, wasListed: true }],
    false,
  ],
  [
    "one that only lists showed; there may be another one of its create",
    { pending: [1], reports: [[1, { instanceId: 701, at: CREATED, isListed: true }]] },
    [{ id: 701, createdAt: 5, wasListed: true }],
    true,
  ],
  [
    "one that turned up after a refusal, and the second one of a create",
    {
      created: [
        [1, 701],
        [2, "none"],
      ],
      reports: [
        [1001, { instanceId: 703, at: CREATED }],
        [1, { instanceId: 701, at: CREATED }],
        [2, { instanceId: 702, at: CREATED }],
      ],
    },
    [701, 702, 703].map((id) => ({ id, createdAt: 5 })),
    false,
  ],
  [
    "one that only a label can prove comes last, and leaves its create open",
    { created: BOTH, claimed: [701] },
    [{ id: 702, createdAt: undefined }, CLAIM],
    true,
  ],
  [
    "… until it is gone",
    { created: BOTH, claimed: [701], reports: [[1, { instanceId: 701, isGone: true, at: {} }]] },
    [{ id: 702, createdAt: undefined }],
    false,
  ],
])("%s", (_which, given, known, isUncertain) => {
  expect(remains(given)).toEqual({ prefix: "ghr1.1.2-1.abcdef", known, isUncertain });
});
