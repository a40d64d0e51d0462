import type { Entry, PlannedRun } from "./planned-run.ts";

/** One process of dist and its end; times in simulated milliseconds since the epoch. */
export interface StageFacts {
  entry: Entry;
  startedAt: number;
  endedAt: number;
  exitCode: number | null;
  /** When and how the plan ended it; undefined: it ended by itself. */
  killed: { at: number; how: string } | undefined;
  /** It had to be ended, because it did not end. */
  overran: boolean;
  log: string;
  /** Ids of our instances that existed when it ended. */
  alive: number[];
}

/** One of our instances, from the service's books. */
export interface InstanceFacts {
  id: number;
  label: string;
  createdAt: number;
  /** Lists show it since then, unless they are older than they should be. */
  visibleAt: number;
  goneAt: number | undefined;
  /** JobMatcher request destroyed it. */
  goneBy: "account" | "instance" | "owner" | undefined;
  /** Main knew of it: the create was answered with its id, or it was found and adopted. */
  isKnown: boolean;
  /** Since then no job can come to it, because its runner slots are used up. */
  overAt: number | undefined;
  /** When it is to give itself back, by its label and its first runner. */
  deadline: number;
  /** USD that it billed, at most until its deadline; and its price per hour. */
  cost: number;
  hourly: number;
}

/** One GPU job, as GitHub's books have it. */
export interface JobFacts {
  name: string;
  /** When GitHub first showed it to whoever asks; undefined: never. */
  shownAt: number | undefined;
  /** When a list of jobs that was as it should be first showed it. */
  listedAt: number | undefined;
  startedAt: number | undefined;
  endedAt: number | undefined;
  conclusion: string | undefined;
  /** The instance that it began on. */
  instanceId: number | undefined;
}

/** A request that a fault hit. */
export interface HitFacts {
  at: number;
  operation: string;
  kind: string;
}

/** Left when time has passed and nobody has swept. */
export interface Overdue {
  id: number;
  expiry: number;
  seenAt: number;
}

/** The facts of a run, as far as the rules look at them. */
export interface RunFacts {
  plan: PlannedRun;
  main: StageFacts;
  /** Undefined: the hosted runner was gone. */
  post: StageFacts | undefined;
  sweeps: StageFacts[];
  instances: InstanceFacts[];
  jobs: JobFacts[];
  /** Ours that could have ended themselves, and still were there after the time on their label. */
  overdue: Overdue[];
  /** Seen in books, journals and process lists where it must not be: one sentence each. */
  breaches: string[];
  /** The faults that hit, in the order of the requests. */
  hits: HitFacts[];
  machineDeaths: { at: number; how: string; id: number }[];
  /** Everything that happened, one line each. */
  transcript: string[];
}
