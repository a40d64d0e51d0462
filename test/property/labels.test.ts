import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  hasPrefix,
  labelPrefix,
  makeLabel,
  readLabel,
  type SessionMark,
  serverLetters,
} from "../../src/machine/label.ts";
import { type AttemptState, judgeLeftover, ownedInstances, type Sweeper } from "../../src/release/leftovers.ts";
import { anInstance } from "../unit/support/an-instance.ts";
import { always } from "./support/always.ts";
import { hostileNumber, hostileText, orNone } from "./support/hostile.ts";

const id = fc.oneof(fc.integer({ min: 1 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
const domain = fc.domain().map((host) => serverLetters(`https://${host}`));
const mark: fc.Arbitrary<SessionMark> = fc.record({
  server: fc.oneof(fc.constant(""), domain),
  repositoryId: id,
  runId: id,
  attempt: fc.integer({ min: 1, max: 999 }),
  sessionId: fc.stringMatching(/^[a-z0-9]{6}$/),
});
const machineNumber = fc.integer({ min: 1, max: 99 });
const expiresAt = fc.integer({ min: 1, max: 9_999_999_999 }).map((seconds) => seconds * 1000);
const EXPIRY = 1_800_000_000;
const labelOf = (ours: SessionMark) => makeLabel(labelPrefix(ours), 1, EXPIRY);

/** A label of ours in which something was changed, or any other text. */
const nearLabel = fc.oneof(
  fc.tuple(mark, fc.nat(300), hostileText, fc.nat(3)).map(([ours, at, junk, cut]) => {
    const label = labelOf(ours);
    return label.slice(0, at % label.length) + junk + label.slice((at % label.length) + cut);
  }),
  fc.tuple(mark, fc.constantFrom("0", "00", "+", " ")).map(([ours, lead]) => `ghr1.${lead}${labelOf(ours).slice(5)}`),
  fc.stringMatching(/^ghr1\.([a-z]{4})?\d{1,25}\.\d{1,25}-\d{1,4}\.[a-z0-9]{6}\.\d{1,4}\.\d{1,25}$/),
  hostileText,
);

describe("a label", () => {
  test("is read as it was made, and is within the 60 characters that a create takes for the ids of today", () =>
    always(100, [mark, machineNumber, expiresAt], (ours, machineNo, expiry) => {
      const label = makeLabel(labelPrefix(ours), machineNo, expiry);
      expect(readLabel(label)).toEqual({ ...ours, machineNo, expiry });
      expect(label).toMatch(/^[a-z0-9.-]+$/);
      // Repositories have some 10 digits, runs some 12.
      if (ours.repositoryId < 1e10 && ours.runId < 1e12) expect(label.length).toBeLessThanOrEqual(60);
    }));

  test("that we would not have made is nobody's that we know", () =>
    always(3000, [nearLabel], (text) => {
      const label = readLabel(text);
      if (label !== undefined) expect(makeLabel(labelPrefix(label), label.machineNo, label.expiry)).toBe(text);
    }));

  test("has the prefix of its own session, dot and all, and of no other", () =>
    always(300, [mark, fc.oneof(mark.map(labelOf), nearLabel), hostileText], (ours, text, more) => {
      const prefix = labelPrefix(ours);
      expect(hasPrefix(labelOf(ours), prefix)).toBe(true);
      expect(hasPrefix(prefix + more, prefix)).toBe(more.startsWith("."));
      expect(hasPrefix(text, prefix)).toBe(text.slice(0, prefix.length + 1) === `${prefix}.`);
    }));
});

describe("the sweep", () => {
  const sweeper: Sweeper = { server: "", repositoryId: 77, runId: 4711, attempt: 1 };
  const labels = fc.oneof(
    nearLabel,
    mark.map(labelOf),
    fc
      .record({
        sessionId: fc.stringMatching(/^[a-z0-9]{6}$/),
        server: fc.constantFrom("", "", "abcd"),
        repositoryId: fc.constantFrom(77, 77, 7, 770, 1077),
        runId: fc.constantFrom(4711, 4712, 471),
        attempt: fc.constantFrom(1, 2, 11),
        expiry: fc.integer({ min: 1, max: 2_000_000_000 }),
      })
      .map(({ expiry, ...near }) => makeLabel(labelPrefix(near), 1, expiry * 1000)),
  );

  test("owns only what carries this repository's own label, letter by letter", () =>
    always(1000, [fc.array(orNone(labels), { maxLength: 10 })], (texts) => {
      const instances = texts.map((label, index) => anInstance({ id: index + 1, label }));
      const owned = ownedInstances(instances, sweeper).map((each) => each.id);
      const ours = instances.filter(({ label = "" }) => /^ghr1\.77\.[1-9]/.test(label) && readLabel(label));
      expect(owned).toEqual(ours.map((each) => each.id));
    }));

  const state: fc.Arbitrary<AttemptState | undefined> = fc.oneof(
    fc.constant(undefined),
    fc.constant({ kind: "open" } as const),
    hostileText.map((why) => ({ kind: "unknown", why }) as const),
    hostileNumber.map((since) => ({ kind: "completed", since }) as const),
  );

  test("destroys nothing without an answer, nor anything of its own attempt", () =>
    always(2000, [labels, state, fc.integer({ min: 0, max: 4e12 })], (text, known, now) => {
      const label = readLabel(text);
      if (label === undefined) return;
      const verdict = judgeLeftover(label, { sweeper, state: known, now, aheadMs: 0, begun: now });
      const isOwn = label.runId === sweeper.runId && label.attempt === sweeper.attempt;
      const hasExpired = label.expiry <= now;
      const isOver = known?.kind === "completed" && now >= known.since + 60_000;
      expect(verdict.kind === "destroy").toBe(!isOwn && (hasExpired || isOver));
    }));
});
