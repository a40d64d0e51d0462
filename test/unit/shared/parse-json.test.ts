import { expect, test } from "vitest";
import { parseJson } from "../../../src/shared/json.ts";

// What JSON holds, and NaN in it, is in test/property/service-answers.test.ts.

test("leaves NaN in strings alone, quotes in them included, and reads it as null elsewhere", () => {
  const text = ' \n{"msg": "NaN is -Infinity, \\"NaN\\"", "path": "C:\\\\", "NaN": NaN, "x": [NaN, -Infinity]}';
  expect(parseJson(text)).toEqual({ msg: 'NaN is -Infinity, "NaN"', path: "C:\\", NaN: null, x: [null, null] });
});

test.each([
  ["64 lists", "[".repeat(64) + "]".repeat(64), true],
  ["65 objects", `${'{"a":'.repeat(65)}1${"}".repeat(65)}`, false],
  ["a thousand lists side by side", `[${"[],".repeat(1000)}1]`, true],
  ["brackets in a text", JSON.stringify(`"\\${"[".repeat(100)}`), true],
  ["brackets after a text that ends in a backslash", `["\\\\",${"[".repeat(70)}${"]".repeat(70)}]`, false],
])("%s within each other are read: %s", (_what, text, isRead) => {
  expect(parseJson(text) !== undefined).toBe(isRead);
});
