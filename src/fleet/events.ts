import type { GpuJobs } from "../github/jobs.ts";
import type { RunnerState } from "../github/runners.ts";
import type { JobFigures } from "../gpu-figures/read.ts";
import type { ExitMessage } from "../machine/log.ts";
import type { Candidate } from "../offers/ranking.ts";
import type { Fault } from "../shared/user-error.ts";
import type { Decision } from "./decide.ts";
import type { CreateOutcome, ListedInstance, NoOffers } from "./state.ts";

/** When something was asked for, and when the answer came. */
interface When {
  askedAt: number;
  at: number;
}

/** What was learned, without its times. */
export type Learned =
  | {
      kind: "InstancesListed";
      instances: ListedInstance[];
      /** The service said of these ids that there is no such instance. An id in neither list is unknown. */
      gone: number[];
      repositoryAlive: number;
      /** How far the service's clock is ahead of ours. Undefined: not known. */
      aheadMs?: number | undefined;
    }
  | { kind: "RunnersListed"; runners: Record<string, RunnerState> }
  | { kind: "RunnersUnreadable" }
  | { kind: "JobsListed"; jobs: GpuJobs }
  | { kind: "JobsUnreadable"; why: string }
  | { kind: "OffersFound"; isBid: boolean; candidates: Candidate[]; nothing?: NoOffers | undefined }
  | { kind: "RunnersRegistered"; machineNo: number; runners: { id: number; name: string }[] }
  | {
      kind: "CreateAnswered";
      machineNo: number;
      outcome: CreateOutcome;
      /** The instance that came of it, if one is known. */
      instanceId?: number | undefined;
      /** When it was sent, if its answer named an instance. */
      sentAt?: number | undefined;
      jitter: number;
    }
  /** Runners that GitHub removed, and what it said of the one at which the removal stopped. */
  | { kind: "RunnerRemoved"; machineNo: number; removed: number[]; kept?: { id: number; answer: "busy" | "unknown" } }
  | { kind: "DestroyAnswered"; machineNo: number; id: number; how?: "destroyed" | "was-gone"; fault?: Fault }
  | {
      kind: "LogsFetched";
      machineNo: number;
      id: number;
      /** Why the machine gives itself back, and why its runner can't connect to GitHub. */
      words?: ExitMessage | undefined;
      connectError?: string | undefined;
      /** The log could not be had. */
      isFault?: true;
    }
  /** Figures from the log of the job with this id. Undefined: the log has none, or could not be had. */
  | {
      kind: "FiguresRead";
      machineNo: number;
      id: number;
      figures?: JobFigures | undefined;
      setup?: string | undefined;
    }
  /** `missing`: the registry's own word that it has no such image. */
  | { kind: "ImageLookedUp"; missing?: string | undefined };

/** What happened, as the loop learns it. JSON. */
export type FleetEvent = (Learned & When) | { kind: "Decided"; at: number; decision: Decision };
