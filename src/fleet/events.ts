import type { GpuJobs } from "../github/jobs.ts";
import type { RunnerState } from "../github/runners.ts";
import type { JobFigures } from "../gpu-figures/read.ts";
import type { InstanceVerdict } from "../machine/instance.ts";
import type { ExitMessage } from "../machine/log.ts";
import type { Reachable } from "../marketplace/marketplace.ts";
import type { Candidate } from "../offers/ranking.ts";
import type { Fault } from "../shared/user-error.ts";
import type { Decision } from "./decide.ts";
import type { CreateOutcome, NoOffers } from "./state.ts";

/** When something was asked for, and when the answer came. */
interface When {
  askedAt: number;
  at: number;
}

/** An instance of this session as a list showed it: our own fields only, without secrets in its text. */
export interface ListedInstance {
  id: number;
  /** Number of the create that its label names. */
  machineNo: number;
  verdict: InstanceVerdict;
  isSilent: boolean;
  address: Reachable;
  usdPerHour?: number | undefined;
  startedAt?: number | undefined;
  /** How many machines of this repository are alive and have a lower id. */
  older?: number | undefined;
  traffic?: { downGb?: number | undefined; upGb?: number | undefined } | undefined;
}

/** What happened, as the loop learns it. JSON. */
export type FleetEvent =
  /** `gone`: the service said of these ids that there is no such instance. An id in neither list is unknown. */
  | ({
      kind: "InstancesListed";
      instances: ListedInstance[];
      gone: number[];
      repositoryAlive: number;
      /** How far the service's clock is ahead of ours. Undefined: not known. */
      aheadMs?: number | undefined;
    } & When)
  | ({ kind: "RunnersListed"; runners: Record<string, RunnerState> } & When)
  | ({ kind: "RunnersUnreadable" } & When)
  | ({ kind: "JobsListed"; jobs: GpuJobs } & When)
  | ({ kind: "JobsUnreadable"; why: string } & When)
  | ({ kind: "OffersFound"; isBid: boolean; candidates: Candidate[]; nothing?: NoOffers | undefined } & When)
  | ({ kind: "RunnersRegistered"; machineNo: number; runners: { id: number; name: string }[] } & When)
  | ({
      kind: "CreateAnswered";
      machineNo: number;
      outcome: CreateOutcome;
      /** The instance that came of it, if one is known. */
      instanceId?: number | undefined;
      /** When it was sent, if its answer named an instance. */
      sentAt?: number | undefined;
      jitter: number;
    } & When)
  /** Runners that GitHub removed, and what it said of the one at which the removal stopped. */
  | ({
      kind: "RunnerRemoved";
      machineNo: number;
      removed: number[];
      kept?: { id: number; answer: "busy" | "unknown" };
    } & When)
  | ({ kind: "DestroyAnswered"; machineNo: number; id: number; how?: "destroyed" | "was-gone"; fault?: Fault } & When)
  /**
   * `words`: why the machine gives itself back. `connectError`: why its runner can't connect to
   * GitHub. `isFault`: the log could not be had.
   */
  | ({
      kind: "LogsFetched";
      machineNo: number;
      id: number;
      words?: ExitMessage | undefined;
      connectError?: string | undefined;
      isFault?: true;
    } & When)
  /** Figures from the log of the job with this id. Undefined: the log has none, or could not be had. */
  | ({
      kind: "FiguresRead";
      machineNo: number;
      id: number;
      figures?: JobFigures | undefined;
      setup?: string | undefined;
    } & When)
  /** `missing`: the registry's own word that it has no such image. */
  | ({ kind: "ImageLookedUp"; missing?: string | undefined } & When)
  | { kind: "Decided"; at: number; decision: Decision };
