import { afterEach, describe, expect, test, vi } from "vitest";
import { workflowFiles } from "../../setup/workflows.ts";
import { readRunContext } from "../../src/action/open-session.ts";
import { SETTINGS } from "../setup/support/settings.ts";
import { COPIED, type Job, OURS, ourWorkflow, readWorkflow, runsOf, type Step } from "./support/workflows.ts";

const WRITTEN = workflowFiles(SETTINGS).map(({ path, text }) => readWorkflow(`of init: ${path}`, text));

test("there are workflows of all kinds, and GPU jobs", () => {
  expect([...OURS, ...COPIED, ...WRITTEN].length).toBeGreaterThan(30);
  expect(WITH_GPU.length).toBeGreaterThan(12);
});

describe.each(OURS)("$name", ({ text, jobs }) => {
  test("uses other people's actions by commit, and says which version that is", () => {
    const uses = Array.from(text.matchAll(/^\s*(?:- )?uses:\s*(.+)$/gm), ([, used = ""]) => used);
    expect(uses.filter((used) => !/^\.\/|^[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$/.test(used))).toEqual([]);
  });

  test("bounds the time of every job", () => {
    const unbounded = Object.entries(jobs).filter(([, job]) => !job.uses && !job["timeout-minutes"]);
    expect(unbounded.map(([name]) => name)).toEqual([]);
  });
});

// What others wrote is only downloaded beside a token that may write.
test.each(["nightly", "release"])("%s runs code of packages only in jobs that can only read", (file) => {
  const running = Object.entries(ourWorkflow(file).jobs).filter(([, job]) =>
    /\bnpm (?:ci|exec|test|run)\b|\bnpx\b|\bpip3? (?:install|wheel)\b|build\.sh/.test(runsOf(job)),
  );
  expect(running.length).toBeGreaterThan(2);
  for (const [name, job] of running) {
    expect(job.permissions, name).toEqual({ contents: "read" });
    expect(JSON.stringify(job), name).not.toMatch(/github\.token|secrets\./);
  }
});

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

/** True for a step that takes an artifact which no step from there on compares with a job's output. */
function takesAnyArtifact({ run = "", uses = "" }: Step, index: number, steps: readonly Step[]): boolean {
  if (!uses.startsWith("actions/download-artifact@") && !/gh run download|actions\/artifacts/.test(run)) return false;
  const isOutput = ({ env }: Step) => /^\$\{\{ needs\.[\w-]+\.outputs\.[\w-]+ \}\}$/.test(env?.DIGEST ?? "");
  const compares = steps.slice(index).find(isOutput)?.run ?? "";
  return !/sha256sum --check|scripts\/release\/pack\.sh/.test(compares);
}

/** What a job may not do beside what it has to lose: caches are unpacked wherever their paths say, artifacts can be replaced. */
function faultsOf(jobs: Record<string, Job>): string[] {
  return Object.entries(jobs).flatMap(([name, job]) => {
    if (!isTrusted(job)) return [];
    const steps = job.steps ?? [];
    const caches = steps.some(restoresCache) ? [`${name} restores a cache`] : [];
    return steps.some(takesAnyArtifact) ? [...caches, `${name} takes an artifact without its digest`] : caches;
  });
}

test.each([...OURS, ...COPIED, ...WRITTEN])(
  "$name: no job that has something to lose restores a cache, or trusts an artifact by its name",
  ({ jobs }) => expect(faultsOf(jobs)).toEqual([]),
);

const CHOICE = "$".concat("{{ github.event_name == 'pull_request' && 'gpu-pr' || 'gpu' }}");

/** `gpu` admits the default branch and its merge queue alone. */
function environmentFor(on: object): string {
  const events = Object.keys(on);
  if (!events.includes("pull_request")) return "gpu";
  return events.length === 1 ? "gpu-pr" : CHOICE;
}

const isOurs = ({ uses = "" }: Step) => uses === "./" || uses.includes("/ephemeral-gpu-runner");
const isForGpu = (job: Job) => job["runs-on"]?.startsWith("gpu-");

test.each(COPIED)("$name has its secrets in an environment that its runs may read, and none on a GPU", (workflow) => {
  for (const [name, job] of Object.entries(workflow.jobs))
    expect(job.environment, name).toBe(job.steps?.some(isOurs) ? environmentFor(workflow.on) : undefined);
  expect(JSON.stringify(Object.values(workflow.jobs).filter(isForGpu))).not.toMatch(/secrets\./);
});

const PLATFORM = {
  GITHUB_REPOSITORY: "octo/gpu-lib",
  GITHUB_RUN_ID: "4711",
  GITHUB_RUN_ATTEMPT: "2",
  GITHUB_JOB: "rent",
};
const RUN = "$".concat("{{ github.run_id }}");
const ATTEMPT = "$".concat("{{ github.run_attempt }}");

afterEach(() => vi.unstubAllEnvs());

/** The label that the machines of a session get in run 4711, attempt 2, where a job's output would be stale. */
function served({ with: { name = "" } = {} }: Step): string {
  for (const [variable, value] of Object.entries(PLATFORM)) vi.stubEnv(variable, value);
  return readRunContext(String(name)).runnerLabel;
}

/** The workflows of a run: the one that is started, and those that it calls. */
const RUNS = [["e2e", "e2e-inherit"], ["e2e-target"], ["prober"]].map((files) => ({
  name: files.join(", "),
  jobs: Object.assign({}, ...files.map((file) => ourWorkflow(file).jobs)) as Record<string, Job>,
}));
const WITH_GPU = [...COPIED, ...RUNS].filter(({ jobs }) => Object.values(jobs).some(isForGpu));

test.each(WITH_GPU)("the GPU jobs of $name ask for what its jobs that rent serve, in every attempt", ({ jobs }) => {
  const all = Object.values(jobs);
  const rents = all.flatMap(({ steps = [] }) =>
    steps.filter((step) => isOurs(step) && !step.uses?.includes("/sweep@")),
  );
  const asked = all.filter(isForGpu).map((job) => job["runs-on"]?.replace(RUN, "4711").replace(ATTEMPT, "2"));
  // A label with another expression is none that is served.
  expect([...new Set(asked)].toSorted()).toEqual([...new Set(rents.map(served))].toSorted());
});

test("e2e.yml expects something of each of its jobs, and of no other", () => {
  const { jobs } = ourWorkflow("e2e");
  const expected = jobs.verdict?.steps?.at(-1)?.run?.matchAll(/^(?:success|failure|skipped) ([\w-]+)/gm) ?? [];
  const own = Object.keys(jobs).filter((name) => !["verdict", "drive", "lose", "jit", "chain-build"].includes(name));
  expect([...new Set(Array.from(expected, ([, name]) => name))].toSorted()).toEqual(own.toSorted());
  expect([jobs.verdict?.needs].flat().toSorted()).toEqual(own.toSorted());
});

test("a GPU job of e2e.yml, and one of a called workflow that inherits, looks for secrets beside jobs that name one", () => {
  for (const file of ["e2e", "e2e-inherit"]) {
    const jobs = Object.values(ourWorkflow(file).jobs);
    const judged = jobs.filter((job) => runsOf(job).includes("no-secrets.sh"));
    expect(judged.map((job) => job["runs-on"])).toEqual([expect.stringMatching(/^gpu-/)]);
    expect(JSON.stringify(judged)).not.toContain("{{ secrets.");
    expect(JSON.stringify(jobs.filter((job) => !judged.includes(job)))).toContain("secrets.E2E_CANARY");
  }
  const called = { uses: "./.github/workflows/e2e-inherit.yml", secrets: "inherit" };
  expect(ourWorkflow("e2e").jobs.inherit).toMatchObject(called);
});

test("each job of e2e that rents is asked what still bills", () => {
  const jobs = ["e2e", "e2e-target"].flatMap((file) => Object.values(ourWorkflow(file).jobs));
  const uses = jobs.map(({ steps = [] }) => steps.map((step) => step.uses));
  const renting = uses.filter((each) => each.includes("./") || each.includes("./sweep"));
  expect(renting.length).toBeGreaterThan(8);
  for (const each of renting) expect(each).toContainEqual("./test/e2e/simulated-service");
});

test("e2e-fork.yml guards by the README's own condition, and looks at the base's verdict", () => {
  const { guarded, verdict } = ourWorkflow("e2e-fork").jobs;
  const { rent, test: gpu } = COPIED.find(({ name }) => name.startsWith("README.md"))?.jobs ?? {};
  expect(rent?.if).toBeDefined();
  expect([guarded?.if, gpu?.if]).toEqual([rent?.if, rent?.if]);
  expect(verdict?.steps?.[0]?.with?.ref).toContain(" github.event.pull_request.base.sha ");
  expect(verdict?.steps?.at(-1)?.run).toContain("skipped guarded");
});
