import type { MainEnd } from "../drive.ts";
import type { Faults } from "../fault.ts";
import type { Story } from "../story.ts";
import type { Box, JobInWorld, Rented, RunnerInWorld } from "../things.ts";
import type { World } from "../world.ts";

/** What a machine came to, as far as a driver saw it: the virtual world knows all, the simulator's books the first ones. */
export type Machine = Pick<Box, "id" | "n" | "label" | "createdAt" | "deadAt" | "goneAt" | "deadline"> &
  Pick<Box, "isTwin" | "isLate" | "visibleAt" | "shownAt"> &
  Partial<Box> & {
    /** From then on no job can come to it, its runners being used up; absent where its runners say so. */
    overAt?: number;
    /** USD that it billed, at most until its deadline, and its price; absent where promises are judged. */
    billed?: { cost: number; hourly: number };
  };

/** What a job came to. */
export type Job = Pick<JobInWorld, "id" | "name" | "appearedAt" | "shownAt" | "startedAt" | "overAt"> &
  Pick<JobInWorld, "conclusion" | "lostAt"> &
  Omit<Partial<JobInWorld>, "box"> & { box?: Machine | undefined };

/** Which of our processes runs: main until it ends, is ended, or sees to what is left. */
export type Phase = "main" | "cancelled" | "failing" | "post" | "sweep";

/** The end of one of our processes, and what it said. */
export interface Ended {
  what: "ends";
  stage: "main" | "post" | "sweep";
  /** Undefined: another hand ended it. */
  isGreen: boolean | undefined;
  /** Main's verdict; absent where only its words are known. */
  verdict?: MainEnd;
  /** Ids of the jobs that it calls failed or lost. */
  named: readonly number[];
  /** What may still bill, in words. */
  undestroyed: readonly string[];
  /** Nobody comes any more. */
  isLast?: boolean;
  /** Where it was a real one; `wasKilled`: without the time to say a word, `isStopped`: and said so. */
  process?: {
    exitCode: number | null;
    wasKilled: boolean;
    isStopped: boolean;
    overran: boolean;
    tookMs: number;
    log: string;
  };
}

/** A thing that happened, beside what machines and jobs have of it. */
export type Happening =
  /** `isRunOver`: a sweep may end all that is left of the run. */
  | { what: "begins"; phase: Phase; isRunOver?: boolean }
  | Ended
  /** One of ours is about to ask for something, or for something of GitHub. */
  | { what: "asks" }
  | { what: "asks GitHub" }
  | { what: "creates"; create: Pick<Rented, "n" | "label"> & Partial<Rented> }
  | { what: "created" }
  | { what: "destroys"; machine: Machine; by: "us" | "itself" }
  | { what: "destroys another's"; id: number; isLeft: boolean }
  | { what: "removes in vain"; runner: RunnerInWorld }
  /** It could have ended itself, and is there after the time on its label. */
  | { what: "outlives its label"; machine: Machine };

/** What was true, whether anybody saw it or not. Moments in milliseconds; infinite: never. */
export interface Happened {
  now: number;
  /** With the inputs and lags that were played. */
  readonly story: Story;
  readonly boxes: readonly Machine[];
  readonly jobs: readonly Job[];
  /** When the run was cancelled; absent where nobody saw whose runner heard of it. */
  readonly cancelledAt?: number | undefined;
  note(what: string): void;
}

/** What a driver knows beside that. */
export interface Driven {
  /** What went wrong, and when. */
  faults: Faults;
  /** All that is true; absent: what needs more than books is not judged. */
  world?: World;
  /** Main was told of its id. */
  isKnown(machine: Machine): boolean;
  /** Main wrote down that this create leaves; absent where its state can't be read in time. */
  isPending?(create: Pick<Rented, "n" | "label">): boolean;
  /** How far moments that two places noted may be apart, in milliseconds. */
  blurMs: number;
  /** Post can't be expected to end everything. */
  mayGiveUp(): boolean;
  /** Ids of jobs that could do well, in a run in which nothing went wrong. */
  able?: readonly number[];
  /** What no session may ever do, seen in books, logs and lists of processes: a sentence each. */
  breaches?: readonly string[];
}

/** A run that is over: both drivers write it, the virtual one as it goes. */
export interface RunRecord extends Driven {
  happened: Happened;
  timeline: readonly (Happening & { at: number })[];
}
