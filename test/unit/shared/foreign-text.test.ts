import { describe, expect, test } from "vitest";
import { instanceSchema } from "../../../src/marketplace/vast/schemas.ts";
import {
  knowSecret,
  oneLine,
  withoutCommands,
  withoutMarkdown,
  withoutSecrets,
} from "../../../src/shared/foreign-text.ts";

describe("oneLine", () => {
  test.each([
    ["line breaks of all kinds", "a\nb\r\nc\u2028d\u2029e\u0085f\vg", "a b c d e f g"],
    ["colours of a terminal", "\u001b[31mred\u001b[0m", "[31mred [0m"],
    ["bidi overrides and invisible characters", "gpu\u202Eeerf\u200B!", "gpu eerf !"],
    ["tabs and blanks at both ends", "\t  a\t\tb  ", "a b"],
    ["null", "a\0b", "a b"],
    ["other alphabets, as they are", "Größe 数 √", "Größe 数 √"],
  ])("makes one plain line of %s", (_what, text, line) => {
    expect(oneLine(text)).toBe(line);
  });

  test("cuts at 300 characters, or at a given length", () => {
    expect(oneLine(`${"x".repeat(100)}-${"y".repeat(200)}`)).toHaveLength(301);
    expect(oneLine(`${"x".repeat(100)}cut${"y".repeat(200)}`)).toBe(`${"x".repeat(100)}…${"y".repeat(200)}`);
    expect(oneLine(`${"x".repeat(99)}👩${"👩".repeat(101)}`)).toBe(`${"x".repeat(99)}…${"👩".repeat(100)}`);
    expect(oneLine(`ab${"👩".repeat(200)}z`)).toBe(`ab${"👩".repeat(49)}…${"👩".repeat(99)}z`);
    expect(oneLine("abcdef", 4)).toBe("abc…");
    expect(oneLine("ab👩def", 4)).toBe("ab…");
  });
});

describe("withoutCommands", () => {
  test.each([
    ["a workflow command", "::error::broken"],
    ["one behind blanks", "   ::set-output name=a::b"],
    ["one in a later line", "first\n::add-mask::x"],
    ["one behind NEL, which the runner trims", "\u0085::error::x"],
    ["one behind a carriage return", "first\r::add-mask::x"],
    ["one of the old form, anywhere", "see ##[error] here"],
    ["commands without an end", "::::stop-commands::x"],
  ])("takes its power from %s", (_what, text) => {
    for (const line of withoutCommands(text).split(/\r\n|\r|\n/)) {
      expect(line).not.toMatch(/^[\s\u0085]*::/);
      expect(line).not.toContain("##[");
    }
  });

  test("leaves a line alone that only holds colons", () => {
    expect(withoutCommands("offer 11: std::vector, 10:20")).toBe("offer 11: std::vector, 10:20");
  });
});

/** A summary as its reader sees it: entities undone. */
function shown(text: string): string {
  return text.replace(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)));
}

describe("withoutMarkdown", () => {
  const attacks = [
    ...["RTX | 4090 |", "[click](https://evil.example)", "![x](https://evil.example/t.png)", "# heading", "- item"],
    ...["<img src=x onerror=alert(1)>", "<!-- hidden -->", "**bold** _it_ ~~gone~~ `code`", "> quote", "\\| escaped"],
    ...["@octocat see #12 and https://evil.example/?q=1&r=2", "$math$ &lt;b&gt;", "WWW.evil.example"],
  ];

  test.each(attacks)("makes %s plain text that still reads the same", (text) => {
    const plain = withoutMarkdown(text);
    expect(plain.replace(/&#\d+;/g, "")).not.toMatch(/[\\`*_{}[\]()#+!|<>~&@:/$-]|www\./i);
    expect(shown(plain)).toBe(text);
  });

  test("keeps a table row in one row, and leaves words and prices as they are", () => {
    expect(withoutMarkdown("a\nb|c")).toBe("a b&#124;c");
    expect(withoutMarkdown("RTX 4090, 0.40 USD")).toBe("RTX 4090, 0.40 USD");
  });
});

describe("secrets that a foreign text repeats", () => {
  test("are taken out, the longest first", () => {
    knowSecret("swordfish");
    knowSecret("-u octo -p swordfish ghcr.io");
    const said = "bad login -u octo -p swordfish ghcr.io: swordfish, swordfish";
    expect(withoutSecrets(said)).toBe("bad login ***: ***, ***");
  });

  test("are found field by field, and a label is never touched", () => {
    knowSecret("ghr1.1.2-1");
    const row = { id: 701, label: "ghr1.1.2-1.abcdef.1.9", status_msg: "for ghr1.1.2-1", gpu_name: "x" };
    expect(instanceSchema.parse(row)).toMatchObject({ label: row.label, status_msg: "for ***" });
  });
});
