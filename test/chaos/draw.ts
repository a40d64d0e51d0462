import fc from "fast-check";
import { aRunJob, aStory } from "../stories/a-story.ts";
import { ANY_DEATH, stories } from "../stories/draw.ts";
import { TROUBLES } from "../stories/troubles.ts";
import type { Plan } from "./plan-of.ts";
import { ANY_ROUGH, NOTHING_ROUGH } from "./rough.ts";

/** Draws that all runs of a suite have; without them some have. */
export interface Only {
  /** Several jobs and machines. */
  fleets?: boolean;
  /** What looks like evidence, and is none. */
  evidence?: boolean;
}

/** The plan in which nothing happens. */
export const PLAIN_PLAN: Plan = {
  story: aStory({ lifetimeS: 900, jobsOfRun: [aRunJob({ lastsS: 60 })] }),
  rough: NOTHING_ROUGH,
};

const PLAYABLE = TROUBLES.filter(({ isVirtual }) => !isVirtual);
const SEVERAL = fc.integer({ min: 2, max: 4 });
const FALSE_LISTS = ["empty", "empty, honest", "partial", "partial, honest", "old"] as const;

/** Main dies more often than in virtual time: real signals meet real requests. */
const plans = ({ evidence = false, fleets = false }: Only): fc.Arbitrary<Plan> =>
  fc
    .record({
      story: stories(fleets ? SEVERAL : fc.oneof(fc.constant(1), SEVERAL), PLAYABLE),
      death: fc.option(ANY_DEATH, { nil: undefined, freq: 1 }),
      more: fc.array(
        fc.record({
          where: fc.constantFrom("list", "runners", "jobs"),
          what: fc.constantFrom(...FALSE_LISTS),
          fromS: fc.integer({ min: 0, max: 120 }),
          lastsS: fc.integer({ min: 15, max: 120 }),
          times: fc.constantFrom(1, 2, 8),
          detail: fc.integer({ min: 30, max: 90 }),
        }),
        { minLength: 1, maxLength: 2 },
      ),
      rough: ANY_ROUGH,
    })
    .map(({ death, more, rough, story }) => ({
      rough,
      story: {
        ...story,
        machines: fleets ? Math.max(2, story.machines) : story.machines,
        death: story.death ?? death,
        faults: evidence ? [...more, ...story.faults] : story.faults,
        jobsOfRun: fleets && story.jobsOfRun.length < 2 ? [aRunJob(), aRunJob({ lastsS: 400 })] : story.jobsOfRun,
      },
    }));

/** Draws a plan. The same seed and index give the same one; what is drawn may lack a prototype, which JSON has. */
export function drawPlan(seed: number, index: number, only: Only = {}): Plan {
  // A sample's first value would be one of extremes.
  const drawn = { seed: Math.imul(seed, 1_000_003) ^ index, numRuns: 1, unbiased: true };
  const [plan] = fc.sample(plans(only), drawn);
  if (plan === undefined) throw new Error("Nothing was drawn.");
  return structuredClone(plan);
}
