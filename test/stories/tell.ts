import fc from "fast-check";
import { vi } from "vitest";
import { brokenForNow } from "./known-red.ts";
import { play } from "./play.ts";
import type { Broken, Rule } from "./rule.ts";
import type { Story } from "./story.ts";

/** `STORY_SEED=… STORY_RUNS=… npx vitest run --project stories` tells others, or more. */
const SEED = Number(process.env.STORY_SEED ?? 1);
const RUNS = Number(process.env.STORY_RUNS ?? 250);

/** What many stories came to. */
export interface Told {
  ends: Map<string, number>;
  /** Of each rule that the code is known to break: in how many stories it did. */
  known: Map<Rule, number>;
}

/** Plays stories; the first that breaks a rule is made as short as can be, and printed. */
export async function tellStories(story: fc.Arbitrary<Story>): Promise<Told> {
  // The pause after an answer 429 is drawn.
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const known = brokenForNow();
  const told: Told = { ends: new Map(), known: new Map() };
  const property = fc.asyncProperty(story, async (given) => {
    const { broken, end } = await play(given);
    const [news] = broken.filter(({ rule }) => !known.has(rule));
    if (news !== undefined) throw new Error(`${news.rule}: ${news.text}`);
    for (const { rule } of broken) told.known.set(rule, (told.known.get(rule) ?? 0) + 1);
    const kind = end === undefined ? "ended by another hand" : `${end.kind} ${end.error?.name ?? "well"}`;
    told.ends.set(kind, (told.ends.get(kind) ?? 0) + 1);
  });
  const run = await fc.check(property, { seed: SEED, numRuns: RUNS, interruptAfterTimeLimit: 3_600_000 });
  if (run.failed) throw new Error(await describe(run));
  process.stdout.write(`${RUNS} stories, seed ${SEED}: ${inWords(told.ends)}\n`);
  if (told.known.size > 0) process.stdout.write(`Rules that are known to be broken: ${inWords(told.known)}\n`);
  return told;
}

function inWords(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([what, count]) => `${count} ${what}`).join(", ");
}

/** The seed, the story, and what happened in it. */
async function describe(run: fc.RunDetails<[Story]>): Promise<string> {
  const [story] = run.counterexample ?? [];
  if (story === undefined) return "It could not be told.";
  const what = (run.errorInstance as Error | undefined)?.message ?? "it throws";
  const head = `Seed ${run.seed}, story ${run.numRuns}, path ${run.counterexamplePath}: ${what}`;
  return [head, JSON.stringify(story), ...(await eventsOf(story))].join("\n");
}

async function eventsOf(story: Story): Promise<readonly string[]> {
  const played: { broken: readonly Broken[]; world: { events: readonly string[] } } = await play(story);
  return played.world.events;
}
