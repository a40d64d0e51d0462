import { expect, test } from "vitest";
import { instanceSchema } from "../../../src/marketplace/vast/schemas.ts";
import { knowSecret, oneLine, withoutCommands, withoutSecrets } from "../../../src/shared/foreign-text.ts";

// What no text can do is in test/property/foreign-text.test.ts.

test("oneLine cuts at 300 characters, or at a given length, and no character in half", () => {
  expect(oneLine(`${"x".repeat(100)}-${"y".repeat(200)}`)).toHaveLength(301);
  expect(oneLine(`${"x".repeat(100)}cut${"y".repeat(200)}`)).toBe(`${"x".repeat(100)}…${"y".repeat(200)}`);
  expect(oneLine(`${"x".repeat(99)}👩${"👩".repeat(101)}`)).toBe(`${"x".repeat(99)}…${"👩".repeat(100)}`);
  expect(oneLine(`ab${"👩".repeat(200)}z`)).toBe(`ab${"👩".repeat(49)}…${"👩".repeat(99)}z`);
  expect([oneLine("abcdef", 4), oneLine("ab👩def", 4)]).toEqual(["abc…", "ab…"]);
});

test.each([
  ["first\n   ::set-output name=a::b", "first\n   : :set-output name=a::b"],
  ["\u0085::error::x", "\u0085: :error::x"],
  ["see ##[error] here", "see ## [error] here"],
])("withoutCommands takes its power from a command alone: %j", (text, harmless) => {
  expect(withoutCommands(text)).toBe(harmless);
});

test("secrets that a foreign text repeats are taken out, the longest first", () => {
  knowSecret("swordfish");
  knowSecret("-u octo -p swordfish ghcr.io");
  const said = "bad login -u octo -p swordfish ghcr.io: swordfish, swordfish";
  expect(withoutSecrets(said)).toBe("bad login ***: ***, ***");
});

test("secrets that a foreign text repeats are found field by field, and a label is never touched", () => {
  knowSecret("ghr1.1.2-1");
  const row = { id: 701, label: "ghr1.1.2-1.abcdef.1.9", status_msg: "for ghr1.1.2-1", gpu_name: "x" };
  expect(instanceSchema.parse(row)).toMatchObject({ label: row.label, status_msg: "for ***" });
});
