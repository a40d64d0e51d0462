import type { Context } from "./context.ts";
import { GithubError, type GithubRequest, repositoryPath } from "./gh.ts";
import { SetupError } from "./setup-error.ts";
import { pause } from "./surroundings.ts";

/** A run, or a job of one. */
interface Run {
  id: number;
  name: string;
  status: string;
  conclusion: string | null;
  html_url: string;
}

/** The runs of one branch that one event starts. */
interface RunsOf {
  repository: string;
  branch: string;
  event: "push" | "pull_request" | "workflow_dispatch";
}

const LOOK_MS = 5000;
/** GitHub starts a run within seconds; so many looks are two minutes. */
const LOOKS_FOR_A_RUN = 24;

/** So many looks in a row may fail by a fault of GitHub's own, or of the line to it. */
const MOST_FAULTS = 6;

/** Asks GitHub in a wait of many minutes, in which an answer may fail to come. */
async function look<T>({ gh, stop }: Context, request: GithubRequest, says?: string): Promise<T> {
  for (let faults = 1; ; faults += 1) {
    try {
      return await gh.ask<T>(request);
    } catch (fault) {
      const isPassing = fault instanceof GithubError && (fault.status ?? 500) >= 500;
      if (!isPassing || faults === MOST_FAULTS) throw fault;
      await pause(LOOK_MS, stop, says);
    }
  }
}

async function listRuns(context: Context, { repository, branch, event }: RunsOf): Promise<Run[]> {
  const path = `${repositoryPath(repository)}/actions/runs?branch=${encodeURIComponent(branch)}&event=${event}&per_page=30`;
  const { workflow_runs } = await look<{ workflow_runs: Run[] }>(context, { path, to: "list the runs" });
  return workflow_runs.filter(({ name }) => name === "gpu");
}

/** Gives what waits for a run that there is not yet, and follows it to its end. That throws when it is red. */
export async function awaitNewRun(context: Context, runs: RunsOf): Promise<() => Promise<void>> {
  const known = await listRuns(context, runs);
  return async () => await followRun(context, runs.repository, await waitForRun(context, runs, known));
}

async function followRun(context: Context, repository: string, { id, html_url }: Run): Promise<void> {
  context.screen.say(`  The run: ${html_url}`);
  const path = `${repositoryPath(repository)}/actions/runs/${id}`;
  const goesOn = `Stopped. The run goes on: ${html_url}`;
  let told = "";
  let hasAsked = false;
  for (;;) {
    const run = await look<Run>(context, { path, to: "show the run" }, goesOn);
    const jobsPath = `${path}/jobs?per_page=100`;
    const { jobs } = await look<{ jobs: Run[] }>(context, { path: jobsPath, to: "list the jobs" }, goesOn);
    const line = jobs.map(({ name, status, conclusion }) => `${name} ${conclusion ?? status.replaceAll("_", " ")}`);
    if (line.join(", ") !== told) context.screen.say(`  ${line.join(", ")}`);
    told = line.join(", ");
    if (!hasAsked && jobs.some(({ status }) => status === "waiting")) {
      context.screen.say(`  It waits for your approval (Review deployments): ${html_url}`);
      hasAsked = true;
    }
    if (run.status === "completed") return await end(context, repository, run, jobs);
    await pause(LOOK_MS, context.stop, goesOn);
  }
}

async function waitForRun(context: Context, runs: RunsOf, known: readonly Run[]): Promise<Run> {
  for (let looks = 0; looks < LOOKS_FOR_A_RUN; looks += 1) {
    const fresh = (await listRuns(context, runs)).find(({ id }) => !known.some((old) => old.id === id));
    if (fresh !== undefined) return fresh;
    await pause(LOOK_MS, context.stop, "Stopped. All is made, and GitHub has started no run yet.");
  }
  throw new SetupError(
    "GitHub started no run within two minutes. Nothing is rented.",
    `Look at https://github.com/${runs.repository}/actions: actions may be switched off, or wait for an approval.`,
  );
}

async function end(context: Context, repository: string, run: Run, jobs: readonly Run[]): Promise<void> {
  if (run.conclusion === "success") return context.screen.say("  ✓ The run is green.");
  for (const job of jobs.filter(({ conclusion }) => conclusion === "failure")) await tellWhy(context, repository, job);
  throw new SetupError(
    `The run is red (${run.conclusion}): ${run.html_url}`,
    "Each line above that begins with ✗ says what to change. Change it and push, or press Re-run failed jobs.",
  );
}

async function tellWhy({ gh, screen }: Context, repository: string, { id, name }: Run): Promise<void> {
  const path = `${repositoryPath(repository)}/check-runs/${id}/annotations`;
  const request = { path, to: "list the annotations" };
  const annotations = await gh.ask<{ annotation_level: string; title: string | null; message: string }[]>(request);
  for (const { title, message } of annotations.filter(({ annotation_level }) => annotation_level === "failure"))
    screen.say(`  ✗ ${name}: ${title ? `${title}: ` : ""}${message}`);
}
