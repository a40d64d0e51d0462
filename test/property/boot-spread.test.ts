import fc from "fast-check";
import { expect, test } from "vitest";
import { lateToRunMs, type Standing, spreadOf } from "../../src/money/boot.ts";
import { TUNING } from "../../src/money/tuning.ts";

const ratios = fc.array(fc.double({ min: 0.1, max: 10, noNaN: true }), { maxLength: 40 });
const expectedMs = fc.integer({ min: 1, max: 3_600_000 });
const standing = fc.constantFrom<Standing>("none", "unproven", "proven");

test("ranges that become known make no machine late sooner, and none later than the tuning says", () => {
  fc.assert(
    fc.property(ratios, expectedMs, standing, (known, expected, of) => {
      const plain = lateToRunMs(expected, of);
      const late = lateToRunMs(expected, of, spreadOf(known));
      expect(late).toBeGreaterThanOrEqual(plain);
      expect(late).toBeLessThanOrEqual(TUNING.late.widest * plain + 1e-6);
    }),
  );
});

test("the wider apart boots were, the later is late", () => {
  fc.assert(
    fc.property(
      ratios,
      fc.double({ min: 1, max: 3, noNaN: true }),
      expectedMs,
      standing,
      (known, wider, expected, of) => {
        const apart = known.map((ratio) => ratio ** wider);
        const [narrow, wide] = [spreadOf(known), spreadOf(apart)];
        // An even number's median lies between two: there the middle itself moves.
        if (known.slice(-TUNING.boot.recentBoots).length % 2 === 0) return;
        expect(lateToRunMs(expected, of, wide)).toBeGreaterThanOrEqual(lateToRunMs(expected, of, narrow) - 1e-6);
      },
    ),
  );
});

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
