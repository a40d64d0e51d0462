import { beforeEach, describe, expect, test } from "vitest";
import { type MachineRecord, noteFigures } from "../../../src/create/machine-record.ts";
import { instanceOf } from "../../../src/vast/translate.ts";

const ASKED = Date.UTC(2026, 0, 1);

let report: MachineRecord;

beforeEach(() => {
  report = {
    instanceId: 7,
    offer: { id: 11, gpuName: "RTX 4090", numGpus: 1 },
    price: { total: 0.6, storage: 0.06 },
    at: { asked: ASKED, created: ASKED + 40_000 },
    last: "created",
  };
});

describe("since when it exists", () => {
  const shown = (seconds: number) => noteFigures(report, instanceOf({ id: 7, start_date: ASKED / 1000 + seconds }));

  test("is the service's own word, between our request and its answer", () => {
    expect(shown(2.5)).toBe(true);
    expect(report.at.created).toBe(ASKED + 2500);
    expect(shown(2.5)).toBe(false);
  });
});

describe("the price", () => {
  const shown = (dph_total: number | undefined) => noteFigures(report, instanceOf({ id: 7, dph_total }));

  test("is what the service shows of the machine, where that is more than its offer said", () => {
    const { price } = report;
    expect(shown(0.9)).toBe(true);
    expect(report.price).toEqual({ total: 0.9, storage: 0.06 });
    expect(price.total).toBe(0.6);
    expect(shown(0.9)).toBe(false);
  });
});

describe("bytes", () => {
  const shown = (down: number | undefined, up?: number) =>
    noteFigures(report, instanceOf({ id: 7, inet_down_billed: down, inet_up_billed: up }));

  test("none at all is known, too", () => {
    expect(shown(0)).toBe(true);
    expect(report.traffic).toEqual({ downGb: 0, upGb: 0 });
  });

  test("of both ways count: 40 MB more each are worth noting, 40 MB more of one are not", () => {
    shown(1_000_000, 1_000_000);
    expect(shown(1_000_000, 1_040_000)).toBe(false);
    expect(shown(1_040_000, 1_040_000)).toBe(true);
  });

  test("are written down when they grew by 50 MB, and never shrink", () => {
    shown(1_000_000, 0);
    expect(shown(1_040_000, 0)).toBe(false);
    expect(shown(1_040_000, 20_000)).toBe(true);
    expect(shown(0, 0)).toBe(false);
    expect(report.traffic).toEqual({ downGb: 1.04, upGb: 0.02 });
  });
});
