import { type Faults, RENTING } from "../fault.ts";
import type { Driven, Happened, Phase } from "./record.ts";
import type { Broken, Rule } from "./rule.ts";

/** Main's looks are so far apart. */
export const LOOK_MS = 16_000;
export const MINUTE_MS = 60_000;

/** What all rules see: what is true, what went wrong, and what was shown. */
export class Eye {
  readonly broken: Broken[] = [];
  readonly record: Happened;
  readonly driven: Driven;
  readonly faults: Faults;
  /** Which process runs, and since when. */
  phase: Phase = "main";
  phaseSince = 0;
  /** When main ended: post's looks begin then. */
  mainEndedAt = Number.POSITIVE_INFINITY;
  readonly #since = new Map<string, number>();

  constructor(record: Happened, driven: Driven) {
    this.record = record;
    this.driven = driven;
    this.faults = driven.faults;
  }

  say(rule: Rule, what: string, isLate = false): void {
    this.record.note(`RULE BROKEN: ${rule}: ${what}`);
    this.broken.push({ rule, text: `after ${this.record.now / 1000} s: ${what}`, isLate });
  }

  /** Something that renting needs went wrong within that time. */
  isBlind(withinMs: number): boolean {
    return this.faults.wasMetSince(RENTING, this.record.now - withinMs);
  }

  /** For how long this has held without a break, in milliseconds; 0 as soon as it does not hold. */
  lasting(name: string, holds: boolean): number {
    const { now } = this.record;
    if (!holds) this.#since.delete(name);
    else if (!this.#since.has(name)) this.#since.set(name, now);
    return now - (this.#since.get(name) ?? now);
  }
}
