import fc from "fast-check";
import type { Dialect } from "../../simulator/service/traffic/refusal.ts";
import { ANY_FAULT, type Fault } from "../stories/fault.ts";
import { anyOf, drawn, mostly, plainOf, type Values, whole } from "../stories/plan.ts";
import { ANY_DEATH, aRunJob, aStory, type Story } from "../stories/story.ts";
import { stories, TROUBLES } from "../stories/troubles.ts";

const QUIRKS = ["late runner", "clock ahead", "clock behind", "no key", "wrong key", "taken"] as const;
/** What stands behind an offer beside its story: a machine that only a real script can meet. */
export type Quirk = "none" | (typeof QUIRKS)[number];

/** Met by machines, which ask for themselves and destroy themselves. */
const OF_MACHINES = ANY_FAULT.filter(({ where }) => where === "get" || where === "destroy");

const ROUGH = {
  dialect: mostly<Dialect>("observed", fc.constant("seed")),
  machineFaults: mostly<Fault[]>([], fc.array(OF_MACHINES, { minLength: 1, maxLength: 2 }), 2),
  /** By which signal main dies if it is cancelled. */
  signal: drawn<"SIGINT" | "SIGTERM">("SIGTERM", fc.constantFrom("SIGINT", "SIGTERM")),
  quirks: drawn<Quirk[]>([], fc.array(mostly<Quirk>("none", fc.constantFrom(...QUIRKS), 5).any, { maxLength: 6 })),
  /** Ends the machines where post did not. `itself`: nobody sweeps until the label expires. */
  without: mostly<"sweep" | "itself">("sweep", fc.constant("itself"), 3),
};

/** What only real processes, sockets and machines can meet, beside a story. */
export type Rough = Values<typeof ROUGH>;

/** A run: a story, and what only real processes can meet. JSON, so that it can be written down. */
export interface Plan {
  story: Story;
  rough: Rough;
}

/** The plan in which nothing happens. */
export const PLAIN_PLAN: Plan = {
  story: aStory({ lifetimeS: 900, jobsOfRun: [aRunJob({ lastsS: 60 })] }),
  rough: plainOf(ROUGH),
};

const FATES = ["vanishes", "exits", "outbid", "silent", "runner away", "cut off"] as const;
const END = fc.record({ fate: fc.constantFrom(...FATES), fateS: whole(1, 60) });

/** Main and machines die more often than in virtual time: real signals meet real requests. */
const ANY_PLAN: fc.Arbitrary<Plan> = fc
  .record({
    story: stories(TROUBLES.filter(({ isVirtual }) => !isVirtual)),
    death: fc.option(ANY_DEATH, { nil: undefined, freq: 1 }),
    end: fc.option(END, { nil: undefined, freq: 1 }),
    rough: anyOf(ROUGH),
  })
  .map(({ death, end, rough, story }) => {
    const hosts = story.hosts.map((host) => (host.fate === "works" && !host.isDeaf ? { ...host, ...end } : host));
    return { rough, story: { ...story, hosts, death: story.death ?? death } };
  });

/** Draws a plan. The same seed and index give the same one; what is drawn may lack a prototype, which JSON has. */
export function drawPlan(seed: number, index: number): Plan {
  // A sample's first value would be one of extremes.
  const [plan] = fc.sample(ANY_PLAN, { seed: Math.imul(seed, 1_000_003) ^ index, numRuns: 1, unbiased: true });
  if (plan === undefined) throw new Error("Nothing was drawn.");
  return structuredClone(plan);
}
