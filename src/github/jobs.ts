import { z } from "zod";
import { oneLine } from "../shared/foreign-text.ts";
import {
  ConditionalReads,
  foreignText,
  type GithubAnswer,
  type GithubClient,
  moment,
  optional,
  optionalText,
  PAGE_SIZE,
  readAnswer,
} from "./github-client.ts";
import { GithubUnavailableError, type TokenNeed } from "./github-errors.ts";
import { isMistyped } from "./mistyped-label.ts";

const stepSchema = z.looseObject({ name: foreignText, conclusion: optionalText });

const jobSchema = z
  .looseObject({
    id: z.number(),
    name: foreignText,
    status: z.string(),
    conclusion: optionalText,
    labels: z.array(z.string()).nullish(),
    runner_id: optional(z.number()),
    runner_name: optionalText,
    html_url: optionalText,
    created_at: moment,
    started_at: moment,
    completed_at: moment,
    steps: optional(z.array(stepSchema)).catch(undefined),
  })
  .transform((job) => ({
    id: job.id,
    name: job.name,
    status: job.status,
    conclusion: job.conclusion,
    /** The labels of `runs-on`; empty for a skipped job. */
    labels: job.labels ?? [],
    // For a job that ended before a runner had it, GitHub gives 0 and an empty name.
    runnerId: job.runner_id || undefined,
    runnerName: job.runner_name || undefined,
    url: job.html_url,
    createdAt: job.created_at,
    startedAt: job.started_at,
    completedAt: job.completed_at,
    /** The first step that failed: one of the runner program's own, or of the workflow's. */
    failedStep: job.steps?.find(({ conclusion }) => conclusion === "failure")?.name,
  }));

/** A job of a run attempt, as GitHub lists it. Moments in milliseconds since the epoch. */
export type Job = z.infer<typeof jobSchema>;

/** GitHub, "List jobs for a workflow run attempt". */
export const jobPageSchema = z.looseObject({ total_count: z.number(), jobs: z.array(jobSchema) });

/** The marks that tell our GPU jobs from other jobs, and the job that runs this step from both. */
export interface JobMatcher {
  /** The label that a GPU job asks for. */
  runnerLabel: string;
  /** The names of this session's runners begin with it and a hyphen. */
  runnerNamePrefix: string;
  /** The job that runs this step: its id if known, the name of its runner, its key in the workflow. */
  own: { checkRunId: number | undefined; runnerName: string | undefined; jobName: string };
}

/** A job's state. `held`: an approval or a concurrency group keeps it. `robbed`: it ended badly as post took its machine. */
export type JobState = "waiting" | "running" | "over" | "held" | "robbed";

/** A GPU job of this session: it runs or ran on one of our runners or, where it has none yet, asks for our label. */
export interface GpuJob extends Omit<Job, "labels" | "status"> {
  state: JobState;
  /** Labels that it asks for in addition to our label. None of our runners has them. */
  otherLabels: readonly string[];
}

/** A job that asks for a label one step from our label, and so seems to be somebody else's. */
export interface MistypedJob extends GpuJob {
  label: string;
}

/** The jobs of an attempt at one look. */
export interface GpuJobs {
  ours: readonly GpuJob[];
  /** All jobs but our GPU jobs and this one. */
  others: number;
  /** The other jobs that are not over. */
  othersOpen: readonly Pick<Job, "name" | "status" | "labels">[];
  /** The other jobs that have no runner, and whose labels were meant to be our label. */
  mistyped: readonly MistypedJob[];
  /** How many other jobs were skipped: a skipped job shows no labels, and may be a GPU job. */
  skipped: number;
}

const JOB_STATES = new Map<string, JobState>([
  ["queued", "waiting"],
  ["in_progress", "running"],
  ["completed", "over"],
]);

/** Sorts the jobs of an attempt into this session's GPU jobs and all others but the job that runs this step. */
export function sortJobs(jobs: readonly Job[], matcher: JobMatcher): GpuJobs {
  const own = findOwnJob(jobs, matcher.own);
  const others = jobs.filter((job) => job !== own && !isOurs(job, matcher));
  const open = others.filter(({ status }) => status !== "completed");
  return {
    ours: jobs.filter((job) => job !== own && isOurs(job, matcher)).map((job) => gpuJob(job, matcher)),
    others: others.length,
    othersOpen: open.map(({ name, status, labels }) => ({ name, status, labels })),
    mistyped: open.flatMap((job) => mistypedJob(job, matcher)),
    skipped: others.filter(({ conclusion }) => conclusion === "skipped").length,
  };
}

function gpuJob({ labels, status, ...job }: Job, matcher: JobMatcher): GpuJob {
  const otherLabels = [...new Set(labels.filter((label) => !isLabel(label, matcher)))];
  return { ...job, state: JOB_STATES.get(status) ?? "held", otherLabels };
}

/** Finds out whether a job's label was meant to be our label. A running job has found a runner: its label was right. */
function mistypedJob(job: Job, matcher: JobMatcher): MistypedJob[] {
  const label = job.labels.find((each) => isMistyped(each, matcher.runnerLabel));
  return label === undefined || job.status === "in_progress" ? [] : [{ ...gpuJob(job, matcher), label }];
}

/**
 * True for a job of ours. Once it has a runner, that runner's name alone says so, as another session may have our
 * label; before, the label does. Case does not count in labels, as at GitHub.
 */
function isOurs({ labels, runnerName }: Job, matcher: JobMatcher): boolean {
  if (runnerName !== undefined) return runnerName.startsWith(`${matcher.runnerNamePrefix}-`);
  return labels.some((label) => isLabel(label, matcher));
}

function isLabel(label: string, { runnerLabel }: JobMatcher): boolean {
  return label.toLowerCase() === runnerLabel.toLowerCase();
}

/** Finds the job that runs this step, by the most certain sign there is: its id, else its runner, else its name. */
export function findOwnJob(jobs: readonly Job[], own: JobMatcher["own"]): Job | undefined {
  return (
    jobs.find((job) => job.id === own.checkRunId) ??
    jobs.find(
      (job) => job.status === "in_progress" && own.runnerName !== undefined && job.runnerName === own.runnerName,
    ) ??
    jobs.find((job) => job.name === own.jobName)
  );
}

/** True for a job that waits for labels that none of our runners has. */
export function asksForMore({ state, otherLabels }: GpuJob): boolean {
  return state === "waiting" && otherLabels.length > 0;
}

/** True for a job that waits for a runner that it can have. */
export function waitsForUs({ state, otherLabels }: GpuJob): boolean {
  return state === "waiting" && otherLabels.length === 0;
}

const GOOD = new Set(["success", "skipped", "neutral"]);

/** True for a job that is over and did not succeed. */
export function isBad({ state, conclusion }: GpuJob): boolean {
  return state === "over" && !GOOD.has(conclusion ?? "unknown");
}

/** Lists how long the finished jobs took, in milliseconds. A job that never had a runner is left out. */
export function finishedMs(jobs: Pick<GpuJobs, "ours"> | undefined): number[] {
  return (jobs?.ours ?? []).flatMap(({ state, runnerName, startedAt, completedAt }) =>
    state === "over" && runnerName !== undefined && startedAt !== undefined && completedAt !== undefined
      ? [Math.max(0, completedAt - startedAt)]
      : [],
  );
}

const READ_JOBS: TokenNeed = {
  input: "job-token",
  task: "read the jobs of this run",
  remedy:
    "Paste this into the job that rents: `permissions: { actions: write }`. The GPU job waits for up to a day: cancel this run. Or set hold: false, if later steps of this job use the machine.",
};
const MOST_JOB_PAGES = 10;
/** A smaller difference says nothing of the clocks: an answer may take 20 s, and its date is of whole seconds. */
const CLOCKS_DIFFER_MS = 30_000;

/** Reads the jobs of one run attempt. Reading an unchanged page costs no request: GitHub answers 304. */
export class RunJobs {
  readonly #client: GithubClient;
  readonly #run: { runId: number; attempt: number };
  readonly #reads: ConditionalReads;

  constructor(client: GithubClient, run: { runId: number; attempt: number }) {
    this.#client = client;
    this.#reads = new ConditionalReads(client);
    this.#run = run;
  }

  /** How many requests the token has left in this hour; undefined if that is not known. */
  get requestsLeft(): number | undefined {
    return this.#client.requestsLeft;
  }

  /** How many of the requests for lists GitHub counted in the last hour. */
  get requestsCounted(): number {
    return this.#reads.counted;
  }

  /** Lists the jobs. Returns undefined if GitHub could not be asked, which is no evidence of anything. */
  listOrUndefined(signal?: AbortSignal): Promise<Job[] | undefined> {
    return this.list(signal).catch(undefinedIfUnavailable);
  }

  /** Lists the jobs that GitHub shows now: some seconds late, and without those whose `needs` are not met. */
  async list(signal?: AbortSignal): Promise<Job[]> {
    // By id: a job that moves to the next page between two requests is in both.
    const jobs = new Map<number, Job>();
    let rows = 0;
    for (let page = 1; page <= MOST_JOB_PAGES; page += 1) {
      const answer = await this.#reads.read({
        need: READ_JOBS,
        route: "GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs",
        parameters: { run_id: this.#run.runId, attempt_number: this.#run.attempt, per_page: PAGE_SIZE, page },
        signal,
      });
      const listed = readAnswer(jobPageSchema, answer, READ_JOBS.task);
      for (const job of listed.jobs) jobs.set(job.id, this.#onOurClock(job, answer));
      rows += listed.jobs.length;
      if (rows >= listed.total_count) return [...jobs.values()];
      // A part of the list must not pass as the whole: "no GPU job" would cost a machine.
      if (listed.jobs.length < PAGE_SIZE)
        throw new GithubUnavailableError(READ_JOBS.task, `the list has ${rows} of ${listed.total_count} jobs`);
    }
    throw new GithubUnavailableError(READ_JOBS.task, `there are more than ${MOST_JOB_PAGES * PAGE_SIZE}`);
  }

  /** Looks at one job. `gone`: GitHub says that there is none. Undefined: GitHub could not be asked. */
  async lookAt(id: number, signal?: AbortSignal): Promise<Job | "gone" | undefined> {
    const route = "GET /repos/{owner}/{repo}/actions/jobs/{job_id}";
    const call = { need: READ_JOBS, route, parameters: { job_id: id }, expected: [404], signal };
    const read = (answer: GithubAnswer) =>
      answer.status === 404 ? "gone" : this.#onOurClock(readAnswer(jobSchema, answer, READ_JOBS.task), answer);
    return await this.#client.request(call).then(read).catch(undefinedIfUnavailable);
  }

  /** Brings a job's moments from GitHub's clock, which its answer's date shows, to ours: we compare them with our own. */
  #onOurClock(job: Job, { headers }: GithubAnswer): Job {
    const aheadMs = Date.parse(String(headers.date)) - this.#client.clock.now();
    if (!(Math.abs(aheadMs) > CLOCKS_DIFFER_MS)) return job;
    const ours = (moment: number | undefined) => moment && moment - aheadMs;
    const { completedAt, createdAt, startedAt } = job;
    return { ...job, completedAt: ours(completedAt), createdAt: ours(createdAt), startedAt: ours(startedAt) };
  }
}

function undefinedIfUnavailable(error: unknown): undefined {
  if (!(error instanceof GithubUnavailableError)) throw error;
}

/** Names a job in a sentence, with the address of its page if there is one. */
export function jobWithPage({ name, url }: { name: string; url?: string | undefined }): string {
  return `'${oneLine(name, 100)}'${url ? ` (${oneLine(url)})` : ""}`;
}

const MOST_JOB_NAMES = 6;

/** Names jobs in a sentence: `'test (1)', 'test (2)' and 10 more`. Empty for none. */
export function jobNames(jobs: readonly { name: string }[]): string {
  const named = jobs.slice(0, MOST_JOB_NAMES).map(({ name }) => jobWithPage({ name }));
  const all = jobs.length > MOST_JOB_NAMES ? [...named, `${jobs.length - MOST_JOB_NAMES} more`] : named;
  return new Intl.ListFormat("en-GB").format(all);
}
