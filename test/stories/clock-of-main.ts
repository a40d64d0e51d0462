import { type Clock, steady } from "../../src/shared/clock.ts";
import type { HandWoundClock } from "../unit/support/hand-wound-clock.ts";
import type { Story } from "./story.ts";

/** The clock of a computer that is so far ahead, or is set forward then: its wall jumps, and it sleeps on as before. */
export function clockThatJumps(clock: HandWoundClock, jump: Story["clockJump"]): Clock {
  if (jump === undefined || jump.byS === 0) return clock;
  const isAhead = () => clock.elapsed >= jump.atS * 1000;
  const wall = () => clock.now() + (isAhead() ? jump.byS * 1000 : 0);
  return { now: steady(wall, () => clock.elapsed), sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal) };
}
