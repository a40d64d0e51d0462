import fc from "fast-check";
import { expect, test } from "vitest";
import { spreadOf } from "../../src/money/boot.ts";
import { TUNING } from "../../src/money/tuning.ts";

const ratios = fc.array(fc.double({ min: 0.1, max: 10, noNaN: true }), { maxLength: 40 });

test("a range is of the recent boots alone, holds the expectation, and is the same where all took twice as long", () => {
  fc.assert(
    fc.property(ratios, ratios, (older, known) => {
      const spread = spreadOf(known);
      expect(spread === undefined).toBe(known.length < TUNING.boot.spreadBoots);
      if (spread === undefined) return;
      expect(spread.least).toBeGreaterThan(0);
      expect(spread.least).toBeLessThanOrEqual(1 + 1e-9);
      expect(spread.most).toBeGreaterThanOrEqual(1 - 1e-9);
      const doubled = spreadOf(known.map((ratio) => 2 * ratio));
      expect(doubled?.most).toBeCloseTo(spread.most);
      expect(doubled?.least).toBeCloseTo(spread.least);
      if (known.length >= TUNING.boot.recentBoots) expect(spreadOf([...older, ...known])).toEqual(spread);
    }),
  );
});
