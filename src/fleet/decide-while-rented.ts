import type { JobCounts } from "../jobs/job-counts.ts";
import { formatDuration } from "../time/duration.ts";
import { type Decision, foreignLabels, lookUp, type Row, tooManyJobs } from "./decision.ts";

/** What is known while a machine is rented and was ready. */
export interface WhileRented {
  hold: "auto" | "true";
  /** Undefined: the list could not be read. */
  jobs: JobCounts | undefined;
  /** `gone`: destroyed, stopped, exited, offline. `dropped`: it lives, and GitHub does not know its runner any more. */
  machine: "alive" | "gone" | "dropped";
  /** It is gone because somebody bid more. */
  isOutbid?: boolean;
  /** Since when it is gone or dropped, in milliseconds. */
  goneMs: number;
  /** Since when nothing of ours waits or runs, in milliseconds. */
  idleMs: number;
  idleTimeoutMs: number;
  /** Until the machine gives itself back at the latest, in milliseconds. */
  lifetimeLeftMs: number;
  /** The input that set its deadline; left out: max-lifetime. */
  cutBy?: "max-lifetime" | "max-cost";
}

type Known = WhileRented & { jobs: JobCounts };

/** GitHub needs a while to tell a job that ended from one whose machine was lost. */
const LOST_AFTER_MS = 60_000;
/** A machine that is gone, and jobs that can't be read: so long GitHub may be away before nothing more is to be learnt. */
const BLIND_AFTER_MS = 900_000;
const GOOD = new Set(["success", "skipped", "neutral"]);

const isOver = ({ jobs }: Known) => jobs.completed.length > 0 && jobs.waiting === 0 && jobs.running === 0;
const asked = ({ jobs }: Known) => jobs.waiting + jobs.running + jobs.completed.length;
const isShort = (facts: Known) => facts.jobs.waiting > 0 && asked(facts) > 1;

const ALIVE: readonly Row<Known>[] = [
  { when: isOver, decide: endWithJob },
  { when: (f) => f.lifetimeLeftMs <= 0, decide: outOfTime },
  {
    when: (f) => f.jobs.foreignLabels.length > 0 && f.jobs.running === 0,
    decide: (f) => foreignLabels(f.jobs.foreignLabels),
  },
  { when: (f) => isShort(f) && f.jobs.running === 0, decide: (f) => tooManyJobs(asked(f)) },
  // A working machine is never taken away: the sentence comes when the running job is over.
  {
    when: isShort,
    decide: (f) => ({
      do: "hold",
      warning: `${tooManyJobs(asked(f)).why} This job fails when the running one is over.`,
    }),
  },
  { when: (f) => f.jobs.running > 0 || f.jobs.waiting > 0, decide: () => ({ do: "hold" }) },
  { when: (f) => f.jobs.others === 0 && f.hold === "auto", decide: () => ({ do: "return" }) },
  { when: (f) => f.jobs.open === 0, decide: noGpuJob },
  { when: (f) => f.idleMs >= f.idleTimeoutMs, decide: nobodyCame },
  { when: () => true, decide: () => ({ do: "hold" }) },
];

const GONE: readonly Row<Known>[] = [
  { when: isOver, decide: endWithJob },
  { when: (f) => f.lifetimeLeftMs <= 0 && f.machine === "dropped", decide: outOfTime },
  { when: (f) => isShort(f) && f.jobs.running === 0, decide: (f) => tooManyJobs(asked(f)) },
  // Its runner is taken off the list when its job ends; the job's conclusion follows.
  {
    when: (f) => f.jobs.running > 0 && (f.machine === "dropped" || f.goneMs < LOST_AFTER_MS),
    decide: () => ({ do: "hold" }),
  },
  // At its deadline a machine gives itself back: that is no loss that another run would mend.
  { when: (f) => f.jobs.running > 0 && f.lifetimeLeftMs <= 0, decide: outOfTime },
  { when: (f) => f.jobs.running > 0, decide: lost },
  { when: (f) => f.jobs.waiting > 0, decide: () => ({ do: "rent-again", grave: true }) },
  { when: () => true, decide: () => ({ do: "drop-machine", grave: true }) },
];

/** docs/holding.md, the column "rented". */
export function decideWhileRented(facts: WhileRented): Decision {
  const { jobs } = facts;
  if (jobs !== undefined) return lookUp(facts.machine === "alive" ? ALIVE : GONE, { ...facts, jobs });
  // Nothing is known of the jobs: hold on, but not for ever.
  if (facts.lifetimeLeftMs <= 0) return outOfTime(facts);
  return facts.machine === "gone" && facts.goneMs >= BLIND_AFTER_MS ? blind() : { do: "hold" };
}

function endWithJob({ jobs }: Known): Decision {
  return { do: "end-with-job", bad: jobs.completed.filter((conclusion) => !GOOD.has(conclusion)), url: jobs.url };
}

const TIME_OVER = {
  "max-lifetime": {
    why: "max-lifetime is over, and the machine is given back.",
    hint: "Raise max-lifetime, or make the GPU job shorter; its own timeout-minutes should be below max-lifetime.",
  },
  "max-cost": {
    why: "max-cost is used up: it had cut the machine's time below max-lifetime. The machine is given back.",
    hint: "Raise max-cost, or make the GPU job shorter; the log tells, where the machine is created, how long max-cost lets it live.",
  },
};

function outOfTime({ cutBy = "max-lifetime" }: Pick<WhileRented, "cutBy">): Decision {
  return { do: "fail", ...TIME_OVER[cutBy], grave: false };
}

function blind(): Decision {
  return {
    do: "fail",
    why: "The machine is gone, and how its job ended could not be read for 15 minutes.",
    hint: "Look at the GPU job itself, and at githubstatus.com.",
    grave: false,
  };
}

function noGpuJob(): Decision {
  return {
    do: "end",
    warning:
      "No job in this run asks for the GPU runner any more: the machine is given back. A skipped job shows no labels.",
    grave: true,
  };
}

function nobodyCame(facts: WhileRented): Decision {
  return {
    do: "give-up-idle",
    why: `No job came to the machine within idle-timeout (${formatDuration(facts.idleTimeoutMs)}).`,
    hint: "Give this job the same `needs:` as the GPU job, so that both begin at the same time.",
  };
}

const LOST = {
  lost: "The machine was lost while the GPU job ran on it",
  outbid: "The machine was outbid while the GPU job ran on it",
};

function lost({ jobs, isOutbid = false }: Known): Decision {
  const where = jobs.url ? ` (${jobs.url})` : "";
  return {
    do: "fail",
    why: `${LOST[isOutbid ? "outbid" : "lost"]}${where}.`,
    hint: "Re-run the failed jobs: another machine is rented. The GPU job may show as running until GitHub misses its runner.",
    grave: true,
  };
}
