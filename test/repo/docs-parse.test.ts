import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { inputSchema, sweepInputSchema } from "../../src/action/inputs/schema.ts";
import { filesIn, textOf } from "./support/repository.ts";
import { COPIED } from "./support/workflows.ts";

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

test.each(of("yaml"))("$name is a file of GitHub's, or inputs that the action takes", ({ text }) => {
  if (/^# \.github\//.test(text)) return;
  for (const [name, value] of Object.entries(parse(text) as object)) {
    const schema = inputSchema.shape[name as keyof typeof inputSchema.shape];
    expect(schema, name).toBeDefined();
    expect(schema.safeParse(String(value)).success, `${name}: ${value}`).toBe(true);
  }
});

test.each(COPIED)("$name calls our actions with inputs that they have", ({ jobs }) => {
  const unknown = Object.values(jobs).flatMap(({ steps = [] }) =>
    steps.flatMap(({ uses = "", with: inputs = {} }) => {
      const [, sweep] = /\/ephemeral-gpu-runner(\/sweep)?@/.exec(uses) ?? [uses, "none"];
      const { shape } = sweep === undefined ? inputSchema : sweepInputSchema;
      return sweep === "none" ? [] : Object.keys(inputs).filter((name) => !(name in shape));
    }),
  );
  expect(unknown).toEqual([]);
});
