import { applyPlan } from "../../src/fleet/apply.ts";
import { emptyFleet, type Fleet } from "../../src/fleet/fleet.ts";
import { noteTime } from "../../src/fleet/note-github.ts";
import { paceOf } from "../../src/fleet/pace.ts";
import { plan } from "../../src/fleet/plan.ts";
import type { End } from "../../src/fleet/plan-end.ts";
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
  end: End;
  fleet: Fleet;
  world: World;
  /** What must not be, in words. */
  broken: readonly string[];
}

/** Plays a story to its end, as `src/fleet/run-fleet.ts` does, without any waiting. Ends at the first thing that must not be. */
export function play(story: Story, tell: (line: string) => void = () => {}): Played {
  const world = new World(story);
  const policy = policyOf(story);
  const fleet = emptyFleet(0);
  const eyes = new Eyes(world);
  const hands = new Hands(world, fleet);
  const referee = new Referee(world, fleet, policy);
  hands.onDestroy = (n, machine) => referee.destroys(n, machine);
  for (let turn = 0; ; turn += 1) {
    if (turn > MOST_TURNS) throw new Error(`No end after ${turn} turns, at ${world.now / 1000} s.`);
    eyes.look(fleet, paceOf(fleet, policy, world.now, undefined));
    hands.settle();
    noteTime(fleet, world.now);
    const decided = plan(fleet, policy, world.now);
    applyPlan(fleet, decided, policy, world.now);
    for (const act of decided.acts) tell(`${world.now / 1000} s: ${act.do} ${"n" in act ? act.n : ""}`);
    for (const { n, ending } of decided.endings)
      tell(`${world.now / 1000} s: machine ${n} ${ending.kind}: ${ending.why}`);
    referee.look(decided);
    if (decided.end !== undefined) referee.ended(decided.end);
    const end = decided.end ?? { kind: "alone" };
    if (decided.end !== undefined || referee.broken.length > 0) return { end, fleet, world, broken: referee.broken };
    for (const act of decided.acts) hands.start(act);
    const look = eyes.nextAt(paceOf(fleet, policy, world.now, undefined));
    const next = Math.min(look, world.now + LONGEST_NAP_MS);
    wait(world, hands, next);
  }
}

/** Until the next look, or until an act is over. */
function wait(world: World, hands: Hands, until: number): void {
  const next = Math.max(world.now, Math.min(until, hands.nextAt()));
  world.advance(next);
}
