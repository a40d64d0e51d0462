import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { workflowsIn } from "../readme/readme-workflow.ts";
import { section, tableRows } from "./support/markdown.ts";
import { filesIn, textOf } from "./support/repository.ts";

interface Call {
  uses?: string;
  strategy?: { "fail-fast"?: boolean; matrix: { include: Record<string, unknown>[] } };
  with?: Record<string, unknown>;
  secrets?: Record<string, unknown> | "inherit";
  permissions?: Record<string, string>;
}

interface Called {
  on: { workflow_call: { inputs: Record<string, { required?: boolean; type: string }>; secrets: object } };
  jobs: Record<string, { permissions?: Record<string, string> }>;
}

const called = parse(textOf(".github/workflows/gpu.yml")) as Called;
const { inputs, secrets } = called.on.workflow_call;
const planner = parse(textOf("scripts/gpu-call/action.yml")) as { inputs: object };

const calls = ["README.md", ...filesIn("docs", ".md")].flatMap((page) =>
  [...workflowsIn(page)].flatMap(([path, yaml]) => {
    const { jobs } = parse(yaml) as { jobs: Record<string, Call> };
    return Object.entries(jobs)
      .filter(([, { uses }]) => uses?.includes("/.github/workflows/gpu.yml@"))
      .map(([name, call]) => ({ name: `${page}, ${path}, ${name}`, call: firstOf(call) }));
  }),
);

/** A call in a matrix as its first row makes it. */
function firstOf(call: Call): Call {
  const [row] = call.strategy?.matrix.include ?? [];
  if (row === undefined) return call;
  const filled = JSON.stringify(call.with).replace(/\$\{\{ matrix\.(\w+) \}\}/g, (_, name) => String(row[name]));
  return { ...call, with: JSON.parse(filled) as Record<string, unknown> };
}

/** The planner's answer to somebody who has a fork and the secrets that the call hands on. */
function plan({ with: given = {}, secrets: handed = {} }: Call) {
  const has = (name: string) => String(handed !== "inherit" && name in handed);
  const defaults = Object.entries(inputs).map(([name, { type }]) => [name, type === "number" ? "60" : ""]);
  const all: Record<string, unknown> = {
    ...Object.fromEntries(defaults),
    machines: "auto",
    "jobs-per-machine": "1",
    ...given,
    "has-api-key": has("api-key"),
    "has-runner-token": has("runner-token"),
    "has-app-private-key": has("app-private-key"),
  };
  const env = Object.keys(planner.inputs).map((name) => [`INPUT_${name.toUpperCase()}`, String(all[name] ?? "")]);
  const script = fileURLToPath(new URL("../../scripts/gpu-call/main.mjs", import.meta.url));
  return spawnSync(process.execPath, [script], { env: Object.fromEntries(env), encoding: "utf8" });
}

test("docs/recipes/README.md has every recipe", () => {
  const page = textOf("docs/recipes/README.md");
  const recipes = filesIn("docs/recipes", ".md").map((path) => path.replace("docs/recipes/", ""));
  expect(recipes.filter((recipe) => recipe !== "README.md" && !page.includes(`](${recipe})`))).toEqual([]);
});

test("pages show calls", () => {
  expect(calls.length).toBeGreaterThan(8);
});

describe.each(calls)("$name", ({ call }) => {
  test("hands on what gpu.yml knows, and all that it needs", () => {
    const given = Object.keys(call.with ?? {});
    expect(given.filter((name) => !(name in inputs))).toEqual([]);
    const required = Object.keys(inputs).filter((name) => inputs[name]?.required);
    expect(required.filter((name) => !given.includes(name))).toEqual([]);
    if (call.secrets !== "inherit")
      expect(Object.keys(call.secrets ?? {}).filter((name) => !(name in secrets))).toEqual([]);
  });

  test("grants what the called jobs ask for, and no more", () => {
    const asked = Object.assign({}, ...Object.values(called.jobs).map(({ permissions }) => permissions ?? {}));
    expect(call.permissions).toEqual(asked);
  });

  test("keeps other calls running where it stands in a matrix", () => {
    if (call.strategy) expect(call.strategy["fail-fast"]).toBe(false);
  });

  test("passes the planner", () => {
    const { status, stdout } = plan(call);
    expect(stdout).not.toMatch(/^::(error|warning)/m);
    expect(status).toBe(0);
  });
});

test("gpu.yml hands the action what both have, nothing that it lacks, and the planner all of its own", () => {
  const action = parse(textOf("action.yml")) as { inputs: object };
  const { jobs } = called as unknown as {
    jobs: Record<string, { steps: { uses?: string; with?: Record<string, unknown> }[] }>;
  };
  const step = (uses: string) =>
    Object.values(jobs)
      .flatMap(({ steps }) => steps)
      .find((each) => each.uses === uses)?.with ?? {};
  const handed = step("$/rent");
  expect(Object.keys(handed).filter((name) => !(name in action.inputs))).toEqual([]);
  const shared = Object.keys(inputs).filter((name) => name in action.inputs);
  expect(shared.filter((name) => handed[name] !== `\${{ inputs.${name} }}`)).toEqual([]);
  expect(Object.keys(step("$/scripts/gpu-call")).toSorted()).toEqual(Object.keys(planner.inputs).toSorted());
});

test("with check: true the call rents nothing and runs no GPU job", () => {
  const { jobs } = called as unknown as { jobs: Record<"rent" | "test", { if: string }> };
  expect(jobs.test.if).toContain("outputs.go == 'true' && !inputs.check }");
  expect(jobs.rent.if).not.toContain("check");
});

test("docs/first-run.md reckons its costs by its own figures", () => {
  const rows = tableRows(section(textOf("docs/first-run.md"), "## 7. What a push costs"));
  const machine = (minutes: number) => (minutes / 60) * 0.35;
  const hosted = (minutes: number) => (minutes + 1) * 0.006; // and a minute of the sweep
  const expected = [
    [machine(13), hosted(14)],
    [3 * machine(13), hosted(14)],
    [machine(33), hosted(34)],
  ] as const;
  const written = expected.map(([rent, runners]) => {
    const [a, b] = [rent.toFixed(2), runners.toFixed(2)];
    return [a, b, (Number(a) + Number(b)).toFixed(2), a];
  });
  expect(rows.map(([, ...figures]) => figures)).toEqual(written);
});
