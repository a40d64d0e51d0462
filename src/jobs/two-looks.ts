import { type Decision, isLight } from "../fleet/decision.ts";

/** GitHub's list lags by seconds: what costs a machine or a job must be seen twice, this far apart. */
export const LOOKS_APART_MS = 15_000;

/** Lets a grave decision pass only when the look before it, 15 s ago or more, came to the same. */
export class TwoLooks {
  #first: { key: string; at: number } | undefined;

  /** The decision, or undefined when it needs another look. */
  confirm(decision: Decision, now: number): Decision | undefined {
    if (isLight(decision)) {
      this.#first = undefined;
      return decision;
    }
    const key = JSON.stringify(decision);
    if (this.#first?.key !== key) this.#first = { key, at: now };
    return now - this.#first.at >= LOOKS_APART_MS ? decision : undefined;
  }
}
