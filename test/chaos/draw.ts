import fc from "fast-check";
import { aRunJob, aStory } from "../stories/a-story.ts";
import { ANY_DEATH, stories } from "../stories/draw.ts";
import { TROUBLES } from "../stories/troubles.ts";
import type { Plan } from "./plan-of.ts";
import { ANY_ROUGH, NOTHING_ROUGH } from "./rough.ts";

/** The plan in which nothing happens. */
export const PLAIN_PLAN: Plan = {
  story: aStory({ lifetimeS: 900, jobsOfRun: [aRunJob({ lastsS: 60 })] }),
  rough: NOTHING_ROUGH,
};

const PLAYABLE = TROUBLES.filter(({ isVirtual }) => !isVirtual);
const SEVERAL = fc.integer({ min: 2, max: 4 });

/** Main dies more often than in virtual time: real signals meet real requests. */
const ANY_PLAN: fc.Arbitrary<Plan> = fc
  .record({
    story: stories(fc.oneof(fc.constant(1), SEVERAL), PLAYABLE),
    death: fc.option(ANY_DEATH, { nil: undefined, freq: 1 }),
    rough: ANY_ROUGH,
  })
  .map(({ death, rough, story }) => ({ rough, story: { ...story, death: story.death ?? death } }));

/** Draws a plan. The same seed and index give the same one; what is drawn may lack a prototype, which JSON has. */
export function drawPlan(seed: number, index: number): Plan {
  // A sample's first value would be one of extremes.
  const drawn = { seed: Math.imul(seed, 1_000_003) ^ index, numRuns: 1, unbiased: true };
  const [plan] = fc.sample(ANY_PLAN, drawn);
  if (plan === undefined) throw new Error("Nothing was drawn.");
  return structuredClone(plan);
}
