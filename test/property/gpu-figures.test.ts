import fc from "fast-check";
import { expect, test } from "vitest";
import { jobFiguresSchema, readFigures } from "../../src/gpu-figures/read.ts";
import { always } from "./support/always.ts";
import { hostileText } from "./support/hostile.ts";

const KNOWN = { instanceIds: [7], seconds: 1850, setupSeconds: undefined };
const NAMES = "setup,idle,work,samples,median use,peak use,peak memory,memory,peak temperature,peak power,throttled";
const MOST: Record<string, number> = { useMedian: 100, usePeak: 100, throttledPercent: 100, temperaturePeak: 150 };

const value = fc.oneof(
  fc.nat({ max: 200 }).map(String),
  fc.nat().map(String),
  fc.constantFrom("-1", "NaN", "1e99", "[N/A]", "", "0x10", "99999999999999999999", "9.5", "∞", "::error::x"),
  hostileText,
);
const pair = fc.tuple(fc.constantFrom(...NAMES.split(","), "__proto__", "constructor", "v"), value);

/** A line as a machine's owner could write it, most of it well formed. */
const hostileLine = fc
  .tuple(fc.constantFrom("instance 7", "instance 8", ""), fc.array(pair, { maxLength: 14 }))
  .map(([instance, pairs]) => {
    const figures = pairs.map(([name, text]) => `${name} ${text}`);
    return `The GPUs of ${instance} during this job: ${figures.join(", ")}.`;
  });

test("whatever stands in a job's log: numbers that can be, or nothing", () => {
  const log = fc.array(fc.oneof(hostileLine, hostileText), { maxLength: 4 }).map((lines) => lines.join("\n"));
  always(2000, [log], (text) => {
    const figures = readFigures(text, KNOWN);
    if (figures === undefined) return;
    expect(jobFiguresSchema.strict().parse(figures)).toEqual(figures);
    for (const [field, figure = Number.NaN] of Object.entries(figures)) {
      expect(Number.isInteger(figure) && figure >= 0, field).toBe(true);
      expect(figure, field).toBeLessThanOrEqual(MOST[field] ?? 9_999_999);
    }
    const { memoryPeakMib = 0, memoryTotalMib = 0, useMedian = 0, usePeak = 0 } = figures;
    expect(memoryPeakMib).toBeLessThanOrEqual(memoryTotalMib);
    expect(useMedian).toBeLessThanOrEqual(usePeak);
  });
});
