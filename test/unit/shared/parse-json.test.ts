import { expect, test, vi } from "vitest";
import { parseJson } from "../../../src/shared/json.ts";

test.each([
  ["an object", '{"a": [1, "b", null, true]}', { a: [1, "b", null, true] }],
  ["a string by itself", '"Successfully Deleted API Key"', "Successfully Deleted API Key"],
  ["null", "null", null],
  ["blanks around it", ' \r\n {"a": 1} \n', { a: 1 }],
  ["the same key twice", '{"a": 1, "a": 2}', { a: 2 }],
])("reads %s", (_what, text, value) => {
  expect(parseJson(text)).toEqual(value);
});

test.each([
  ['{"a": NaN}', { a: null }],
  ['{"a": Infinity, "b": -Infinity}', { a: null, b: null }],
  ['{"offers":[{"score":NaN},{"score":1}]}', { offers: [{ score: null }, { score: 1 }] }],
  ["[NaN,NaN]", [null, null]],
])("reads a number that JSON does not have as null: %s", (text, value) => {
  expect(parseJson(text)).toEqual(value);
});

test("leaves the same words in strings alone, quotes in them included", () => {
  const text = '{"msg": "NaN is -Infinity, \\"NaN\\"", "path": "C:\\\\", "NaN": NaN, "x": "Infinity"}';
  expect(parseJson(text)).toEqual({ msg: 'NaN is -Infinity, "NaN"', path: "C:\\", NaN: null, x: "Infinity" });
});

test.each([
  ["nothing", ""],
  ["a page", "<html><body>502 Bad Gateway</body></html>"],
  ["a sentence", "API requests too frequent"],
  ["half a body", '{"success": true, "new_contr'],
  ["a word that only begins like a number", '{"a": NaNny}'],
  ["undefined", "undefined"],
  // It took minutes, and more than all of post's time when a megabyte was cut off.
  ["a long body that was cut off within a text full of quotes", `{"env": "${'\\"'.repeat(100_000)}`],
])("is undefined for %s", (_what, text) => {
  expect(parseJson(text)).toBeUndefined();
});

test.each([
  ["64 lists", "[".repeat(64) + "]".repeat(64), true],
  ["65 lists", "[".repeat(65) + "]".repeat(65), false],
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
