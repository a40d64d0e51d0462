import { expect, test } from "vitest";
import { instanceSchema } from "../../../src/marketplace/vast/schemas.ts";
import {
  knowSecret,
  oneLine,
  withoutCommands,
  withoutMarkdown,
  withoutSecrets,
} from "../../../src/shared/foreign-text.ts";

// What no text can do is in test/property/foreign-text.test.ts.

test.each([
  ["line breaks, tabs and blanks", "\t a\nb\r\nc\u2028d\u0085e \u001b[31m", "a b c d e [31m"],
  ["bidi overrides and invisible characters", "gpu\u202Eeerf\u200B!", "gpu eerf !"],
])("oneLine makes one plain line of %s", (_what, text, line) => {
  expect(oneLine(text)).toBe(line);
});

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

test.each([
  [
    "[click](https://evil.example) WWW.evil.example",
    "&#91;click&#93;&#40;https&#58;&#47;&#47;evil.example&#41; WWW&#46;evil.example",
  ],
  ["a\nb|c", "a b&#124;c"],
])("withoutMarkdown makes plain text that still reads the same: %j", (text, plain) => {
  expect(withoutMarkdown(text)).toBe(plain);
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
