import type { Facts } from "../facts.ts";
import type { Machine, Slot } from "../stage.ts";
import type { Confirmations, Fleet } from "../state.ts";

/** How far apart the two lists that confirm a finding must have been asked for, at the least. */
export const CONFIRMED_AFTER_MS = 14_000;

/** How late GitHub notices that a runner is gone, with some seconds for clocks that differ. */
export const GITHUB_MISSES_MS = 30_000;

/** How far a list of the service may lag behind what happened. SPEC-SILENT: no figure is named. */
export const LIST_LAG_MS = 90_000;

/** How far the clocks of GitHub, the machine and this host may differ, at the most. */
const CLOCKS_DIFFER_MS = 5000;

/** How long before its deadline the machine script may end what still runs. */
const LAST_TICK_MS = 15_000;

/** True if the slot's job ended badly long after the machine went: GitHub noticed, and ended the job. */
export function wentWithMachine({ job, spentAt = 0 }: Slot, since: number): boolean {
  return job?.isBad === true && spentAt - since > GITHUB_MISSES_MS;
}

/** True if the machine was seen alive after the slot's job ended, so its end was not the job's cause. */
export function hasOutlived({ instances, slots }: Machine, { runnerId, spentAt = 0 }: Slot): boolean {
  const ran = instances.some(({ lastRunningAt = 0 }) => lastRunningAt > spentAt + LIST_LAG_MS);
  // A later runner may be known by its job alone, seen when that was over.
  return ran || slots.some((slot) => slot.runnerId !== runnerId && (slot.onlineAt ?? 0) > spentAt);
}

/** True if the slot's runner had been away for long when its job ended badly. */
export function wasMissed(slot: Slot): boolean {
  return slot.offlineSince !== undefined && wentWithMachine(slot, slot.offlineSince);
}

/** True if the slot's job ended badly at the machine's deadline, where the script ends what runs. */
export function wasCutOff({ job, spentAt = 0 }: Slot, { deadline }: Machine): boolean {
  return job?.isBad === true && spentAt >= deadline - LAST_TICK_MS - CLOCKS_DIFFER_MS;
}

/** How long a finding waits for a jobs list that can't be read. */
const UNREAD_FOR_MS = 600_000;

/** Keeps the findings of one look. A finding counts when a later look confirms it. */
export class Confirmer {
  readonly kept: Confirmations = {};
  readonly #fleet: Fleet;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  /** True if the finding was seen before, and `list` was read again since. Keeps the finding either way. */
  confirms(key: string, list: "instancesAt" | "jobsAt"): boolean {
    const { confirmations, startedAt } = this.#fleet;
    const at = this.#fleet[list] ?? startedAt;
    const first = confirmations[key] ?? at;
    this.kept[key] = first;
    return at - first >= CONFIRMED_AFTER_MS;
  }

  /** True if the jobs were read since the finding, or could not be read for too long. */
  haveJobsOf(key: string, { now, rules }: Facts): boolean {
    const { jobsAt, startedAt } = this.#fleet;
    const first = this.kept[key] ?? startedAt;
    return !rules.hold || (jobsAt ?? startedAt) - first >= CONFIRMED_AFTER_MS || now - first >= UNREAD_FOR_MS;
  }
}
