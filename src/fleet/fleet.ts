import type { GpuJobs } from "../jobs/gpu-jobs.ts";
import type { KnownError } from "../known-error.ts";
import type { CutBy } from "../limits/lifetime.ts";
import type { InstanceVerdict } from "../machine/judge-instance.ts";
import type { RunnerState } from "../machine/ports.ts";
import type { Report } from "../machine/report.ts";
import type { Reachable } from "../machine/ssh-address.ts";
import type { Candidate } from "../market/search.ts";

/** A single-use runner and the one job that it may run. Moments in milliseconds since the epoch. */
export interface Use {
  runnerId: number;
  runnerName: string;
  /** As GitHub's list of runners last said; undefined: not seen yet. */
  runner?: RunnerState | undefined;
  onlineAt?: number | undefined;
  offlineSince?: number | undefined;
  job?: { id: number; name: string; url: string | undefined; isOver: boolean; isBad: boolean } | undefined;
  /** Since then it can take no job: its job is over, or GitHub does not list its runner. */
  spentAt?: number | undefined;
}

/** Why a machine ends. */
export interface Ending {
  kind: "failed" | "lost" | "dropped" | "deadline" | "over" | "unneeded";
  why: string;
  /** Destroyed whatever GitHub says of its runner; else its runner is taken away first. */
  isUnasked: boolean;
  blame?: "machine" | "image" | "preparing" | undefined;
  isOutbid?: boolean | undefined;
  /** Milliseconds since the epoch. */
  since: number;
}

/** How long the stages of one machine may take, in milliseconds. */
export interface Timing {
  /** From its creation to its runner online, as it is expected. */
  expectedMs: number;
  /** From its creation to running: after that it is late, and one more may be started for it. */
  lateMs: number;
  /** From its creation to running: after that it has failed. */
  bootMs: number;
  /** From running to its runner online: after that it has failed. */
  onlineMs: number;
  /** How long the user's `setup` may take after running: no host is late for that. */
  setupMs?: number | undefined;
  /** `boot-timeout: auto`: while no other offer is to be had it is kept for longer. */
  mayWait: boolean;
}

/** One machine: asked → booting → starting → ready → busy → over → gone. A plain value. */
export interface Machine {
  n: number;
  candidate: Candidate;
  timing: Timing;
  /** In order; the first that is not spent is the one that counts. */
  uses: Use[];
  /** Undefined: the create has not answered yet. */
  instanceId?: number | undefined;
  /** When it gives itself back at the latest, and which input set that. */
  deadline: number;
  cutBy: CutBy;
  report?: Report | undefined;
  askedAt: number;
  createdAt?: number | undefined;
  /** What the last list that could be read said; undefined: it was never listed. */
  verdict?: InstanceVerdict | undefined;
  /** The service shows no heartbeat: that says nothing of the container. */
  isSilent?: boolean | undefined;
  /** Since when the service shows it as ended. */
  brokenSince?: number | undefined;
  /** Since when lists lack it. */
  absentSince?: number | undefined;
  runningAt?: number | undefined;
  /** How it can be reached by SSH, as the service shows it. */
  address?: Reachable | undefined;
  /** When its first runner was online. */
  readyAt?: number | undefined;
  ending?: Ending | undefined;
  /** An act is under way. */
  act?: "asking" | "giving-up" | "destroying" | undefined;
  /** GitHub or the service gave no answer: not asked again before then. */
  askAgainAt?: number | undefined;
  /** Its destruction could not be confirmed. */
  fault?: KnownError | undefined;
  goneAt?: number | undefined;
}

/** What the service last had to offer, best first. */
export interface MarketSeen {
  searchedAt: number;
  /** Not before then, while nothing of it is left. */
  searchAgainAt: number;
  candidates: readonly Candidate[];
  /** Why there is none. */
  nothing?: { input: string | undefined; error: KnownError } | undefined;
  /** How often in a row there was none. */
  times: number;
}

/** Why the service or GitHub would refuse every other request like the last one. */
export interface Refusal {
  by: "request" | "account" | "registration";
  /** With the sentence about the bill. */
  error: (billing: string) => KnownError;
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

/** A job that went with its machine. */
export interface LostJob {
  id: number;
  name: string;
  url: string | undefined;
  n: number;
  instanceId: number | undefined;
  isOutbid: boolean;
  /** The input that ended the machine, if it was its deadline. */
  cutBy: CutBy | undefined;
}

/** When each list could last be read, in milliseconds since the epoch. */
export interface Looks {
  jobs: number;
  instances: number;
}

/** What costs a machine or a job, and when the list was read that first showed it. */
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
  taken: number[];
  excluded: { machines: number[]; offers: number[] };
  /** Since when nothing fits what is lacking. */
  noOfferSince?: number | undefined;
  refusal?: Refusal | undefined;
  /** Nothing is created before then: after a 429 or a doubt of GitHub, `times` in a row. */
  pause?: { until: number; times: number; error?: KnownError | undefined } | undefined;
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
