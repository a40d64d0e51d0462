import fc from "fast-check";
import { vi } from "vitest";
import { aStory } from "./a-story.ts";
import { play } from "./play.ts";
import { shrink } from "./shrink.ts";
import type { Story } from "./story.ts";

/** `STORY_SEED=… STORY_RUNS=… npx vitest run --project stories` tells others, or more. */
const SEED = Number(process.env.STORY_SEED ?? 1);
const RUNS = Number(process.env.STORY_RUNS ?? 500);
/** Plays that make a broken story shorter. */
const MOST_SHORTER = 1500;

/** A story that was played, and the first rule that it broke. */
interface Told {
  end: string;
  broken: { rule: string; text: string } | undefined;
  events: readonly string[];
}

/**
 * Plays stories; the first that breaks a rule is made as short as can be, and printed. Returns the ends that they came
 * to.
 */
export async function tellStories(story: fc.Arbitrary<Story>): Promise<string[]> {
  // The pause after an answer 429 is drawn.
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const ends = new Map<string, number>();
  const property = fc.asyncProperty(story, async (given) => {
    const { broken, end } = await tell(given);
    ends.set(end, (ends.get(end) ?? 0) + 1);
    return broken === undefined;
  });
  const run = await fc.check(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
  if (run.failed) throw new Error(await describe(run));
  const lines = [...ends].map(([end, times]) => `  ${times} × ${end}`);
  process.stdout.write(`${RUNS} stories of seed ${SEED} came to these ends:\n${lines.join("\n")}\n`);
  return [...ends.keys()];
}

/** A story that throws breaks a rule, too. */
async function tell(story: Story): Promise<Told> {
  try {
    const { broken, end, world } = await play(story);
    const came = end === undefined ? "ended by another hand" : `${end.kind} ${end.error?.name ?? "well"}`;
    return { end: came, broken: broken[0], events: world.events };
  } catch (error) {
    return { end: "threw", broken: { rule: "it throws", text: "" }, events: [String((error as Error).stack)] };
  }
}

/** The seed, the shortest story that breaks the same rule, and what happens in it. */
async function describe(run: fc.RunDetails<[Story]>): Promise<string> {
  const [whole] = run.counterexample ?? [];
  const first = whole && (await tell(whole));
  if (whole === undefined || first?.broken === undefined) return "It could not be told.";
  const play = async (story: Story) => {
    const found = await tell(story);
    return found.broken?.rule === first.broken?.rule ? found : undefined;
  };
  const { broken: shortest = first, plan } = await shrink(whole, aStory(), { play, most: MOST_SHORTER, atOnce: 1 });
  const had = whole.had.join(", ") || "none";
  const what = `${shortest.broken?.rule}: ${shortest.broken?.text}`;
  const head = `Seed ${run.seed}, story ${run.numRuns}: ${what}. Troubles: ${had}.`;
  return [head, JSON.stringify(plan), ...shortest.events].join("\n");
}
