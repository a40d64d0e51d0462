import { describe, expect, test } from "vitest";
import * as labels from "../../../src/machine/label.ts";

const { hasPrefix, labelPrefix, makeLabel, readLabel, serverLetters } = labels;
const MARK = { server: "", repositoryId: 1296269, runId: 16_000_000_001, attempt: 2, sessionId: "k3x9qa" };
const EXPIRY = 1_798_761_600_000;
const LABEL = "ghr1.1296269.16000000001-2.k3x9qa.3.1798761600";
const ELSEWHERE = serverLetters("https://ghes.example.com");
const IDS = { repositoryId: 9_999_999_999, runId: 999_999_999_999, attempt: 999, sessionId: "z9z9z9" };
const LONGEST = { server: ELSEWHERE, ...IDS };

describe("a label", () => {
  test("is written as everything else relies on it", () => {
    expect(makeLabel(labelPrefix(MARK), 3, EXPIRY)).toBe(LABEL);
  });

  test.each([
    ["on github.com", MARK],
    ["on another server", { ...MARK, server: ELSEWHERE }],
    ["of a first attempt", { ...MARK, attempt: 1 }],
    ["whose session id is all digits", { ...MARK, sessionId: "000000" }],
    ["whose repository has the smallest id", { ...MARK, repositoryId: 1 }],
    ["with the longest ids that there will be", LONGEST],
  ])("%s has at most 60 characters of [a-z0-9.-], and is read back as it was made", (_where, mark) => {
    const label = makeLabel(labelPrefix(mark), 99, 9_999_999_999_000);
    expect(label).toMatch(/^[a-z0-9.-]{1,60}$/);
    expect(readLabel(label)).toEqual({ ...mark, machineNo: 99, expiry: 9_999_999_999_000 });
  });

  test.each([
    "",
    "training run 7",
    "ghr1",
    "ghr1.1296269.16000000001-2.k3x9qa",
    "ghr1.1296269.16000000001-2.k3x9qa.3",
    LABEL.replace("-2", ""),
    LABEL.replace("k3x9qa", "K3X9QA"),
    LABEL.replace("k3x9qa", "k3x9q"),
    LABEL.replace("1798761600", "soon"),
    LABEL.replace("ghr1", "ghr2"),
    `${LABEL} `,
    `${LABEL}\nx`,
    LABEL.replace("1296269", "01296269"),
    LABEL.replace("1798761600", "99999999999999999999"),
    `x${LABEL}`,
  ])("of anybody else is not read: %j", (label) => {
    expect(readLabel(label)).toBeUndefined();
  });
});

describe("the prefix of a session", () => {
  const prefix = labelPrefix(MARK);

  test("finds every instance of the session, whatever its number and expiry", () => {
    for (const n of [1, 2, 10, 99]) expect(hasPrefix(makeLabel(prefix, n, EXPIRY + n), prefix)).toBe(true);
  });

  test.each([
    ...[{ sessionId: "k3x9qb" }, { attempt: 22 }, { runId: 16_000_000_002 }, { repositoryId: 12_962_690 }].map(
      (other) => makeLabel(labelPrefix({ ...MARK, ...other }), 1, EXPIRY),
    ),
    makeLabel(labelPrefix({ ...MARK, server: "abcd" }), 1, EXPIRY),
    ...[undefined, "", "ghr1", prefix, `x${prefix}.1.2`, `${prefix}x.1.1798761600`, "my own machine"],
  ])("does not find %j", (label) => {
    expect(hasPrefix(label, prefix)).toBe(false);
  });
});

test("a session's six characters are others each time", () => {
  const drawn = Array.from({ length: 500 }, labels.drawSessionId);
  for (const id of drawn) expect(id).toMatch(/^[a-z0-9]{6}$/);
  expect(new Set(drawn).size).toBe(500);
});

test("a server has four letters, the same each time, and github.com none", () => {
  expect(serverLetters("https://github.com")).toBe("");
  expect(ELSEWHERE).toMatch(/^[a-z]{4}$/);
  expect(serverLetters("https://ghes.example.com/")).toBe(ELSEWHERE);
  expect(serverLetters("https://two.example.com")).not.toBe(ELSEWHERE);
});
