import { applyPlan } from "../../src/fleet/apply.ts";
import type { End } from "../../src/fleet/decide/end.ts";
import { paceOf } from "../../src/fleet/decide/pace.ts";
import { noteTime } from "../../src/fleet/observe/note-github.ts";
import { plan } from "../../src/fleet/plan/plan.ts";
import { emptyFleet, type Fleet } from "../../src/fleet/state.ts";
import { Eyes } from "./eyes.ts";
import { Hands } from "./hands.ts";
import { Referee } from "./referee.ts";
import { policyOf, type Story } from "./story.ts";
import { World } from "./world.ts";

/** The longest pause of the loop, in milliseconds (src/fleet/run-fleet.ts). */
const LONGEST_NAP_MS = 15_000;

/** So many turns are a loop. */
const MOST_TURNS = 20_000;

/** How a story went. */
export interface Played {
  /** Undefined: it was ended by what must not be. */
  end: End | undefined;
  fleet: Fleet;
  world: World;
  /** The broken rules, in words. */
  broken: readonly string[];
}

/** Plays a story as `src/fleet/run-fleet.ts` does, without waiting, up to the first broken rule. */
export function play(story: Story): Played {
  const world = new World(story);
  const policy = policyOf(story);
  const fleet = emptyFleet(0);
  const eyes = new Eyes(world);
  const hands = new Hands(world, fleet);
  const referee = new Referee(world, fleet, policy);
  hands.onDestroy = (n, machine) => referee.destroys(n, machine);
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    eyes.look(fleet, paceOf(fleet, policy, world.now, undefined));
    hands.settle();
    noteTime(fleet, world.now);
    const decided = plan(fleet, policy, world.now);
    applyPlan(fleet, decided, policy, world.now);
    referee.look(decided);
    const { end } = decided;
    if (end !== undefined || referee.broken.length > 0) return { end, fleet, world, broken: referee.broken };
    for (const act of decided.acts) hands.start(act);
    const look = eyes.nextAt(paceOf(fleet, policy, world.now, undefined));
    world.advance(Math.max(world.now, Math.min(look, world.now + LONGEST_NAP_MS, hands.nextAt())));
  }
  throw new Error(`No end after ${MOST_TURNS} turns, at ${world.now / 1000} s.`);
}
