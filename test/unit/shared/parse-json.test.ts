import { expect, test, vi } from "vitest";
import { parseJson } from "../../../src/shared/json.ts";

// What JSON holds, and NaN in it, is in test/property/service-answers.test.ts.

test("leaves NaN in strings alone, quotes in them included, and reads it as null elsewhere", () => {
  const text = ' \n{"msg": "NaN is -Infinity, \\"NaN\\"", "path": "C:\\\\", "NaN": NaN, "x": [NaN, -Infinity]}';
  expect(parseJson(text)).toEqual({ msg: 'NaN is -Infinity, "NaN"', path: "C:\\", NaN: null, x: [null, null] });
});

test("is undefined for a long body that was cut off within a text full of quotes", () => {
  // It took minutes, and more than all of post's time when a megabyte was cut off.
  expect(parseJson(`{"env": "${'\\"'.repeat(100_000)}`)).toBeUndefined();
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

test("what is too deep is not read at all", () => {
  const parse = vi.spyOn(JSON, "parse");
  expect(parseJson("[".repeat(20_000_000))).toBeUndefined();
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
});
