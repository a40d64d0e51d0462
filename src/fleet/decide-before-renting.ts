import type { JobCounts } from "../jobs/job-counts.ts";
import { formatDuration } from "../time/duration.ts";
import { type Decision, foreignLabels, lookUp, type Row, tooManyJobs } from "./decision.ts";

/** What is known while nothing is rented. */
export interface BeforeRenting {
  hold: "auto" | "true";
  /** Undefined: the list could not be read. A doubt is never evidence. */
  jobs: JobCounts | undefined;
  waitedMs: number;
  waitForJobMs: number;
}

type Known = BeforeRenting & { jobs: JobCounts };

/** GitHub may be away for so long without anybody's job failing for it, however short wait-for-job is. */
const SHORT_DOUBT_MS = 120_000;

const asked = ({ jobs }: Known) => jobs.waiting + jobs.running + jobs.completed.length;

const TABLE: readonly Row<Known>[] = [
  { when: (f) => f.jobs.foreignLabels.length > 0, decide: (f) => foreignLabels(f.jobs.foreignLabels) },
  { when: (f) => f.jobs.running > 0 && f.waitedMs < f.waitForJobMs, decide: () => ({ do: "wait" }) },
  { when: (f) => f.jobs.waiting > 0 && asked(f) > 1, decide: (f) => tooManyJobs(asked(f)) },
  { when: (f) => f.jobs.waiting > 0, decide: () => ({ do: "rent" }) },
  { when: (f) => f.jobs.running > 0, decide: nobodyCame },
  {
    when: (f) => f.jobs.completed.length > 0,
    decide: () => ({ do: "end", warning: "The GPU job is already over: nothing is rented.", grave: true }),
  },
  { when: (f) => f.jobs.others === 0 && f.hold === "auto", decide: () => ({ do: "rent" }) },
  {
    when: (f) => f.jobs.open === 0,
    decide: () => ({
      do: "end",
      warning:
        "No job in this run asks for the GPU runner: nothing is rented. It was skipped, or its runs-on is another, or it `needs` this job.",
      grave: true,
    }),
  },
  { when: (f) => f.waitForJobMs === 0, decide: () => ({ do: "rent" }) },
  { when: (f) => f.waitedMs >= f.waitForJobMs, decide: nobodyCame },
  { when: () => true, decide: () => ({ do: "wait" }) },
];

/** docs/holding.md, the column "nothing rented yet". */
export function decideBeforeRenting(facts: BeforeRenting): Decision {
  const { jobs } = facts;
  if (jobs !== undefined) return lookUp(TABLE, { ...facts, jobs });
  return facts.waitedMs >= Math.max(facts.waitForJobMs, SHORT_DOUBT_MS) ? unreadable() : { do: "wait" };
}

function nobodyCame(facts: BeforeRenting): Decision {
  return {
    do: "fail",
    why: `No job asked for the GPU runner within wait-for-job (${formatDuration(facts.waitForJobMs)}). Nothing is rented.`,
    hint: "Give this job the same `needs:` as the GPU job, or raise wait-for-job.",
    grave: false,
  };
}

function unreadable(): Decision {
  return {
    do: "fail",
    why: "The jobs of this run could not be read when wait-for-job was over. Nothing was rented.",
    hint: "Look at githubstatus.com, and run the job again.",
    grave: false,
  };
}
