import { type Faults, RENTING } from "./fault.ts";
import { Lasting } from "./lasting.ts";
import type { MarketInWorld } from "./market.ts";
import type { Broken, Rule } from "./rule.ts";
import type { Box } from "./things.ts";
import { committed } from "./truth.ts";
import type { World } from "./world.ts";

/** Main's looks are so far apart. */
export const LOOK_MS = 16_000;

/** What all rules see: what is true, what went wrong, and what was shown. */
export class Eye {
  readonly broken: Broken[] = [];
  readonly world: World;
  readonly faults: Faults;
  readonly lasting: Lasting;
  /** When a list first showed each. */
  readonly shown = new Map<Box, number>();
  phase: "first sweep" | "main" | "cancelled" | "failing" | "post" | "sweep" = "main";
  /** When main ended, in milliseconds: post's looks begin then. */
  mainEndedAt = Number.POSITIVE_INFINITY;
  market: MarketInWorld | undefined;

  constructor(world: World, faults: Faults) {
    this.world = world;
    this.faults = faults;
    this.lasting = new Lasting(world);
  }

  say(rule: Rule, what: string): void {
    this.world.note(`RULE BROKEN: ${rule}: ${what}`);
    this.broken.push({ rule, text: `after ${this.world.now / 1000} s: ${what}` });
  }

  /** Something that renting needs went wrong within that time. */
  isBlind(withinMs: number): boolean {
    return this.faults.wasMetSince(RENTING, this.world.now - withinMs);
  }

  /** USD, of what lists had shown by then. */
  committed(seenBy = this.world.now): number {
    const isShown = (box: Box) => (this.shown.get(box) ?? Number.POSITIVE_INFINITY) <= seenBy;
    return committed(this.world, (box) => isShown(box) || (!box.isTwin && !box.isLate));
  }

  /** Of max-cost, in USD. */
  left(): number {
    return (this.world.story.maxCost ?? Number.POSITIVE_INFINITY) - this.committed();
  }
}
