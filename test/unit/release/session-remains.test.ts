import { expect, test } from "vitest";
import type { MachineRecord } from "../../../src/machine/record.ts";
import { remainsOf } from "../../../src/release/destroy-session.ts";

const PREFIX = "ghr1.1.2-1.abcdef";

const written = (given: Partial<Parameters<typeof remainsOf>[0]> = {}) => ({
  prefix: PREFIX,
  pending: new Map<number, string>(),
  created: new Map<number, number | "none">(),
  reports: new Map<number, MachineRecord>(),
  ...given,
});

const pending = new Map([
  [1, `${PREFIX}.1.9`],
  [2, `${PREFIX}.2.9`],
]);

test("without a create that was announced there is nothing to look for", () => {
  expect(remainsOf(written())).toBeUndefined();
  expect(remainsOf(written({ prefix: undefined, pending }))).toBeUndefined();
});

test("the oldest instance comes first, with the moment of its creation where that was written down", () => {
  const created = new Map([
    [1, 701],
    [2, 702],
  ]);
  const report = { at: { created: 5 } } as MachineRecord;
  expect(remainsOf(written({ pending, created, reports: new Map([[2, report]]) }))).toEqual({
    prefix: PREFIX,
    known: [
      { id: 701, createdAt: undefined },
      { id: 702, createdAt: 5 },
    ],
    isUncertain: false,
  });
});

test("what main confirmed to be gone is not asked for again; what one list lacked is", () => {
  const created = new Map([
    [1, 701],
    [2, 702],
  ]);
  const missing = { at: { created: 5, gone: 9 } } as MachineRecord;
  const reports = new Map([
    [1, { ...missing, isGone: true }],
    [2, missing],
  ]);
  expect(remainsOf(written({ pending, created, reports }))).toEqual({
    prefix: PREFIX,
    known: [{ id: 702, createdAt: 5 }],
    isUncertain: false,
  });
});

test("a create without an outcome is uncertain; one that was surely refused is not", () => {
  const refused = new Map<number, number | "none">([[1, "none"]]);
  expect(remainsOf(written({ pending, created: refused }))).toMatchObject({ known: [], isUncertain: true });
  const both = new Map<number, number | "none">([...refused, [2, "none"]]);
  expect(remainsOf(written({ pending, created: both }))).toMatchObject({ known: [], isUncertain: false });
});

test("post knows of one that was listed: that there is none counts at once, however young it is", () => {
  const created = new Map([[1, 701]]);
  const reports = new Map([[1, { at: { asked: 4, created: 5 }, isListed: true } as MachineRecord]]);
  expect(remainsOf(written({ pending, created, reports }))?.known).toEqual([
    { id: 701, createdAt: 5, wasListed: true },
  ]);
});

test("an instance that only lists showed is known, and its create stays uncertain: there may be another one", () => {
  const report = { instanceId: 701, at: { asked: 4, created: 5 }, isListed: true } as MachineRecord;
  const remains = remainsOf(written({ pending: new Map([[1, "any"]]), reports: new Map([[1, report]]) }));
  expect(remains).toEqual({
    prefix: PREFIX,
    known: [{ id: 701, createdAt: 5, wasListed: true }],
    isUncertain: true,
  });
});

test("an instance that turned up after a refusal is known, and so is the second one of a create", () => {
  const record = (instanceId: number) => ({ instanceId, at: { asked: 4, created: 5 } }) as MachineRecord;
  const reports = new Map([
    [1001, record(703)],
    [1, record(701)],
    [2, record(702)],
  ]);
  const created = new Map<number, number | "none">([
    [1, 701],
    [2, "none"],
  ]);
  const remains = remainsOf(written({ pending, created, reports }));
  expect(remains?.known.map(({ id }) => id)).toEqual([701, 702, 703]);
  expect(remains?.isUncertain).toBe(false);
});

test("an id that only a label can prove comes last, and leaves its create open until it is gone", () => {
  const created = new Map([
    [1, 701],
    [2, 702],
  ]);
  const claim = { id: 701, createdAt: undefined, wasListed: true, isClaimed: true };
  expect(remainsOf(written({ pending, created, claimed: [701] }))).toEqual({
    prefix: PREFIX,
    known: [{ id: 702, createdAt: undefined }, claim],
    isUncertain: true,
  });
  const gone = { instanceId: 701, isGone: true, at: {} } as MachineRecord;
  expect(remainsOf(written({ pending, created, claimed: [701], reports: new Map([[1, gone]]) }))).toMatchObject({
    known: [{ id: 702 }],
    isUncertain: false,
  });
});
