import { type Faults, RENTING, type What, type Where } from "../fault.ts";
import type { World } from "../world.ts";
import type { Driven, Happened, Phase } from "./record.ts";
import type { Broken, Rule } from "./rule.ts";

/** Main's looks are so far apart. */
export const LOOK_MS = 16_000;
export const MINUTE_MS = 60_000;
export const NEVER = Number.POSITIVE_INFINITY;

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
  mainEndedAt = NEVER;
  readonly #since = new Map<string, number>();

  constructor(record: Happened, driven: Driven) {
    this.record = record;
    this.driven = driven;
    this.faults = driven.faults;
  }

  get now(): number {
    return this.record.now;
  }

  /** Post's looks begin at the first of these. */
  mainIsOver(): void {
    this.mainEndedAt = Math.min(this.mainEndedAt, this.now);
  }

  say(rule: Rule, what: string, isLate = false): void {
    this.record.note(`RULE BROKEN: ${rule}: ${what}`);
    this.broken.push({ rule, text: `after ${this.now / 1000} s: ${what}`, isLate });
  }

  /** One of these went wrong within that time, or did in one of these ways. */
  met(places: readonly Where[], withinMs: number, ways?: readonly What[]): boolean {
    return this.faults.wasMetSince(places, this.now - withinMs, ways);
  }

  /** Every answer was true and prompt until now. */
  get isClear(): boolean {
    const { instancesLagS, jobsLagS, jobsTakeS, runnersLagS } = this.record.story;
    return this.faults.met.length === 0 && instancesLagS + jobsLagS + jobsTakeS + runnersLagS === 0;
  }

  /** Something that renting needs went wrong within that time. */
  isBlind(withinMs: number): boolean {
    return this.met(RENTING, withinMs);
  }

  /** For how long this has held without a break, in milliseconds; 0 as soon as it does not hold. */
  lasting(name: string, holds: boolean): number {
    if (!holds) this.#since.delete(name);
    else if (!this.#since.has(name)) this.#since.set(name, this.now);
    return this.now - (this.#since.get(name) ?? this.now);
  }
}

/** Some of the rules. */
export abstract class Rules {
  readonly eye: Eye;

  constructor(eye: Eye) {
    this.eye = eye;
  }

  /** All that is true; undefined: only books are known. */
  protected get world(): World | undefined {
    return this.eye.driven.world;
  }
}

/** `instance 701, 702`. */
export function idsOf(boxes: readonly { id: number }[]): string {
  return `instance ${boxes.map(({ id }) => id).join(", ")}`;
}
