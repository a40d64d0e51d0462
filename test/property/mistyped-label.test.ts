import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isMistyped, runsOnLine } from "../../src/github/mistyped-label.ts";
import { always } from "./support/always.ts";
import { hostileText } from "./support/hostile.ts";

const run = fc.integer({ min: 1_000_000, max: 99_999_999_999 });
const attempt = fc.integer({ min: 1, max: 99 });
const name = fc.oneof(fc.constant(""), fc.stringMatching(/^-[a-z0-9][a-z0-9-]{0,10}$/));
const ours = fc.record({ run, attempt, name });
const label = ({ attempt: number, name: session, run: id }: { run: number; attempt: number; name: string }) =>
  `gpu-${id}-${number}${session}`;

/** One slip of the hand: a letter is another, too many or missing. */
const slip = fc.record({
  at: fc.nat(4),
  how: fc.constantFrom("changed" as const, "added" as const, "missing" as const),
  letter: fc.stringMatching(/^[a-z_ .-]$/),
});
type Slip = typeof slip extends fc.Arbitrary<infer T> ? T : never;

function slipped(word: string, { at, how, letter }: Slip): string {
  const place = Math.min(at, word.length);
  const rest = word.slice(how === "added" ? place : place + 1);
  return `${word.slice(0, place)}${how === "missing" ? "" : letter}${rest}`;
}

const mixedCase = (text: string) => [...text].map((each, index) => (index % 2 ? each.toUpperCase() : each)).join("");

describe("a label one step from ours is found", () => {
  test("at most two letters off before the run id", () =>
    always(2000, [ours, fc.array(slip, { minLength: 1, maxLength: 2 })], (parts, editDistance) => {
      const word = editDistance.reduce(slipped, "gpu-");
      fc.pre(word !== "gpu-");
      const asked = `${word}${parts.run}-${parts.attempt}${parts.name}`;
      expect(isMistyped(asked, label(parts))).toBe(true);
      expect(isMistyped(mixedCase(asked), label(parts))).toBe(true);
    }));

  test("without the attempt, or with another's number", () =>
    always(100, [ours, attempt, run], (parts, otherAttempt, otherRun) => {
      fc.pre(otherAttempt !== parts.attempt && String(otherRun).length === String(parts.run).length);
      fc.pre(otherRun !== parts.run);
      // A name may be the attempt's number: what is left then is the label of a session without a name.
      const isAnothers = `${parts.name}-`.startsWith(`-${parts.attempt}-`);
      expect(isMistyped(`gpu-${parts.run}${parts.name}`, label(parts))).toBe(!isAnothers);
      expect(isMistyped(label({ ...parts, attempt: otherAttempt }), label(parts))).toBe(true);
      expect(isMistyped(label({ ...parts, run: otherRun }), label(parts))).toBe(true);
    }));
});

test("ours, and the labels of other sessions of this attempt, are no mistake", () =>
  always(
    2000,
    [
      ours,
      fc.oneof(
        name,
        hostileText.map((text) => `-${text}`),
      ),
    ],
    (parts, other) => {
      const own = label(parts);
      expect(isMistyped(own, own)).toBe(false);
      expect(isMistyped(mixedCase(own), own)).toBe(false);
      expect(isMistyped(`gpu-${parts.run}-${parts.attempt}${other}`, own)).toBe(false);
      // Nor does it matter what else a workflow may write.
      isMistyped(other, own);
    },
  ));

const OTHERS = ["ubuntu-latest", "self-hosted", "gpu", "gpu-1", "gpu-3090-1", "gpu-large", "my-gpu-20481234567-1", ""];

test.each([
  ...OTHERS.map((other) => [other, "gpu-20481234567-1", false] as const),
  ["gpu-20481234567-", "gpu-20481234567-1", true],
  ["gpu--1", "gpu-20481234567-1", true],
  ["gpu--", "gpu-20481234567-1", true],
  // One step from another session's, it is that session's to report.
  ["gpu-20481234567-b", "gpu-20481234567-1-a", false],
  ["gup-20481234567-1-b", "gpu-20481234567-1-a", false],
  ["gpu-20481234567-a", "gpu-20481234567-1-a", true],
  ["gpu-20481234567-1", "gpu-20481234567-1-a", false],
] as const)("%j beside %s: %j", (asked, own, expected) => {
  expect(isMistyped(asked, own)).toBe(expected);
});

test("the line to paste names the session", () => {
  expect(runsOnLine("gpu-4711-1-big")).toBe(`runs-on: gpu-\${{ github.run_id }}-\${{ github.run_attempt }}-big`);
});
