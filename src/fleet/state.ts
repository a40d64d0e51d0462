import type { JobFigures, UsagePeaks } from "../create/gpu-figures.ts";
import type { InstanceVerdict } from "../create/instance.ts";
import type { Terms } from "../create/machine-record.ts";
import type { PartingWords } from "../create/parting-words.ts";
import type { GpuJobs } from "../github/jobs.ts";
import type { RunnerState } from "../github/runners.ts";
import type { Explanation } from "../market/explain-no-offer.ts";
import type { Candidate } from "../market/search.ts";
import type { Reachable, Refusal } from "../marketplace/marketplace.ts";
import type { CutBy } from "../money/limits.ts";
import type { Fault } from "../shared/user-error.ts";

// All that the loop knows. JSON: a story is a list of events, and two equal states go on in the
// same way. Only reduce.ts writes it. Moments are in milliseconds since the epoch.

/** A value that nobody but its owner may write. */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** A single-use runner and the one job that it may run. */
export interface RunnerSlot {
  runnerId: number;
  runnerName: string;
  /** As GitHub's list of runners last said; undefined: not seen yet. */
  runner?: RunnerState | undefined;
  onlineAt?: number | undefined;
  /** When it was last seen before it came online: it came some time after that. */
  notYetAt?: number | undefined;
  /** Since when it is away, before a job came to it or during that job. */
  offlineSince?: number | undefined;
  /** Since when GitHub shows a job on its runner, or took that job back. */
  busySince?: number | undefined;
  /** GitHub showed a job on its runner at some time. */
  wasBusy?: boolean | undefined;
  /** Since when GitHub's lists lack its runner. */
  missingSince?: number | undefined;
  job?: SlotJob | undefined;
  /** Since then it can take no job: its job is over, or GitHub does not list its runner. */
  spentAt?: number | undefined;
  /** What was read of its job's log, which is asked for once. Without `at`: no answer came yet. */
  log?: { at?: number | undefined; figures?: JobFigures | undefined } | undefined;
}

/** The job that a slot has or had, as GitHub shows it. */
export interface SlotJob {
  id: number;
  name: string;
  url: string | undefined;
  isOver: boolean;
  isBad: boolean;
  conclusion?: string | undefined;
  startedAt?: number | undefined;
  completedAt?: number | undefined;
}

/** Why a machine ends. */
export interface Ending {
  kind: "failed" | "lost" | "dropped" | "deadline" | "over" | "unneeded";
  why: string;
  /** Destroyed whatever GitHub says of its runner; else its runners are taken away first. */
  force: boolean;
  /**
   * Of one that was never ready. `boot`, `online`: it was too slow to come so far. `refused`: its
   * create was, and made it all the same. `price`: the service asks more than `max-price`.
   * `runner`: GitHub's program ended. `image`: it can't be pulled. `unfit-image`: it lacks what the
   * runner needs.
   */
  blame?:
    | "machine"
    | "boot"
    | "online"
    | "image"
    | "unfit-image"
    | "preparing"
    | "runner"
    | "refused"
    | "price"
    | undefined;
  isOutbid?: boolean | undefined;
  /** By the service, or by hand: that of one without credit looks like this. */
  isStopped?: boolean | undefined;
  /** When a list first showed why, and when it was decided. */
  since: number;
  decidedAt: number;
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

/** One instance that came of a create, as the service shows it. */
export interface InstanceFacts {
  id: number;
  /** When the service made it, as far as that is known. */
  createdAt: number;
  /** When an answer or a list first showed its id. */
  foundAt: number;
  /** By the last list that showed it; undefined: it was never listed. */
  verdict?: InstanceVerdict | undefined;
  /** The service shows no heartbeat: that says nothing of the container. */
  isSilent?: boolean | undefined;
  /** When its container was first seen running, when that is billed from, and when last seen so. */
  runningAt?: number | undefined;
  billedFrom?: number | undefined;
  lastRunningAt?: number | undefined;
  /** Since when the service shows it as ended. */
  brokenSince?: number | undefined;
  /** Since when the service says that there is none. */
  absentSince?: number | undefined;
  /** When it last gave a sign of life, to the service or to GitHub. */
  aliveAt?: number | undefined;
  address?: Reachable | undefined;
  usdPerHour?: number | undefined;
  traffic?: { downGb: number; upGb: number } | undefined;
  /** The most that its host reported to the service at a time. */
  usage?: UsagePeaks | undefined;
  isDestroying?: boolean | undefined;
  goneAt?: number | undefined;
  goneHow?: "destroyed" | "was-gone" | undefined;
  /** Why its destruction could not be confirmed. */
  fault?: Fault | undefined;
}

/** What came of a create. `mistaken`: the service named an instance of another machine. */
export type CreateOutcome =
  | { kind: "created" }
  | { kind: "unwanted"; sentence: string }
  | { kind: "mistaken"; instanceId: number }
  /** `isListed`: a list that was read after it lacks its label. */
  | { kind: "refused"; refusal: Refusal; templateHash?: string | undefined; isListed: boolean }
  | { kind: "uncertain"; sentence: string }
  /** GitHub registered no runner: nothing was sent. */
  | { kind: "unregistered"; fault: Fault };

/** One create, and all that came of it: asked → booting → starting → ready → busy → over → gone. */
export interface Machine {
  machineNo: number;
  candidate: Candidate;
  timing: Timing;
  terms: Terms;
  /** When it gives itself back at the latest, and which input set that. */
  deadline: number;
  cutBy: CutBy;
  searchedAt: number;
  askedAt: number;
  registeredAt?: number | undefined;
  /** In order; the first that is not spent is the one that counts. */
  slots: RunnerSlot[];
  /** Undefined: no answer came yet. `jitter`: 0 to 1, so that runs don't ask again in step. */
  answer?: (CreateOutcome & { at: number; jitter: number }) | undefined;
  /** Mostly one. A gateway may send a create twice: they share the runners. */
  instances: InstanceFacts[];
  /** When its first runner was online. */
  readyAt?: number | undefined;
  ending?: Ending | undefined;
  /** Its runners are being taken away. */
  isDraining?: boolean | undefined;
  /** How often GitHub did not say whether a runner has a job. */
  drainDoubts?: number | undefined;
  /** GitHub or the service gave no answer: not asked again before then. */
  askAgainAt?: number | undefined;
  /** Its log is being read; when that was last done, and why it gives itself back by that. */
  isReadingLog?: boolean | undefined;
  logAt?: number | undefined;
  words?: PartingWords | undefined;
  /** What its runner said last of a GitHub that does not let it connect. Foreign text, one line. */
  connectError?: string | undefined;
}

/** The service's last offers, best first, or why there are none. */
export interface Market {
  searchedAt: number;
  isBid: boolean;
  candidates: Candidate[];
  nothing?: NoOffers | undefined;
  /** How often in a row there was none, and how often of these the service refused to search. */
  times: number;
  refusals: number;
}

/** Why a search brought no offer: the market has none that fits, or the service did not search. */
export type NoOffers =
  | { kind: "none-fits"; explanation: Explanation; requirements: string }
  | { kind: "fault"; fault: Fault };

/** A job that went with its machine. */
export interface LostJob {
  id: number;
  name: string;
  url: string | undefined;
  machineNo: number;
  instanceId: number | undefined;
  /** The end of its machine, as a verb. */
  went: "vanished" | "was outbid" | "was stopped by the service" | "fell silent";
  /** The input that ended the machine, if it was its deadline. */
  cutBy: CutBy | undefined;
}

/** Findings that cost a machine or a job, each with the time of the list that first showed it. */
export type Confirmations = Record<string, number>;

export interface FleetState {
  startedAt: number;
  /** One for each create, in order. */
  machines: Machine[];
  jobs?: GpuJobs | undefined;
  jobsFault?: { since: number; why: string } | undefined;
  /** When each list could last be read; undefined: it never was. */
  instancesAt?: number | undefined;
  runnersAt?: number | undefined;
  /** When reading the runners first failed, and when it last worked again after it had failed for long. */
  runnersUnreadSince?: number | undefined;
  runnersReadSince?: number | undefined;
  jobsAt?: number | undefined;
  /** When the last event of each kind was asked for: an older one changes nothing. */
  lastAsked: Record<string, number>;
  /** Machines of this repository that the last list showed alive. */
  repositoryAlive: number;
  /** Requests in a row that brought no machine's log. */
  logFaults?: number;
  market?: Market | undefined;
  isSearching: boolean;
  /** What the image's registry said last, if it was asked; `since`: it has no such image. */
  image?: { isAsking: boolean; at?: number | undefined; missing?: { since: number; word: string } | undefined };
  /** A search for bids that brought none of use. */
  bidsFailedAt?: number | undefined;
  /** When a search first said that waiting can't help. */
  hopelessSince?: number | undefined;
  /** Since when nothing fits what is lacking. */
  noOfferSince?: number | undefined;
  /** Since when jobs wait with no machine ready or busy. */
  unservedSince?: number | undefined;
  /** When a machine was first wanted, and the most that was wanted at a time. */
  firstWantedAt?: number | undefined;
  mostWanted: number;
  /** When a job of ours last began, and last ended. */
  lastBeginAt: number;
  lastEndAt: number;
  /** How long jobs waited beside ready machines since one last began or ended, in milliseconds. */
  besideReady: { sumMs: number; at: number | undefined };
  heldBack: number;
  /** Since when nothing but ours is open, and since when ours are only held. */
  noOtherJobSince?: number | undefined;
  heldSince?: number | undefined;
  /** Since when a job asks for a label one step from ours, and none of ours is open. */
  mistypedSince?: number | undefined;
  lost: LostJob[];
  confirmations: Confirmations;
}

/** The state, for all but reduce. */
export type Fleet = DeepReadonly<FleetState>;

/** A fleet that has nothing yet. `instancesAt`: when the instances were listed before. */
export function emptyFleet(now: number, before: { instancesAt?: number; repositoryAlive?: number } = {}): FleetState {
  return {
    startedAt: now,
    machines: [],
    instancesAt: before.instancesAt,
    lastAsked: {},
    repositoryAlive: before.repositoryAlive ?? 0,
    isSearching: false,
    mostWanted: 0,
    lastBeginAt: now - 1,
    lastEndAt: now,
    besideReady: { sumMs: 0, at: undefined },
    heldBack: 0,
    lost: [],
    confirmations: {},
  };
}
