import { expect, test } from "vitest";
import { withoutKeys } from "../../../src/shared/foreign-text.ts";
import { sign, signingKey, verified } from "../../../src/shared/signature.ts";

const KEY = signingKey("the-api-key", "notes", "7");
const SIGNED = sign(KEY, "host", "701");

test("what was signed is read again, and the signed text shows it, also in a log that hides keys", () => {
  expect(verified(KEY, "host", SIGNED)).toBe("701");
  expect(withoutKeys(SIGNED)).toMatch(/^1\.[\w-]{22}\.701$/);
  for (const value of ["", "a.b.c\r\nmore", "ü💥", "\ud800"])
    expect(verified(KEY, "n", sign(KEY, "n", value))).toBe(value);
});

test.each<[string, string]>([
  ["an unsigned value", "701"],
  ["text before it", ` ${SIGNED}`],
])("not read: %s", (_what, text) => {
  expect(verified(KEY, "host", text)).toBeUndefined();
  // Nor is a good one under another name.
  expect(verified(KEY, "hosts", SIGNED)).toBeUndefined();
});

test.each([
  ["another secret", signingKey("another-key", "notes", "7")],
  ["the same letters, cut elsewhere", signingKey("the-api-key", "notes7")],
])("not read: %s", (_what, key) => {
  expect(verified(key, "host", SIGNED)).toBeUndefined();
});
