import { expect, test } from "vitest";
import { parse } from "yaml";
import { type SweepInputs, sweepInputSchema } from "../../src/action/inputs/sweep-inputs.ts";
import { actionReference, sweepWorkflow, workflowName } from "../readme/readme-workflow.ts";
import { section, tableRows, withoutBackticks } from "./support/markdown.ts";
import { textOf } from "./support/repository.ts";

interface ActionFile {
  inputs: Record<string, { description?: string; required?: boolean; default?: string }>;
  runs: Record<string, string>;
}

interface Workflow {
  on: { workflow_run: { workflows: string[]; types: string[] }; schedule: { cron: string }[] };
  permissions: object;
  jobs: Record<string, { permissions: object; steps: { uses: string; with: object }[] }>;
}

const action = parse(textOf("sweep/action.yml")) as ActionFile;
const names = Object.keys(sweepInputSchema.shape) as (keyof SweepInputs)[];

test("the inputs of the sweep are the same, in the same order and with one default, in the schema, sweep/action.yml and the README", () => {
  const rows = tableRows(section(textOf("README.md"), "### Sweep"));
  const expected = Object.entries(action.inputs).map(([name, input]) => [
    name,
    input.required ? "required" : `\`${input.default}\``,
  ]);
  expect(Object.keys(action.inputs)).toEqual(names);
  expect(rows.map(([name = "", fallback = ""]) => [withoutBackticks(name), fallback])).toEqual(expected);
});

test.each(names)("%s means the same left out and at its default", (name) => {
  const fallback = action.inputs[name]?.default;
  expect(action.inputs[name]?.description, name).toMatch(/\.$/);
  if (fallback === undefined || fallback.includes("${{")) return;
  expect(sweepInputSchema.shape[name].safeParse(undefined)).toEqual(sweepInputSchema.shape[name].safeParse(fallback));
});

test("the sweep runs on Node 24, without a post step", () => {
  expect(action.runs).toEqual({ using: "node24", main: "../dist/sweep.js" });
});

test("the README's sweep follows the README's workflow by its name, may cancel runs, and knows its inputs", () => {
  const { on, permissions, jobs } = parse(sweepWorkflow()) as Workflow;
  expect(on.workflow_run).toEqual({ workflows: [workflowName()], types: ["completed"] });
  expect(on.schedule).toHaveLength(1);
  expect(permissions).toEqual({});
  const [job] = Object.values(jobs);
  expect(job?.permissions).toEqual({ actions: "write" });
  expect(job?.steps).toHaveLength(1);
  const [step] = job?.steps ?? [];
  expect(step?.uses).toBe(actionReference().replace("@", "/sweep@"));
  expect(Object.keys(step?.with ?? {}).filter((name) => !(name in action.inputs))).toEqual([]);
});
