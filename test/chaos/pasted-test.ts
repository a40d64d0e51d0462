import type { PlannedRun } from "./planned-run.ts";

interface Found {
  plan: PlannedRun;
  /** The rules that it broke, one sentence each. */
  texts: readonly string[];
}

/** A test that plays a run again: the text of a file in test/chaos. */
export function pastedTest({ plan, texts }: Found): string {
  const [first = "a rule is broken"] = texts;
  return [
    'import { expect, test } from "vitest";',
    'import { playPlan } from "./play-plan.ts";',
    "",
    `test(${JSON.stringify(`chaos, run ${plan.index} of seed ${plan.seed}: ${first}`)}, { timeout: 600_000 }, async () => {`,
    "  const broken = await playPlan({",
    ...Object.entries(plan).flatMap(([name, value]) => (value === undefined ? [] : [lineOf(name, value)])),
    "  });",
    "  expect(broken).toEqual([]);",
    "});",
    "",
  ].join("\n");
}

/** A list has a line for each of its things. */
function lineOf(name: string, value: unknown): string {
  if (!Array.isArray(value) || value.length < 2) return `    ${name}: ${JSON.stringify(value)},`;
  return [`    ${name}: [`, ...value.map((each) => `      ${JSON.stringify(each)},`), "    ],"].join("\n");
}
