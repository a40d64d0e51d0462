import { afterEach, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { readRunContext } from "../../src/action/open-session.ts";
import { workflowsIn } from "../readme/readme-workflow.ts";
import { filesIn, textOf } from "./support/repository.ts";

/** The GPU jobs of every workflow here, as they ask for their runner. */
interface Job {
  "runs-on"?: string;
  steps?: { uses?: string; with?: { name?: string } }[];
}

const PLATFORM = {
  GITHUB_REPOSITORY: "octo/gpu-lib",
  GITHUB_RUN_ID: "4711",
  GITHUB_RUN_ATTEMPT: "2",
  GITHUB_JOB: "rent",
};
const RUN = "$".concat("{{ github.run_id }}");
const ATTEMPT = "$".concat("{{ github.run_attempt }}");

/** The label that a job asks for in run 4711, attempt 2, where a job's output would be stale. */
function asksFor(runsOn = ""): string {
  const label = runsOn.replace(RUN, "4711").replace(ATTEMPT, "2");
  if (label.includes("{{")) throw new Error(`What ${runsOn} comes to in a second attempt is not known.`);
  return label;
}

/** The label that the machines of a session get there. */
function served(name = ""): string {
  for (const [variable, value] of Object.entries(PLATFORM)) vi.stubEnv(variable, value);
  return readRunContext(name).runnerLabel;
}

afterEach(() => vi.unstubAllEnvs());

const jobsIn = (yaml: string) => Object.values((parse(yaml) as { jobs: Record<string, Job> }).jobs);
const rents = ({ steps = [] }: Job) =>
  steps.filter(({ uses = "" }) => uses === "./" || /\/ephemeral-gpu-runner@/.test(uses));
const gpuJobs = (jobs: readonly Job[]) => jobs.filter((job) => job["runs-on"]?.startsWith("gpu-"));

const pages = ["README.md", ...filesIn("docs", ".md")].flatMap((page) =>
  [...workflowsIn(page)].map(([path, yaml]) => ({ name: `${page}, ${path}`, jobs: jobsIn(yaml) })),
);
/** The workflows of a run: the one that is started, and those that it calls. */
const ours = [["e2e", "e2e-inherit"], ["e2e-target"], ["prober"]].map((files) => ({
  name: files.join(", "),
  jobs: files.flatMap((file) => jobsIn(textOf(`.github/workflows/${file}.yml`))),
}));
const written = [...pages, ...ours].filter(({ jobs }) => gpuJobs(jobs).length > 0);

test("workflows have GPU jobs", () => {
  expect(written.length).toBeGreaterThan(12);
});

describe.each(written)("$name", ({ jobs }) => {
  test("its GPU jobs ask for what its jobs that rent serve, in every attempt", () => {
    const labels = jobs.flatMap((job) => rents(job).map((step) => served(step.with?.name)));
    const asked = gpuJobs(jobs).map((job) => asksFor(job["runs-on"]));
    expect([...new Set(asked)].toSorted()).toEqual([...new Set(labels)].toSorted());
  });
});
