import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { findRemoved } from "../../setup/removed.ts";
import { inputSchema, type WrittenInputs } from "../../src/action/inputs/schema.ts";
import { REMOVED_INPUTS } from "../../src/action/inputs/unknown.ts";
import { outputsOf } from "../../src/report/outputs.ts";
import { aReadyMachine } from "../unit/support/a-machine.ts";
import { section, tableRows, withoutBackticks } from "./support/markdown.ts";
import { textOf } from "./support/repository.ts";

interface ActionFile {
  inputs: Record<string, { description?: string; required?: boolean; default?: string }>;
  outputs: Record<string, { description?: string }>;
  runs: Record<string, string>;
}

const action = parse(textOf("action.yml")) as ActionFile;
/** Inputs whose defaults say which job the action runs in; nobody sets them. */
const HIDDEN = ["job-check-run-id", "job-status", "strategy-fail-fast", "strategy-job-total"];
/** Needed by most workflows; the README has these alone. */
const EIGHT = ["api-key", "github-token", "image", "gpu-name", "max-price", "max-cost", "machines", "jobs-per-machine"];

/** A default as the pages write it. */
function onThePage({ required, default: fallback }: ActionFile["inputs"][string]): string {
  if (required) return "required";
  return fallback ? `\`${fallback}\`` : "–";
}

describe("inputs", () => {
  test("are the same, in the same order, in the schema and action.yml", () => {
    expect(Object.keys(action.inputs)).toEqual(Object.keys(inputSchema.shape));
  });

  test("docs/inputs.md is what its script makes of action.yml", () => {
    const script = new URL("../../scripts/inputs-page.mjs", import.meta.url);
    const made = execFileSync(process.execPath, [fileURLToPath(script), "--print"], { encoding: "utf8" });
    expect(textOf("docs/inputs.md"), "run `node scripts/inputs-page.mjs`").toBe(made);
    const rows = Array.from(made.matchAll(/^\| `([a-z0-9-]+)` \|/gm), ([, name = ""]) => name);
    for (const name of Object.keys(action.inputs)) expect(rows.includes(name), name).toBe(!HIDDEN.includes(name));
  });

  test("the README has the eight that most need, with their defaults", () => {
    const rows = tableRows(section(textOf("README.md"), "## Inputs"));
    const expected = EIGHT.map((name) => [name, onThePage(action.inputs[name] ?? {})]);
    expect(rows.map(([name = "", fallback = ""]) => [withoutBackticks(name), fallback])).toEqual(expected);
  });

  test.each(Object.keys(inputSchema.shape) as (keyof WrittenInputs)[])(
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

  test.each(Object.keys(REMOVED_INPUTS))(
    "%s, which is gone, is no input, and doctor finds it in a workflow",
    (name) => {
      expect(Object.keys(inputSchema.shape)).not.toContain(name);
      const text = `    - uses: octo/ephemeral-gpu-runner@v1\n      with:\n        ${name}: "1"\n`;
      expect(findRemoved([{ path: "gpu.yml", text }], "ephemeral-gpu-runner")).toHaveLength(1);
    },
  );

  test("have a description; that of a hidden one says to leave it alone", () => {
    for (const [name, { description }] of Object.entries(action.inputs)) {
      expect(description, name).toMatch(/\.$/);
      if (HIDDEN.includes(name)) expect(description, name).toContain("leave it alone");
    }
  });
});

test("outputs are the same, in the same order, in the code and action.yml", () => {
  const machine = aReadyMachine();
  const names = Object.keys(
    outputsOf(machine, [machine], {
      ...{ runnerLabel: "label", receipt: "", figures: "[]" },
      ...{ runtype: "ssh_proxy", secondsToReady: 4 },
    }),
  );
  // Set before there is any machine.
  expect(Object.keys(action.outputs).filter((name) => name !== "events")).toEqual(names);
});

test("the action runs on Node 24, and its post step always", () => {
  expect(action.runs).toEqual({ using: "node24", main: "dist/main.js", post: "dist/post.js" });
});
