import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { findRemoved } from "../../setup/removed.ts";
import { inputSchema, sweepInputSchema } from "../../src/action/inputs/schema.ts";
import { REMOVED_INPUTS } from "../../src/action/inputs/unknown.ts";
import { outputsOf } from "../../src/report/outputs.ts";
import { actionReference, firstRunWorkflow, workflowName } from "../readme/readme-workflow.ts";
import { aReadyMachine } from "../unit/support/a-machine.ts";
import { section, tableRows, withoutBackticks } from "./support/markdown.ts";
import { textOf } from "./support/repository.ts";
import { readWorkflow } from "./support/workflows.ts";

type Input = { description?: string; required?: boolean; default?: string };
type ActionFile = { inputs: Record<string, Input>; outputs?: object; runs: object };
type Typing = { type: "string" | "boolean" | "integer" | "float" | "list" | "enum"; "allowed-values"?: unknown[] };
type Types = { inputs: Record<string, Typing>; outputs?: object };

/** Inputs whose defaults say which job the action runs in; nobody sets them. */
const HIDDEN = ["job-check-run-id", "job-status", "strategy-fail-fast", "strategy-job-total"];
/** Needed by most workflows; the README has these alone. */
const EIGHT = ["api-key", "github-token", "image", "gpu-name", "max-price", "max-cost", "machines", "jobs-per-machine"];

const ACTIONS = [
  { folder: "", schema: inputSchema, runs: { using: "node24", main: "dist/main.js", post: "dist/post.js" } },
  { folder: "sweep/", schema: sweepInputSchema, runs: { using: "node24", main: "../dist/sweep.js" } },
] as const;
const action = parse(textOf("action.yml")) as ActionFile;

/** A default as the pages write it. */
function onThePage({ required, default: fallback }: Input): string {
  if (required) return "required";
  return fallback ? `\`${fallback}\`` : "–";
}

describe.each(ACTIONS)("$folder action.yml", ({ folder, schema, runs }) => {
  const { inputs, outputs, runs: written } = parse(textOf(`${folder}action.yml`)) as ActionFile;
  const types = parse(textOf(`${folder}action-types.yml`)) as Types;
  const judge = (name: string, text: string | undefined) =>
    (schema.shape as typeof inputSchema.shape)[name as keyof typeof inputSchema.shape].safeParse(text);
  const accepts = (name: string, text: string): boolean => judge(name, text).success;

  test("has the inputs of the schema, in its order, the types name them and the outputs, and Node 24 runs it", () => {
    expect(Object.keys(inputs)).toEqual(Object.keys(schema.shape));
    expect(Object.keys(types.inputs)).toEqual(Object.keys(inputs));
    expect(Object.keys(types.outputs ?? {})).toEqual(Object.keys(outputs ?? {}));
    expect(written).toEqual(runs);
  });

  test.each(Object.entries(inputs))("%s means the same left out and at its default, and says so", (name, input) => {
    expect(input.description).toMatch(/\.$/);
    if (HIDDEN.includes(name)) expect(input.description).toContain("leave it alone");
    // An empty api-key passes the schema: it is an error of its own, no secrets in this run.
    if (input.required && name !== "api-key") expect(judge(name, undefined).success).toBe(false);
    if (input.default === undefined || input.default.includes("${{")) return;
    expect(judge(name, undefined)).toEqual(judge(name, input.default));
  });

  test.each(Object.entries(types.inputs))("%s takes what its type allows, and nothing else", (name, typing) => {
    const { type, "allowed-values": values = [] } = typing;
    const number = { "min-reliability": "0.5", disk: "32" }[name] ?? "4";
    const good = { boolean: ["true", "false"], enum: values.map(String), integer: [number], float: [number] };
    const bad = { boolean: ["neither"], enum: ["neither"], integer: ["four", "4.5"], float: ["four"] };
    const [right, wrong] = [good[type as keyof typeof good] ?? [], bad[type as keyof typeof bad] ?? []];
    expect(right.filter((text) => !accepts(name, text))).toEqual([]);
    expect(wrong.filter((text) => accepts(name, text))).toEqual([]);
  });
});

test("docs/inputs.md is what its script makes of action.yml", () => {
  const script = fileURLToPath(new URL("../../scripts/inputs-page.mjs", import.meta.url));
  const made = execFileSync(process.execPath, [script, "--print"], { encoding: "utf8" });
  expect(textOf("docs/inputs.md"), "run `node scripts/inputs-page.mjs`").toBe(made);
  const rows = Array.from(made.matchAll(/^\| `([a-z0-9-]+)` \|/gm), ([, name = ""]) => name);
  for (const name of Object.keys(action.inputs)) expect(rows.includes(name), name).toBe(!HIDDEN.includes(name));
});

test("the README has the eight that most need, with their defaults", () => {
  const rows = tableRows(section(textOf("README.md"), "## Inputs"));
  const expected = EIGHT.map((name) => [name, onThePage(action.inputs[name] ?? {})]);
  expect(rows.map(([name = "", fallback = ""]) => [withoutBackticks(name), fallback])).toEqual(expected);
});

test.each(Object.keys(REMOVED_INPUTS))("%s, which is gone, is no input, and doctor finds it in a workflow", (name) => {
  expect(Object.keys(inputSchema.shape)).not.toContain(name);
  const text = `    - uses: octo/ephemeral-gpu-runner@v1\n      with:\n        ${name}: "1"\n`;
  expect(findRemoved([{ path: "gpu.yml", text }], "ephemeral-gpu-runner")).toHaveLength(1);
});

test("outputs are the same, in the same order, in the code and action.yml", () => {
  const machine = aReadyMachine();
  const facts = { runnerLabel: "label", receipt: "", figures: "[]", runtype: "ssh_proxy", secondsToReady: 4 } as const;
  // Set before there is any machine.
  const written = Object.keys(action.outputs ?? {}).filter((name) => name !== "events");
  expect(written).toEqual(Object.keys(outputsOf(machine, [machine], facts)));
});

describe("the sweeps of docs/first-run.md", () => {
  const read = (file: string) => readWorkflow(file, firstRunWorkflow(file));

  test.each(["gpu-sweep.yml", "gpu-sweep-scheduled.yml"])("%s may cancel runs, and calls the sweep", (file) => {
    const { permissions, jobs } = read(file);
    const [job, ...others] = Object.values(jobs);
    expect([permissions, job?.permissions, others]).toEqual([{}, { actions: "write" }, []]);
    expect(job?.steps?.map(({ uses }) => uses)).toEqual([actionReference().replace("@", "/sweep@")]);
  });

  test("one follows the workflow that rents by its name, the other has a schedule, and neither both", () => {
    expect(read("gpu-sweep.yml").on).toEqual({ workflow_run: { workflows: [workflowName()], types: ["completed"] } });
    expect(read("gpu-sweep-scheduled.yml").on).toEqual({ schedule: [expect.anything()], workflow_dispatch: {} });
  });
});
