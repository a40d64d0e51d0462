import type { Limits } from "../limits/lifetime.ts";
import type { InstanceVerdict } from "../machine/judge-instance.ts";
import type { RunnerStatus } from "../machine/ports.ts";
import { formatDuration } from "../time/duration.ts";

/** All that is known of a machine that is to become ready. Times in milliseconds since the epoch. */
export interface ReadinessFacts {
  now: number;
  createdAt: number;
  /** When its runner configuration was made. */
  mintedAt: number | undefined;
  /** When it was first seen running. */
  runningAt: number | undefined;
  /** When the whole search for a ready machine is to end. */
  readyBy: number;
  /** Undefined: the service says that there is no such instance. */
  instance: InstanceVerdict | undefined;
  /** True when an earlier look found it: then undefined means that it is gone, not that it is not listed yet. */
  wasSeen: boolean;
  runner: RunnerStatus;
}

/** Ready, still coming, or given up; `late` says which timeout ran out. */
export type Readiness =
  | { kind: "ready" }
  | { kind: "pending" }
  | { kind: "failed"; why: string; blame: Blame; outbid?: true; late?: "boot" | "online" | "ready" };

/** Whose fault it is: the host's, the image's, or what the machine's own script found when it prepared. */
type Blame = "machine" | "image" | "preparing";

/** Given up. */
export type FailedReadiness = Extract<Readiness, { kind: "failed" }>;

/** A fresh instance may be missing from reads for a while. */
const VISIBLE_AFTER_MS = 60_000;

/** Decides whether a machine is ready. A runner that is online proves that the machine works, whatever the service's lagging state says. */
export function judgeReadiness(facts: ReadinessFacts, limits: Limits): Readiness {
  const { instance, now } = facts;
  if (facts.runner === "online") return { kind: "ready" };
  if (instance === undefined && (facts.wasSeen || now - facts.createdAt > VISIBLE_AFTER_MS)) return vanished(facts);
  if (instance?.kind === "failed") return endedAs(instance);
  if (facts.runner === "gone") return failed(`GitHub dropped its runner before a job came${ageOf(facts)}`);
  // Its container runs, and GitHub can't be asked: it may have the job already. Its own deadline bounds this.
  if (facts.runner === "unknown" && facts.runningAt !== undefined) return { kind: "pending" };
  return judgeTime(facts, limits);
}

function judgeTime(facts: ReadinessFacts, limits: Limits): Readiness {
  const { now, createdAt, runningAt, readyBy, instance } = facts;
  if (now >= readyBy) return { ...failed("ready-timeout ran out"), late: "ready" };
  if (runningAt !== undefined && now - runningAt >= limits.onlineMs) {
    const limit = formatDuration(limits.onlineMs);
    return {
      ...failed(`its runner did not come online within online-timeout (${limit})${ageOf(facts)}`),
      late: "online",
    };
  }
  if (runningAt === undefined && now - createdAt >= limits.bootMs) {
    const last = instance?.status ?? "nothing";
    const why = `it did not reach running within boot-timeout (${formatDuration(limits.bootMs)}, last seen: ${last})`;
    return { ...failed(why), late: "boot" };
  }
  return { kind: "pending" };
}

function endedAs({ why, blame, outbid }: Extract<InstanceVerdict, { kind: "failed" }>): FailedReadiness {
  return { kind: "failed", why, blame, ...(outbid && { outbid: true }) };
}

function vanished({ runningAt }: ReadinessFacts): FailedReadiness {
  return runningAt === undefined ? failed("the service does not know it any more") : gaveItselfBack();
}

/** What the machine's script does when it can't come so far as to start a runner. Its log is gone with it. */
function gaveItselfBack(): FailedReadiness {
  const why =
    "it gave itself back before its runner was online: its key, its GPUs, its tools or the probe were no good";
  return { kind: "failed", why, blame: "preparing" };
}

function failed(why: string): FailedReadiness {
  return { kind: "failed", why, blame: "machine" };
}

/** A single-use configuration keeps for a while that GitHub does not tell: its age says whether that can be why. */
function ageOf({ now, mintedAt }: ReadinessFacts): string {
  return mintedAt === undefined ? "" : `; its runner configuration was ${Math.round((now - mintedAt) / 1000)} s old`;
}
