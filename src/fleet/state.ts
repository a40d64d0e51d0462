import type { GpuJob, GpuJobs } from "../github/jobs.ts";
import type { RunnerState } from "../github/runners.ts";
import type { JobFigures } from "../gpu-figures/read.ts";
import type { RentOutcome } from "../machine/create.ts";
import type { InstanceVerdict } from "../machine/instance.ts";
import type { ExitMessage } from "../machine/log.ts";
import type { MachineTerms } from "../machine/record.ts";
import type { Reachable } from "../marketplace/marketplace.ts";
import type { Explanation } from "../offers/explain-no-offer.ts";
import type { Candidate } from "../offers/ranking.ts";
import type { Fault } from "../shared/user-error.ts";
import type { CutBy } from "../timing/limits.ts";
import type { CauseName } from "./lifecycle/causes.ts";

// All that the loop knows, as JSON: equal states go on in the same way, so a list of events tells a
// whole story. Only reduce.ts writes it. Times are milliseconds since the epoch.

/** Makes a value read-only, all the way down. */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** A single-use runner and the one job that it may run. */
export interface RunnerSlot {
  runnerId: number;
  runnerName: string;
  /** The runner as GitHub's list last showed it. Undefined: not seen yet. */
  runner?: RunnerState | undefined;
  onlineAt?: number | undefined;
  /** When the runner was last seen before it came online. */
  notYetAt?: number | undefined;
  /** Since when the runner, once online, has been disconnected. */
  offlineSince?: number | undefined;
  /** Since when GitHub shows a job on the runner, or took that job back. */
  busySince?: number | undefined;
  /** GitHub refused to remove the runner, as a job is on it, whatever its list of runners says. */
  isRefused?: true | undefined;
  /** Jobs lists lack a job of the busy runner for so long that there is none; and whether that was ever so. */
  isStuck?: true | undefined;
  wasStuck?: true | undefined;
  /** GitHub once showed a job on the runner. */
  wasBusy?: boolean | undefined;
  /** Since when GitHub's lists lack the runner; and the same while no job of it runs. */
  goneSince?: number | undefined;
  missingSince?: number | undefined;
  job?: SlotJob | undefined;
  /** Since when the slot can take no job: its job is over, or GitHub no longer lists its runner. */
  spentAt?: number | undefined;
  /** We removed its runner. */
  isRemoved?: true | undefined;
  /** What the job's log said. It is asked for once. Without `at`, the answer is still to come. */
  log?: { at?: number | undefined; figures?: JobFigures | undefined; setup?: string | undefined } | undefined;
}

/** The job that a slot has or had, as GitHub shows it. */
export interface SlotJob
  extends Pick<GpuJob, "id" | "name" | "url">,
    Partial<Pick<GpuJob, "completedAt" | "conclusion" | "startedAt">> {
  isOver: boolean;
  isBad: boolean;
}

/** Why a machine ends: the columns of its row, and what was seen. */
export interface Ending {
  /** The row of lifecycle/reasons.ts, and of docs/internals/holding.md. */
  id: string;
  kind: "failed" | "lost" | "dropped" | "deadline" | "over" | "unneeded";
  /** Undefined: it ended as it should. `idle` counts only where no job came. */
  cause?: CauseName | undefined;
  /** `runners`: it is drained. `instance`: it is destroyed whatever GitHub says. */
  first: "runners" | "instance";
  isVague?: true | undefined;
  why: string;
  /** When a list first showed the reason, and when the end was decided. */
  since: number;
  decidedAt: number;
}

/** How long the stages of one machine may take, in milliseconds. */
export interface Timing {
  /** Expected time from creation to its runner online. */
  expectedMs: number;
  /** Time from creation to running after which it is late, and a second one may be started. */
  lateMs: number;
  /** Time from creation to running after which it has failed. */
  bootMs: number;
  /** Time from running to its runner online after which it has failed. */
  onlineMs: number;
  /** Time from its first runner online after which it ends. */
  lifeMs: number;
  /** Time that the user's `setup` may take after running. No host is late for that. */
  setupMs?: number | undefined;
  /** `boot-timeout: auto` keeps the machine for longer while no other offer is to be had. */
  mayWait: boolean;
}

/** An instance of this session as a list showed it: our own fields only, without secrets in its text. */
export interface ListedInstance {
  id: number;
  /** Number of the create that its label names. */
  machineNo: number;
  verdict: InstanceVerdict;
  /** The service gets no heartbeat from the host. The container may run all the same. */
  isSilent: boolean;
  address: Reachable;
  usdPerHour?: number | undefined;
  startedAt?: number | undefined;
  /** How many machines of this repository are alive and older, by their ids: each run comes to the same order. */
  older?: number | undefined;
  traffic?: { downGb?: number | undefined; upGb?: number | undefined } | undefined;
}

type Shown<Field extends keyof ListedInstance> = { [Each in Field]?: ListedInstance[Each] | undefined };

/** One instance that came of a create, as the service shows it. Without a verdict it was never listed. */
export interface StoredInstance extends Shown<"address" | "isSilent" | "older" | "usdPerHour" | "verdict"> {
  id: number;
  /** When the service made it, as far as that is known. */
  createdAt: number;
  /** When an answer or a list first showed its id. */
  foundAt: number;
  /** When its container was first seen running, from when that is billed, and when it was last seen running. */
  runningAt?: number | undefined;
  billedFrom?: number | undefined;
  lastRunningAt?: number | undefined;
  /** Since when the service shows it as ended. */
  brokenSince?: number | undefined;
  /**
   * That the service outbid or stopped it, once a list said so, and when one said so last. What lists show of an
   * instance that is given back is no evidence against it.
   */
  stopped?: { how: "was outbid" | "was stopped by the service"; at: number } | undefined;
  /** Since when the service says that there is no such instance. */
  absentSince?: number | undefined;
  /** When it last gave a sign of life, to the service or to GitHub. */
  aliveAt?: number | undefined;
  traffic?: { downGb: number; upGb: number } | undefined;
  /** Its destruction was asked for, and it is not known to be gone. `isAsking`: a request is under way. */
  isDestroying?: boolean | undefined;
  isAsking?: boolean | undefined;
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
  | Exclude<RentOutcome, { kind: "created" }>;

/** One create and all that came of it: asked → booting → starting → ready → busy → over → gone. */
export interface StoredMachine {
  machineNo: number;
  candidate: Candidate;
  timing: Timing;
  terms: MachineTerms;
  /** When the machine destroys itself at the latest, as it was made, and the input that set this. */
  deadline: number;
  cutBy: CutBy;
  searchedAt: number;
  askedAt: number;
  registeredAt?: number | undefined;
  /** The single-use runners, in the order in which the machine starts them. */
  slots: RunnerSlot[];
  /**
   * Undefined: no answer came yet. `jitter`, from 0 to 1, keeps runs from asking again in step. `isMissed`: a list that
   * would show what the create made lacks it.
   */
  answer?: (CreateOutcome & { at: number; jitter: number; isMissed?: true }) | undefined;
  /** The instances that came of the create, mostly one. If a gateway sends a create twice, two share the runners. */
  instances: StoredInstance[];
  /** When its first runner was online. */
  readyAt?: number | undefined;
  /** Since which list of jobs one of ours has waited while the machine was ready for it. */
  besideSince?: number | undefined;
  ending?: Ending | undefined;
  /** Its runners are being removed. */
  isDraining?: boolean | undefined;
  /** How often GitHub did not say whether a runner has a job. */
  unconfirmedDrains?: number | undefined;
  /** How often GitHub refused to remove its runner, as a job is on it. */
  refusedDrains?: number | undefined;
  /** When to ask again after that. Nothing else waits for it. */
  drainAgainAt?: number | undefined;
  /** GitHub or the service gave no answer, and is not asked again before this time. */
  askAgainAt?: number | undefined;
  /** Whether its log is being read, when it was last read, and the reason that it gave for its end. */
  isReadingLog?: boolean | undefined;
  logAt?: number | undefined;
  words?: ExitMessage | undefined;
  /** The runner's last line about why it can't connect to GitHub. Foreign text, one line. */
  connectError?: string | undefined;
}

/** The service's last offers, best first, or why there are none. */
export interface Market {
  searchedAt: number;
  isBid: boolean;
  candidates: Candidate[];
  nothing?: NoOffers | undefined;
  /** How many searches in a row brought none, and how many of these the service refused. */
  times: number;
  refusals: number;
}

/** Why a search brought no offer: none fits, or the service did not search. */
export type NoOffers =
  | { kind: "none-fits"; explanation: Explanation; requirements: string }
  /** `quotaUntil`: until when the account's searches are used up, by the service's clock. */
  | { kind: "fault"; fault: Fault; quotaUntil?: number | undefined };

/** A job whose machine was lost under it. */
export interface LostJob extends Pick<SlotJob, "id" | "name" | "url"> {
  machineNo: number;
  instanceId: number | undefined;
  /** What became of its machine, as a verb. */
  went: "vanished" | "was outbid" | "was stopped by the service" | "fell silent";
  /** The input that set the deadline, if that ended the machine. */
  cutBy: CutBy | undefined;
}

/** That GitHub gave a ready machine none of the jobs that waited, while others ran. */
interface Beside {
  /** When a machine was last given up for it, or a job of ours last began or ended. */
  since: number;
  /** How many of our jobs ran then. While more run, nothing holds the others back. */
  limit: number;
  /** How many machines were given up for it since a job last began or ended. */
  times: number;
}

/** Findings that would cost a machine or a job, with the time of the list that first showed each. */
export type Findings = Record<string, number>;

export interface FleetState {
  startedAt: number;
  /** One for each create, in order. */
  machines: StoredMachine[];
  jobs?: GpuJobs | undefined;
  jobsFault?: { since: number; why: string } | undefined;
  /** When each list was last read. Undefined: never. */
  instancesAt?: number | undefined;
  runnersAt?: number | undefined;
  /** When the runners first became unreadable, and when they could be read again after a long gap. */
  runnersUnreadSince?: number | undefined;
  runnersReadSince?: number | undefined;
  jobsAt?: number | undefined;
  /** How long the last list of jobs took. */
  jobsTookMs?: number | undefined;
  /** How many machines of this repository the last list showed alive. */
  repositoryAlive: number;
  /** How far the service's clock is ahead of ours, by the date of its last list. Undefined: not known. */
  aheadMs?: number | undefined;
  /** How many requests for a machine's log failed in a row. */
  logFaults?: number;
  market?: Market | undefined;
  isSearching: boolean;
  /** What the image's registry last said, if it was asked. `missing`: it has no such image. */
  image?: { isAsking: boolean; at?: number | undefined; missing?: { since: number; word: string } | undefined };
  /** When a search for bids first brought none of use. */
  bidsFailedAt?: number | undefined;
  /** When a search first said that waiting can't help. */
  hopelessSince?: number | undefined;
  /** Since when no offer fits what is lacking. */
  noOfferSince?: number | undefined;
  /** When each job that waits was first listed so, by its id. */
  waitingSince?: Record<number, number> | undefined;
  /** Since when a job has waited with no machine ready or busy. */
  unservedSince?: number | undefined;
  /** When a machine was first wanted, and the most that were wanted at a time. */
  firstWantedAt?: number | undefined;
  mostWanted: number;
  /** When a job of ours last began, and last ended. */
  lastBeginAt: number;
  lastEndAt: number;
  /** When one last ended that had a runner: GitHub may give its place to another. */
  lastFreedAt?: number | undefined;
  /** Since when a job has waited, and GitHub has given none to machines of ours that were ready, one or another. */
  silentSince?: number | undefined;
  /** Since when jobs have waited beside a machine that was given up for it, while others ran. */
  beside?: Beside | undefined;
  /** Since when no other job is open, and since when ours are only held. */
  noOtherJobSince?: number | undefined;
  heldSince?: number | undefined;
  /** Since when a job asks for a label one step from ours while none of ours is open. */
  mistypedSince?: number | undefined;
  lost: LostJob[];
  findings: Findings;
}

/** The state as everything but reduce sees it. */
export type Fleet = DeepReadonly<FleetState>;

/** Makes the state of a session that has rented nothing. `before`: what is known by then. */
export function emptyFleet(now: number, before: Partial<FleetState> = {}): FleetState {
  return {
    startedAt: now,
    machines: [],
    repositoryAlive: 0,
    isSearching: false,
    mostWanted: 0,
    lastBeginAt: now - 1,
    lastEndAt: now,
    lost: [],
    findings: {},
    ...before,
  };
}
