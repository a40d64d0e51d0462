import { describe, expect, test } from "vitest";
import {
  drawSessionId,
  hasPrefix,
  labelPrefix,
  makeLabel,
  readLabel,
  type SessionMark,
  serverLetters,
} from "../../../src/machine/label.ts";

const MARK: SessionMark = { server: "", repositoryId: 1296269, runId: 16_000_000_001, attempt: 2, sessionId: "k3x9qa" };
const EXPIRY = 1_798_761_600_000;

describe("a label", () => {
  test("is written as everything else relies on it", () => {
    expect(makeLabel(labelPrefix(MARK), 3, EXPIRY)).toBe("ghr1.1296269.16000000001-2.k3x9qa.3.1798761600");
  });

  test.each([
    ["on github.com", MARK],
    ["on another server", { ...MARK, server: serverLetters("https://ghes.example.com") }],
    ["of a first attempt", { ...MARK, attempt: 1 }],
    ["whose session id is all digits", { ...MARK, sessionId: "000000" }],
    ["whose repository has the smallest id", { ...MARK, repositoryId: 1 }],
  ])("%s is read back as it was made", (_where, mark) => {
    expect(readLabel(makeLabel(labelPrefix(mark), 7, EXPIRY))).toEqual({ ...mark, machineNo: 7, expiry: EXPIRY });
  });

  test("has at most 60 characters of [a-z0-9.-] with the longest ids that there will be", () => {
    const longest = {
      server: serverLetters("https://ghes.example.com"),
      repositoryId: 9_999_999_999,
      runId: 999_999_999_999,
      attempt: 999,
      sessionId: drawSessionId(),
    };
    const label = makeLabel(labelPrefix(longest), 99, 9_999_999_999_000);
    expect(label).toMatch(/^[a-z0-9.-]{1,60}$/);
    expect(readLabel(label)).toMatchObject(longest);
  });
});

describe("the prefix of a session", () => {
  const prefix = labelPrefix(MARK);

  test("finds every instance of the session, whatever its number and expiry", () => {
    for (const n of [1, 2, 10, 99]) expect(hasPrefix(makeLabel(prefix, n, EXPIRY + n), prefix)).toBe(true);
  });

  test("…abc is no prefix of …abcd", () => {
    expect(hasPrefix("ghr1.1.2-1.abcd.1.1798761600", "ghr1.1.2-1.abc")).toBe(false);
    expect(hasPrefix(`${prefix}x.1.1798761600`, prefix)).toBe(false);
    expect(hasPrefix(prefix, prefix)).toBe(false);
  });

  test.each([
    ["another session", { ...MARK, sessionId: "k3x9qb" }],
    ["another attempt", { ...MARK, attempt: 22 }],
    ["another run", { ...MARK, runId: 16_000_000_002 }],
    ["another repository", { ...MARK, repositoryId: 12_962_690 }],
    ["the same ids on another server", { ...MARK, server: "abcd" }],
  ])("does not find %s", (_what, other) => {
    expect(hasPrefix(makeLabel(labelPrefix(other), 1, EXPIRY), prefix)).toBe(false);
  });

  test.each([undefined, "", "ghr1", `x${prefix}.1.2`, "my own machine"])("does not find %j", (label) => {
    expect(hasPrefix(label, prefix)).toBe(false);
  });
});

describe("anybody else's label is not read", () => {
  test.each([
    "",
    "training run 7",
    "ghr1",
    "ghr1.1296269.16000000001-2.k3x9qa",
    "ghr1.1296269.16000000001-2.k3x9qa.3",
    "ghr1.1296269.16000000001.k3x9qa.3.1798761600",
    "ghr1.1296269.16000000001-2.K3X9QA.3.1798761600",
    "ghr1.1296269.16000000001-2.k3x9q.3.1798761600",
    "ghr1.1296269.16000000001-2.k3x9qa.3.soon",
    "ghr2.1296269.16000000001-2.k3x9qa.3.1798761600",
    "ghr1.1296269.16000000001-2.k3x9qa.3.1798761600 ",
    "ghr1.1296269.16000000001-2.k3x9qa.3.1798761600\nx",
    "ghr1.01296269.16000000001-2.k3x9qa.3.1798761600",
    "ghr1.1296269.16000000001-2.k3x9qa.3.99999999999999999999",
    "xghr1.1296269.16000000001-2.k3x9qa.3.1798761600",
  ])("%j", (label) => {
    expect(readLabel(label)).toBeUndefined();
  });
});

describe("drawSessionId", () => {
  test("draws six characters that a label may hold, and others each time", () => {
    const drawn = Array.from({ length: 500 }, drawSessionId);
    for (const id of drawn) expect(id).toMatch(/^[a-z0-9]{6}$/);
    expect(new Set(drawn).size).toBe(500);
  });
});

describe("serverLetters", () => {
  test("are none for github.com", () => {
    expect(serverLetters("https://github.com")).toBe("");
  });

  test("are four letters elsewhere, the same ones each time, whatever stands around the host", () => {
    expect(serverLetters("https://ghes.example.com")).toMatch(/^[a-z]{4}$/);
    expect(serverLetters("https://ghes.example.com/")).toBe(serverLetters("https://ghes.example.com"));
  });

  test("tell two servers apart", () => {
    expect(serverLetters("https://one.example.com")).not.toBe(serverLetters("https://two.example.com"));
  });
});
