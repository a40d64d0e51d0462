import type { JobCounts } from "../jobs/job-counts.ts";

/** What is known after this job has failed, with nothing rented. */
export interface AfterFailure {
  cancelRun: "auto" | "true" | "false";
  /** Undefined: the list could not be read. */
  jobs: JobCounts | undefined;
  /** Since the failure, in milliseconds. */
  waitedMs: number;
  /** Since this job's step began, in milliseconds. */
  ageMs: number;
  /** For how long no machine of this attempt was seen to live, in milliseconds; 0 while one does, or while nobody can say. */
  machinelessMs: number;
}

/** What `if-no-machine` means here; jobs can't be failed one by one yet. */
export function cancelRunOf(ifNoMachine: "auto" | "cancel" | "fail-jobs" | "leave"): AfterFailure["cancelRun"] {
  if (ifNoMachine === "cancel") return "true";
  return ifNoMachine === "leave" ? "false" : "auto";
}

/** `cancel`: the run is to be cancelled. `leave`: no job is left waiting, or nothing may be done about it. */
export type AfterFailureDecision = "wait" | "cancel" | "leave";

interface Row {
  when: (facts: AfterFailure & { jobs: JobCounts }) => boolean;
  decision: AfterFailureDecision;
}

/** The other jobs of the run may go on for so long: they are worth more than an hour of a waiting job. */
export const OTHERS_MAY_TAKE_MS = 1_800_000;
/** So long GitHub may be away; after that the sweep has to see to the job. */
const OUTAGE_MAY_TAKE_MS = 600_000;
/** A job that was queued a moment ago may be missing from GitHub's list. */
export const LIST_MAY_LAG_MS = 20_000;

const TABLE: readonly Row[] = [
  // It ends with its machine, and GitHub ends it when it misses the runner.
  { when: ({ jobs }) => jobs.running > 0, decision: "leave" },
  { when: ({ jobs }) => jobs.waiting === 0 && jobs.completed.length > 0, decision: "leave" },
  { when: ({ jobs, ageMs }) => nobodyMayCome(jobs) && ageMs >= LIST_MAY_LAG_MS, decision: "leave" },
  // The GPU job may need another one that is not over, and is not listed until then.
  // Several uses failed, and each would wait for the others: what is open may be nothing but they, and none of them has a machine.
  { when: (facts) => facts.jobs.waiting > 0 && onlyRivals(facts), decision: "cancel" },
  { when: ({ jobs, waitedMs }) => jobs.waiting === 0 && waitedMs >= OTHERS_MAY_TAKE_MS, decision: "leave" },
  { when: ({ jobs }) => jobs.waiting === 0, decision: "wait" },
  { when: ({ cancelRun }) => cancelRun === "true", decision: "cancel" },
  { when: ({ jobs }) => jobs.open === 0, decision: "cancel" },
  { when: ({ waitedMs }) => waitedMs >= OTHERS_MAY_TAKE_MS, decision: "cancel" },
];

/** docs/holding.md, "When no machine can be had". */
export function decideAfterFailure(facts: AfterFailure): AfterFailureDecision {
  const { jobs } = facts;
  if (facts.cancelRun === "false") return "leave";
  // A doubt is no evidence; but it must not keep this job for ever either.
  if (jobs === undefined) return facts.waitedMs < OUTAGE_MAY_TAKE_MS ? "wait" : "leave";
  return TABLE.find((row) => row.when({ ...facts, jobs }))?.decision ?? "wait";
}

/** A use that works has a machine, but for a moment between two. */
const MACHINELESS_MS = 120_000;

/** For each GPU job of another use one job is open that may be the one that rents for it. */
function onlyRivals({ jobs, machinelessMs }: AfterFailure & { jobs: JobCounts }): boolean {
  return jobs.rivals > 0 && jobs.open <= 2 * jobs.rivals && machinelessMs >= MACHINELESS_MS;
}

function nobodyMayCome({ waiting, open }: JobCounts): boolean {
  return waiting === 0 && open === 0;
}
