import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { workflowFiles } from "../../setup/workflows.ts";
import { workflowsIn } from "../readme/readme-workflow.ts";
import { filesIn, textOf } from "./support/repository.ts";

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
  env?: Record<string, string>;
}

interface Job {
  environment?: unknown;
  permissions?: Record<string, string> | string;
  steps?: Step[];
}

/** True for a job that has something to lose: a secret, or a token that may write. */
function isTrusted(job: Job): boolean {
  const { environment, permissions = {} } = job;
  const mayWrite =
    typeof permissions === "string" ? permissions !== "read-all" : Object.values(permissions).includes("write");
  return environment !== undefined || mayWrite || JSON.stringify(job).includes("secrets.");
}

/** Setup actions that restore a cache unless they are told not to. */
const CACHES_BY_ITSELF: Readonly<Record<string, string>> = {
  "actions/setup-node": "package-manager-cache",
  "actions/setup-go": "cache",
  "astral-sh/setup-uv": "enable-cache",
};

function restoresCache({ uses = "", with: inputs = {} }: Step): boolean {
  const name = uses.replace(/@.*/, "");
  if (/^actions\/cache(\/restore)?$/.test(name) || JSON.stringify(inputs).includes("type=gha")) return true;
  const off = CACHES_BY_ITSELF[name];
  if (off !== undefined) return inputs[off] !== false;
  return name.includes("/setup-") && inputs.cache !== undefined && inputs.cache !== false;
}

const TAKES_ARTIFACT = /gh run download|actions\/artifacts/;

/** True for a step that takes an artifact which no step from there on compares with a job's output. */
function takesAnyArtifact({ run = "", uses = "" }: Step, index: number, steps: readonly Step[]): boolean {
  if (!uses.startsWith("actions/download-artifact@") && !TAKES_ARTIFACT.test(run)) return false;
  const comparing = steps
    .slice(index)
    .find(({ env }) => /^\$\{\{ needs\.[\w-]+\.outputs\.[\w-]+ \}\}$/.test(env?.DIGEST ?? ""));
  return comparing?.run === undefined || !/sha256sum --check|scripts\/release\/pack\.sh/.test(comparing.run);
}

/** What a job may not do beside what it has to lose: caches are unpacked wherever their paths say, artifacts can be replaced. */
function faultsOf(yaml: string): string[] {
  const { jobs } = parse(yaml) as { jobs: Record<string, Job> };
  return Object.entries(jobs).flatMap(([name, job]) => {
    if (!isTrusted(job)) return [];
    const steps = job.steps ?? [];
    const caches = steps.some(restoresCache) ? [`${name} restores a cache`] : [];
    return steps.some(takesAnyArtifact) ? [...caches, `${name} takes an artifact without its digest`] : caches;
  });
}

const SETTINGS = {
  ...{ gpu: "RTX 4090", maxPrice: 0.6, maxCost: 2, image: "octo/image:1", command: "pytest", register: "app" as const },
  ...{ appClientId: "Iv23liabc", environment: "gpu", pullRequests: true, defaultBranch: "main" },
  action: { repository: "acme/ephemeral-gpu-runner", ref: "0".repeat(40), version: "v1.0.0" },
};

const WORKFLOWS = [
  ...filesIn(".github/workflows", ".yml", ".yaml").map((path) => [path, textOf(path)] as const),
  ...["README.md", ...filesIn("docs", ".md")].flatMap((page) =>
    [...workflowsIn(page)].map(([path, yaml]) => [`${page}: ${path}`, yaml] as const),
  ),
  ...workflowFiles(SETTINGS).map(({ path, text }) => [`of init: ${path}`, text] as const),
];

test("there are workflows of all kinds", () => {
  expect(WORKFLOWS.length).toBeGreaterThan(30);
});

test.each(WORKFLOWS)(
  "%s: no job that has something to lose restores a cache, or trusts an artifact by its name",
  (_path, yaml) => {
    expect(faultsOf(yaml)).toEqual([]);
  },
);

describe("such a job is found", () => {
  const job = (rest: string, trusted = "environment: gpu") => `jobs:\n  a:\n    ${trusted}\n    steps:\n${rest}\n`;

  test.each([
    ["a cache", "      - uses: actions/cache@v5"],
    ["a restored one", "      - uses: actions/cache/restore@v5"],
    ["a cache of setup-node", "      - uses: actions/setup-node@v6"],
    ["a cache of setup-python", "      - { uses: actions/setup-python@v6, with: { cache: pip } }"],
    ["a cache of layers", "      - { uses: docker/build-push-action@v6, with: { cache-from: type=gha } }"],
    ["an artifact", "      - uses: actions/download-artifact@v8"],
    ["an artifact of gh", "      - run: gh run download 1 --name report"],
    [
      "a digest that nobody compares",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub's
      "      - uses: actions/download-artifact@v8\n      - { run: ls, env: { DIGEST: '${{ needs.b.outputs.d }}' } }",
    ],
    [
      "a digest of the artifact's own",
      "      - { run: gh run download 1 && sha256sum --check x, env: { DIGEST: 'abc' } }",
    ],
  ])("%s", (_what, steps) => {
    expect(faultsOf(job(steps))).toHaveLength(1);
    expect(faultsOf(job(steps, "permissions: { contents: write }"))).toHaveLength(1);
    expect(faultsOf(job(steps, "permissions: { contents: read }"))).toEqual([]);
  });
});
