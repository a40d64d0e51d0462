import { describe, expect, test } from "vitest";
import type { MachineRecord } from "../../../src/machine/record.ts";
import { instanceOf } from "../../../src/marketplace/vast/translate.ts";
import { withFigures } from "../../../src/report/session-report.ts";

const ASKED = Date.UTC(2026, 0, 1);

const RECORD: MachineRecord = {
  instanceId: 7,
  offer: { id: 11, gpuName: "RTX 4090", numGpus: 1 },
  price: { total: 0.6, storage: 0.06 },
  at: { asked: ASKED, created: ASKED + 40_000 },
  last: "created",
};

/** The record after these answers of the service, one after the other. */
const shown = (...answers: object[]) =>
  answers.map((fields) => instanceOf({ id: 7, ...fields })).reduce(withFigures, RECORD);

test.each([
  [2.5, ASKED + 2500],
  [-1, ASKED + 40_000],
  [60, ASKED + 40_000],
])(
  "it exists since the service's own moment, if that is between our request and its answer: %d s",
  (seconds, created) => {
    expect(shown({ start_date: ASKED / 1000 + seconds }).at.created).toBe(created);
  },
);

test("the price is what the service shows of the machine, where that is more than its offer said", () => {
  expect(shown({ dph_total: 0.9 }, { dph_total: 0.7 }).price).toEqual({ total: 0.9, storage: 0.06 });
  expect(shown({ dph_total: 0.5 }, {}).price).toEqual(RECORD.price);
  expect(RECORD.price.total).toBe(0.6);
});

describe("traffic", () => {
  const traffic = (...billed: [down: number, up?: number][]) =>
    shown(...billed.map(([down, up]) => ({ inet_down_billed: down, inet_up_billed: up }))).traffic;

  test("none at all is known, too", () => {
    expect(traffic([0])).toEqual({ downGb: 0, upGb: 0 });
    expect(shown({}).traffic).toBeUndefined();
  });

  test("of both ways count: 40 MB more each are worth noting, 40 MB more of one are not", () => {
    expect(traffic([1_000_000, 1_000_000], [1_000_000, 1_040_000])).toEqual({ downGb: 1, upGb: 1 });
    expect(traffic([1_000_000, 1_000_000], [1_040_000, 1_040_000])).toEqual({ downGb: 1.04, upGb: 1.04 });
  });

  test("never shrink", () => {
    expect(traffic([1_000_000, 0], [1_040_000, 20_000], [0, 0])).toEqual({ downGb: 1.04, upGb: 0.02 });
  });
});
