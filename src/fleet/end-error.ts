import type { KnownError } from "../known-error.ts";
import { MAY_TURN_UP, NOTHING_LEFT, NOTHING_RENTED } from "../money/what-bills.ts";
import { oneLine } from "../text/foreign-text.ts";
import { formatDuration } from "../time/duration.ts";
import { GpuJobFailedError, HoldError, MachineLostError } from "./fleet-errors.ts";
import type { End } from "./plan/plan-end.ts";
import type { Fleet, LostJob } from "./state/fleet.ts";
import type { Policy } from "./state/policy.ts";
import { isAlive } from "./state/stage.ts";
import { type Stopped, stopError } from "./stop-error.ts";
import { describeLabels } from "./tell.ts";

/** The facts that an end is told with. */
export interface Ended extends Stopped {
  failWithJob: boolean;
}

/** The error that an end is for this job; undefined when all went well. */
export function errorOf(end: End, ended: Ended): KnownError | undefined {
  switch (end.kind) {
    case "ready":
    case "none-came":
      return undefined;
    case "over":
      return overError(end, ended);
    case "stopped":
      return stopError(end.stop, ended, billingOf(ended.fleet));
    default:
      return jobsError(end, ended);
  }
}

/** A sentence on everything that may still bill. */
function billingOf({ machines, strays, instancesAt }: Readonly<Fleet>): string {
  const alive = machines.filter(isAlive).flatMap(({ instanceId }) => (instanceId === undefined ? [] : [instanceId]));
  if (alive.length > 0) return `Instance ${alive.join(", ")} is given back now.`;
  // Only a list that was read after the last create can say that nothing came of it.
  const isAsking = machines.some(({ instanceId, goneAt }) => instanceId === undefined && goneAt === undefined);
  const isSure = strays.every(({ isListed, isUncertain, since }) => {
    const wasRead = isListed || (instancesAt !== undefined && instancesAt > since);
    return !isUncertain && wasRead;
  });
  if (isAsking || !isSure) return MAY_TURN_UP;
  return machines.length > 0 ? NOTHING_LEFT : NOTHING_RENTED;
}

function overError(
  { bad, lost, refused }: Extract<End, { kind: "over" }>,
  { failWithJob, fleet }: Ended,
): KnownError | undefined {
  const billing = billingOf(fleet);
  const cut = lost.find(({ cutBy }) => cutBy !== undefined);
  if (cut !== undefined) return outOfTime(cut, billing);
  if (lost.length > 0) return new MachineLostError(lost, billing);
  const [other] = refused;
  if (other !== undefined)
    return new HoldError(`${describeLabels(other)} ${billing}`, {
      hint: "Let runs-on ask for that one label, as the README shows it, without self-hosted.",
    });
  return failWithJob && bad.length > 0 ? new GpuJobFailedError(bad, billing) : undefined;
}

const TIME_OVER = {
  "max-lifetime": {
    why: "max-lifetime is over, and the machine was given back",
    hint: "Raise max-lifetime, or make the GPU job shorter; its own timeout-minutes should be below max-lifetime.",
  },
  "max-cost": {
    why: "max-cost is used up: it had cut the machine's time below max-lifetime. The machine was given back",
    hint: "Raise max-cost, or make the GPU job shorter; the log tells, where the machine is asked for, how long max-cost lets it live.",
  },
};

function outOfTime({ cutBy = "max-lifetime", name, url }: LostJob, billing: string): HoldError {
  const { why, hint } = TIME_OVER[cutBy];
  return new HoldError(`${why} while '${oneLine(name, 100)}' ran on it${url ? ` (${url})` : ""}. ${billing}`, { hint });
}

function jobsError(
  end: Exclude<End, { kind: "ready" | "none-came" | "over" | "stopped" }>,
  { fleet, policy }: Ended,
): HoldError {
  const billing = billingOf(fleet);
  switch (end.kind) {
    case "alone":
      return new HoldError(`No other job is visible in this run. ${billing}`, {
        hint: "If the GPU job has `needs:` on this one, remove it; for this job's own later steps set `hold: false`.",
      });
    case "unreadable":
      return new HoldError(`The jobs of this run could not be read for 10 minutes and more: ${end.why}. ${billing}`, {
        hint: "Look at the GPU job itself, and at githubstatus.com.",
      });
    case "none-asked":
      return new HoldError(`No job asked for the GPU runner within ${waitedFor(policy)}. ${billing}`, {
        hint: `Give this job the same \`needs:\` as the GPU jobs, or raise wait-for-job.${describeOpen(end.open)}`,
      });
    case "too-few":
      return new HoldError(`${end.came} of ${end.expected} GPU jobs came. ${billing}`, {
        hint: "Correct `jobs`, or give this job the same `needs:` as the GPU jobs.",
      });
    case "held":
      return new HoldError(
        `'${oneLine(end.job?.name ?? "", 100)}' waited for an approval or its concurrency group for all of wait-for-job (${formatDuration(policy.waitForJobMs)}). ${billing}`,
        {
          hint: "Put the environment on a small job that this one and the GPU job need.",
        },
      );
    case "unseen":
      return new HoldError(
        `'${oneLine(end.job?.name ?? "", 100)}' waits beside a machine that is ready: GitHub does not give it our runner. ${billing}`,
        {
          hint: "Check which repositories the runner group may serve (public ones are off by default), and the labels in runs-on.",
        },
      );
  }
}

function describeOpen(jobs: Fleet["jobs"]): string {
  const labels = [...new Set((jobs?.othersOpen ?? []).flatMap((job) => job.labels))].slice(0, 8);
  return labels.length === 0 ? "" : ` Open jobs ask for: ${labels.map((label) => oneLine(label, 60)).join(", ")}.`;
}

function waitedFor({ idleMs, waitForJobMs }: Policy): string {
  return waitForJobMs === 0
    ? `idle-timeout (${formatDuration(idleMs)})`
    : `wait-for-job (${formatDuration(waitForJobMs)})`;
}
