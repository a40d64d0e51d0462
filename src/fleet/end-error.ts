import { oneLine } from "../shared/foreign-text.ts";
import type { UserError } from "../shared/user-error.ts";
import { GpuJobFailedError, HoldError, MachineLostError } from "./fleet-errors.ts";
import { jobsError } from "./jobs-error.ts";
import type { End } from "./plan/plan-end.ts";
import { billingOf } from "./state/billing.ts";
import type { LostJob } from "./state/fleet.ts";
import { type Stopped, stopError } from "./stop-error.ts";
import { describeLabels } from "./tell.ts";

/** The facts that an end is told with. */
export interface Ended extends Stopped {
  /** The label that the GPU jobs ask for. */
  runnerLabel: string;
  failWithJob: boolean;
}

/** The error that an end is for this job; undefined when all went well. */
export function errorOf(end: End, ended: Ended): UserError | undefined {
  switch (end.kind) {
    case "ready":
    case "none-came":
      return undefined;
    case "over":
      return overError(end, ended);
    case "stopped":
      return stopError(end, ended);
    default:
      return jobsError(end, { ...ended, billing: billingOf(ended.fleet) });
  }
}

function overError(
  { bad, lost, refused }: Extract<End, { kind: "over" }>,
  { failWithJob, fleet }: Ended,
): UserError | undefined {
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
