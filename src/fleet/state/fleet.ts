import type { GpuJobs } from "../../github/gpu-jobs.ts";
import type { Candidate } from "../../market/search.ts";
import type { CutBy } from "../../money/limits.ts";
import type { UserError } from "../../shared/user-error.ts";
import type { Machine } from "./machine.ts";

/** The service's last offers, best first. */
export interface MarketSeen {
  searchedAt: number;
  /** Not before then, while nothing of it is left. */
  searchAgainAt: number;
  candidates: readonly Candidate[];
  /** Why there is none. */
  nothing?: UserError | undefined;
  /** How often in a row there was none. */
  times: number;
}

/** Why the service or GitHub would refuse every other request like the last one. */
export interface Refusal {
  by: "request" | "account" | "spend-rate" | "registration";
  /** With the sentence about the bill. */
  error: (billing: string) => UserError;
}

/** A create that made nothing known: what turns up under its label is given up, or kept if busy. */
export interface Stray {
  n: number;
  asked: Machine;
  /** When its create had ended, in milliseconds since the epoch. */
  since: number;
  /** No answer said what became of it. */
  isUncertain: boolean;
  /** A list that was read after it lacks it. */
  isListed?: boolean | undefined;
}

/** An offer that was gone when it was asked for: when last, and how often. */
export interface TakenOffer {
  id: number;
  at: number;
  times: number;
}

/** A job that went with its machine. */
export interface LostJob {
  id: number;
  name: string;
  url: string | undefined;
  n: number;
  instanceId: number | undefined;
  /** The end of its machine, as a verb. */
  went: "vanished" | "was outbid" | "was stopped by the service" | "fell silent";
  /** The input that ended the machine, if it was its deadline. */
  cutBy: CutBy | undefined;
}

/** When each list could last be read, in milliseconds since the epoch. */
export interface Looks {
  jobs: number;
  instances: number;
}

/** Findings that cost a machine or a job, each with the time of the list that first showed it. */
export type Doubts = Readonly<Record<string, number>>;

/** All that the loop knows. A plain value: two equal ones go on in the same way. */
export interface Fleet {
  startedAt: number;
  machines: Machine[];
  /** How many creates were begun. */
  creates: number;
  strays: Stray[];
  jobs?: GpuJobs | undefined;
  jobsFault?: { since: number; why: string } | undefined;
  looks: Looks;
  instancesAt?: number | undefined;
  /** When the list of runners could last be read. */
  runnersAt?: number | undefined;
  /** Machines of this repository that the last list showed alive. */
  repositoryAlive: number;
  market?: MarketSeen | undefined;
  /** Offers that somebody else had, and what failed in this use. */
  taken: TakenOffer[];
  excluded: { machines: number[]; offers: number[] };
  /** Since when nothing fits what is lacking. */
  noOfferSince?: number | undefined;
  refusal?: Refusal | undefined;
  /** Nothing is created before then: after a 429 or a doubt of GitHub, `times` in a row. */
  pause?: { until: number; times: number; error?: UserError | undefined } | undefined;
  /** Since when jobs wait with no machine ready or busy. */
  unservedSince?: number | undefined;
  /** When a machine was first wanted. */
  firstWantedAt?: number | undefined;
  /** Machines that failed since a job last began, and the most that was wanted at a time. */
  failedSinceJob: number[];
  mostWanted: number;
  /** How long jobs waited beside ready machines since one last began or ended, in milliseconds. */
  besideReady: { sumMs: number; at: number | undefined };
  heldBack: number;
  /** When the last job of ours ended, or the start. */
  lastEndAt: number;
  /** Since when nothing but ours is open. */
  aloneSince?: number | undefined;
  heldSince?: number | undefined;
  lost: LostJob[];
  /** Bids were of no use, and the user allows to rent on demand then. */
  isOnDemand: boolean;
  doubts: Doubts;
}

/** A fleet that has nothing yet. */
export function emptyFleet(now: number): Fleet {
  return {
    startedAt: now,
    machines: [],
    creates: 0,
    strays: [],
    looks: { jobs: now, instances: now },
    repositoryAlive: 0,
    taken: [],
    excluded: { machines: [], offers: [] },
    failedSinceJob: [],
    mostWanted: 0,
    besideReady: { sumMs: 0, at: undefined },
    heldBack: 0,
    lastEndAt: now,
    lost: [],
    isOnDemand: false,
    doubts: {},
  };
}
