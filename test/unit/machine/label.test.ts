import { expect, test } from "vitest";
import {
  drawSessionId,
  hasPrefix,
  labelPrefix,
  makeLabel,
  readLabel,
  serverLetters,
} from "../../../src/machine/label.ts";

// What holds of every label and prefix is in test/property/labels.test.ts.

const MARK = { server: "", repositoryId: 1296269, runId: 16_000_000_001, attempt: 2, sessionId: "k3x9qa" };
const LABEL = "ghr1.1296269.16000000001-2.k3x9qa.3.1798761600";
const ELSEWHERE = serverLetters("https://ghes.example.com");

test("a label is written as everything else relies on it, and read back", () => {
  expect(makeLabel(labelPrefix(MARK), 3, 1_798_761_600_000)).toBe(LABEL);
  expect(readLabel(LABEL)).toEqual({ ...MARK, machineNo: 3, expiry: 1_798_761_600_000 });
});

test("with the longest ids that there will be it has no more than 60 characters", () => {
  const ids = { repositoryId: 9_999_999_999, runId: 999_999_999_999, attempt: 999, sessionId: "z9z9z9" };
  const label = makeLabel(labelPrefix({ server: ELSEWHERE, ...ids }), 99, 9_999_999_999_000);
  expect(label.length).toBeLessThanOrEqual(60);
  expect(readLabel(label)?.server).toBe(ELSEWHERE);
});

test.each([
  ...["", "training run 7", `${LABEL} `, `${LABEL}\nx`, `x${LABEL}`, labelPrefix(MARK), `${labelPrefix(MARK)}.3`],
  ...[LABEL.replace("-2", ""), LABEL.replace("k3x9qa", "K3X9QA"), LABEL.replace("k3x9qa", "k3x9q")],
  ...[LABEL.replace("1798761600", "soon"), LABEL.replace("1798761600", "99999999999999999999")],
  ...[LABEL.replace("ghr1", "ghr2"), LABEL.replace("1296269", "01296269")],
])("a label of anybody else is not read: %j", (label) => {
  expect(readLabel(label)).toBeUndefined();
});

test("the prefix of a session finds its instances alone, and none without a label", () => {
  const others = [{ sessionId: "k3x9qb" }, { attempt: 22 }, { repositoryId: 12_962_690 }, { server: "abcd" }];
  const labels = [MARK, ...others].map((other) => makeLabel(labelPrefix({ ...MARK, ...other }), 10, 1));
  const found = [...labels, labelPrefix(MARK), undefined].filter((label) => hasPrefix(label, labelPrefix(MARK)));
  expect(found).toEqual(labels.slice(0, 1));
});

test("a session's six characters are others each time", () => {
  const drawn = Array.from({ length: 500 }, drawSessionId);
  for (const id of drawn) expect(id).toMatch(/^[a-z0-9]{6}$/);
  expect(new Set(drawn).size).toBe(500);
});

test("a server has four letters, the same each time, and github.com none", () => {
  expect(serverLetters("https://github.com")).toBe("");
  expect(ELSEWHERE).toMatch(/^[a-z]{4}$/);
  expect(serverLetters("https://ghes.example.com/")).toBe(ELSEWHERE);
  expect(serverLetters("https://two.example.com")).not.toBe(ELSEWHERE);
});
