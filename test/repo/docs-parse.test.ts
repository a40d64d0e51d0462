import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { inputSchema } from "../../src/action/inputs/schema.ts";
import { filesIn, textOf } from "./support/repository.ts";

interface Block {
  name: string;
  language: string;
  text: string;
}

const blocks: Block[] = ["README.md", ...filesIn("docs", ".md")].flatMap((page) =>
  Array.from(textOf(page).matchAll(/^```([a-z]+)\n([\s\S]*?)^```$/gm), ({ 1: language = "", 2: text = "", index }) => ({
    name: `${page}:${textOf(page).slice(0, index).split("\n").length}`,
    language,
    text,
  })),
);
const of = (language: string) => blocks.filter((block) => block.language === language);

test("a block of code on a page is of a kind that a test knows", () => {
  // The lines in ts are compiled and run by test/contract/client-package.test.ts.
  const known = ["sh", "yaml", "json", "ts", "text", "dockerfile", "mermaid", "diff"];
  expect(blocks.filter(({ language }) => !known.includes(language)).map(({ name }) => name)).toEqual([]);
});

test.each(of("sh"))("bash can read $name", ({ text }) => {
  expect(spawnSync("bash", ["-n", "-c", text], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
});

test.each(of("json"))("$name is JSON", ({ text }) => {
  expect(() => JSON.parse(text)).not.toThrow();
});

describe.each(of("yaml"))("$name", ({ text }) => {
  const parsed = parse(text) as Record<string, unknown>;

  test("is a file of GitHub's, or inputs that the action takes", () => {
    if (/^# \.github\//.test(text)) return;
    for (const [name, value] of Object.entries(parsed)) {
      const schema = inputSchema.shape[name as keyof typeof inputSchema.shape];
      expect(schema, name).toBeDefined();
      expect(schema.safeParse(String(value)).success, `${name}: ${value}`).toBe(true);
    }
  });

  test("calls our action with inputs that it has", () => {
    const steps = Object.values((parsed.jobs ?? {}) as Record<string, { steps?: { uses?: string; with?: object }[] }>);
    const ours = steps
      .flatMap((job) => job.steps ?? [])
      .filter(({ uses = "" }) => /\/ephemeral-gpu-runner@/.test(uses));
    const unknown = ours.flatMap((step) => Object.keys(step.with ?? {})).filter((name) => !(name in inputSchema.shape));
    expect(unknown).toEqual([]);
  });
});
