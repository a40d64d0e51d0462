import type { InstanceVerdict } from "../../create/instance.ts";
import type { MachineRecord, Terms } from "../../create/machine-record.ts";
import type { RunnerState } from "../../create/rent.ts";
import type { Candidate } from "../../market/search.ts";
import type { Reachable } from "../../marketplace/marketplace.ts";
import type { CutBy } from "../../money/limits.ts";
import type { UserError } from "../../shared/user-error.ts";

/** A single-use runner and the one job that it may run. Moments in milliseconds since the epoch. */
export interface Use {
  runnerId: number;
  runnerName: string;
  /** As GitHub's list of runners last said; undefined: not seen yet. */
  runner?: RunnerState | undefined;
  onlineAt?: number | undefined;
  offlineSince?: number | undefined;
  /** Since when GitHub shows a job on its runner, or took that job back. */
  busySince?: number | undefined;
  /** Since when GitHub's lists lack its runner. */
  missingSince?: number | undefined;
  job?: JobOfUse | undefined;
  /** Since then it can take no job: its job is over, or GitHub does not list its runner. */
  spentAt?: number | undefined;
}

/** The job that a use has or had. */
export interface JobOfUse {
  id: number;
  name: string;
  url: string | undefined;
  isOver: boolean;
  isBad: boolean;
  /** By itself: neither cancelled nor cut off. */
  hasFailed?: boolean | undefined;
}

/** Why a machine ends. */
export interface Ending {
  kind: "failed" | "lost" | "dropped" | "deadline" | "over" | "unneeded";
  why: string;
  /** Destroyed whatever GitHub says of its runner; else its runner is taken away first. */
  isUnasked: boolean;
  /**
   * Of one that was never ready. `boot`, `online`: it was too slow to come so far. `refused`: its
   * create was, and made it all the same. `price`: the service asks more than `max-price`.
   */
  blame?: "machine" | "boot" | "online" | "image" | "preparing" | "refused" | "price" | undefined;
  isOutbid?: boolean | undefined;
  /** By the service, or by hand: that of one without credit looks like this. */
  isStopped?: boolean | undefined;
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
  terms: Terms;
  report?: MachineRecord | undefined;
  askedAt: number;
  createdAt?: number | undefined;
  /** By the last list that could be read; undefined: it was never listed. */
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
  fault?: UserError | undefined;
  goneAt?: number | undefined;
}
