import { expect, test } from "vitest";
import { isMistyped, runsOnLine } from "../../../src/github/mistyped-label.ts";

const OURS = "gpu-20481234567-1";
const NAMED = `${OURS}-a`;

test.each<[string, string, boolean?]>([
  ["gup-20481234567-1", OURS],
  ["pu-20481234567-1", OURS],
  ["gpu-20481234567", OURS],
  ["gpu-20481234567-", OURS],
  ["gpu-20481234567-2", OURS],
  ["gpu-99999999999-1", OURS],
  ["gpu-999999999-1-a", NAMED, false],
  ["gpu-9999999999-1-a", NAMED],
  ["gpu--1", OURS],
  ["gpu--", OURS],
  // One step from another session's, it is that session's to report.
  ["gpu-20481234567-b", NAMED, false],
  ["gup-20481234567-1-b", NAMED, false],
  ["gpu-20481234567-1", NAMED, false],
  ["gpu-20481234567-1-b", OURS, false],
  ["Gpu-20481234567-1", OURS, false],
  ["gpus_x20481234567-1", OURS, false],
  ...["ubuntu-latest", "self-hosted", "gpu", "gpu-1", "gpu-3090-1", "gpu-large", "my-gpu-20481234567-1", ""].map(
    (other): [string, string, boolean] => [other, OURS, false],
  ),
  ["gpu-20481234567-1", "no label of ours", false],
])("%j beside %s is one step from it, if nothing else is said: %j", (asked, own, expected = true) => {
  expect(isMistyped(asked, own)).toBe(expected);
});

test("the line to paste names the session", () => {
  expect(runsOnLine("gpu-4711-1-big")).toBe(`runs-on: gpu-\${{ github.run_id }}-\${{ github.run_attempt }}-big`);
});
