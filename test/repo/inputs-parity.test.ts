import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type InputValues, inputSchema } from "../../src/action/inputs/input-schema.ts";
import { outputsOf } from "../../src/action/report/outputs.ts";
import { aReadyMachine } from "../unit/support/a-machine.ts";
import { section, tableRows, withoutBackticks } from "./support/markdown.ts";
import { textOf } from "./support/repository.ts";

interface ActionFile {
  inputs: Record<string, { description?: string; required?: boolean; default?: string }>;
  outputs: Record<string, { description?: string }>;
  runs: Record<string, string>;
}

const action = parse(textOf("action.yml")) as ActionFile;
const readme = textOf("README.md");
/** Inputs whose defaults tell the action about its own job; nobody sets them. */
const HIDDEN = ["job-check-run-id", "job-status", "strategy-fail-fast", "strategy-job-total"];

function readmeTable(heading: string): [name: string, second: string][] {
  return tableRows(section(readme, heading)).map(([name = "", second = ""]) => [withoutBackticks(name), second]);
}

/** A default as the README writes it. */
function inTheReadme({ required, default: fallback }: ActionFile["inputs"][string]): string {
  if (required) return "required";
  return fallback ? `\`${fallback}\`` : "–";
}

describe("inputs", () => {
  test("are the same, in the same order, in the schema, action.yml and the README", () => {
    const names = Object.keys(inputSchema.shape);
    expect(Object.keys(action.inputs)).toEqual(names);
    expect(readmeTable("## Inputs").map(([name]) => name)).toEqual(names.filter((name) => !HIDDEN.includes(name)));
  });

  test("have one default in the README and action.yml", () => {
    const expected = Object.entries(action.inputs).filter(([name]) => !HIDDEN.includes(name));
    expect(readmeTable("## Inputs")).toEqual(expected.map(([name, input]) => [name, inTheReadme(input)]));
  });

  test.each(Object.keys(inputSchema.shape) as (keyof InputValues)[])(
    "%s means the same left out and at its default",
    (name) => {
      const { required, default: fallback } = action.inputs[name] ?? {};
      const leftOut = inputSchema.shape[name].safeParse(undefined);
      // An empty api-key passes the schema: it is an error of its own, no secrets in this run.
      if (required && name !== "api-key") expect(leftOut.success).toBe(false);
      if (fallback === undefined || fallback.includes("${{")) return;
      expect(leftOut).toEqual(inputSchema.shape[name].safeParse(fallback));
    },
  );

  test("have a description; that of a hidden one says to leave it alone", () => {
    for (const [name, { description }] of Object.entries(action.inputs)) {
      expect(description, name).toMatch(/\.$/);
      if (HIDDEN.includes(name)) expect(description, name).toContain("leave it alone");
    }
  });
});

test("outputs are the same, in the same order, in the code, action.yml and the README", () => {
  const machine = aReadyMachine();
  const names = Object.keys(outputsOf(machine, { runnerLabel: "label", receipt: "", secondsToReady: 4, ready: [machine] }));
  expect(Object.keys(action.outputs)).toEqual(names);
  expect(readmeTable("## Outputs").map(([name]) => name)).toEqual(names);
});

test("the action runs on Node 24, and its post step always", () => {
  expect(action.runs).toEqual({ using: "node24", main: "dist/main.js", post: "dist/post.js" });
});
