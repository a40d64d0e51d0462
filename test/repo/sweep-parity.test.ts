import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { sweepInputSchema } from "../../src/action/inputs/schema.ts";
import { actionReference, firstRunWorkflow, workflowName } from "../readme/readme-workflow.ts";
import { textOf } from "./support/repository.ts";

interface ActionFile {
  inputs: Record<string, { description?: string; required?: boolean; default?: string }>;
  runs: Record<string, string>;
}

interface Workflow {
  on: { workflow_run?: { workflows: string[]; types: string[] }; schedule?: { cron: string }[] };
  permissions: object;
  jobs: Record<string, { permissions: object; steps: { uses: string; with: object }[] }>;
}

const action = parse(textOf("sweep/action.yml")) as ActionFile;
const names = Object.keys(sweepInputSchema.shape) as (keyof typeof sweepInputSchema.shape)[];

test("the inputs of the sweep are the same, in the same order, in the schema and sweep/action.yml", () => {
  expect(Object.keys(action.inputs)).toEqual(names);
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

describe.each(["gpu-sweep.yml", "gpu-sweep-scheduled.yml"])("%s, as docs/first-run.md has it", (file) => {
  const { permissions, jobs } = parse(firstRunWorkflow(file)) as Workflow;

  test("may cancel runs, and knows the sweep's inputs", () => {
    expect(permissions).toEqual({});
    const [job] = Object.values(jobs);
    expect(job?.permissions).toEqual({ actions: "write" });
    expect(job?.steps).toHaveLength(1);
    const [step] = job?.steps ?? [];
    expect(step?.uses).toBe(actionReference().replace("@", "/sweep@"));
    expect(Object.keys(step?.with ?? {}).filter((name) => !(name in action.inputs))).toEqual([]);
  });
});

test("one follows the workflow that rents by its name, the other has a schedule, and neither both", () => {
  const following = (parse(firstRunWorkflow("gpu-sweep.yml")) as Workflow).on;
  expect(following).toEqual({ workflow_run: { workflows: [workflowName()], types: ["completed"] } });
  const scheduled = (parse(firstRunWorkflow("gpu-sweep-scheduled.yml")) as Workflow).on;
  expect(scheduled.schedule).toHaveLength(1);
  expect(scheduled.workflow_run).toBeUndefined();
});
