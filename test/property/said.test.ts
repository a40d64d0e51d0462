import fc from "fast-check";
import { expect, test } from "vitest";
import { judgeText } from "../../src/machine/said.ts";
import { always } from "./support/always.ts";
import { hostileText, MEGABYTES } from "./support/hostile.ts";

const ROOTS = [
  ["manifest unknown", "image"],
  ["dial tcp: i/o timeout", "host"],
  ["unauthorized: authentication required", "login"],
  ["no matching manifest for linux/amd64", "platform"],
  ["unsatisfied condition: cuda>=12.8", "driver"],
] as const;
const WRAPPERS = [
  "Error response from daemon",
  'failed to resolve reference "ghcr.io/a/denied:7"',
  "failed to pull",
  "error pulling image configuration",
  "OCI runtime create failed",
  'Head "https://ghcr.io/v2/unauthorized/manifests/x"',
];

test("whatever wraps the words of a refusal, they decide", () =>
  always(100, [fc.constantFrom(...ROOTS), fc.array(fc.constantFrom(...WRAPPERS))], ([said, blame], around) => {
    expect(judgeText([...around, said].join(": "))).toBe(blame);
    expect(judgeText([...around, said, "unknown"].join(": "))).toBe(blame);
  }));

test("any text is judged, and long ones in no time", () => {
  const verdicts = ["host", "image", "platform", "login", "driver", "going on", undefined];
  always(2000, [hostileText], (text) => {
    expect(verdicts).toContain(judgeText(text));
  });
  for (const [name, text] of MEGABYTES) expect(judgeText(text), name).toBeUndefined();
  expect(judgeText("5a7813e071bf: Waiting\n".repeat(50_000))).toBe("going on");
});
