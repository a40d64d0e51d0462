import fc from "fast-check";
import { vi } from "vitest";
import { aStory } from "./a-story.ts";
import { type Played, play } from "./play.ts";
import { shrink } from "./shrink.ts";
import type { Story } from "./story.ts";

/** `STORY_SEED=… STORY_RUNS=… npx vitest run --project stories` tells others, or more. */
const SEED = Number(process.env.STORY_SEED ?? 1);
const RUNS = Number(process.env.STORY_RUNS ?? 500);
/** `STORY_TALLY=1` goes on after a broken rule, and counts which rules broke under which troubles. */
const IS_TALLIED = process.env.STORY_TALLY !== undefined;
/** Plays that make a broken story shorter. */
const MOST_SHORTER = 1500;

/** How often something came, and in which story first. */
class Tally {
  readonly #counts = new Map<string, { times: number; first: number }>();

  note(what: string, story: number): void {
    const { first, times } = this.#counts.get(what) ?? { first: story, times: 0 };
    this.#counts.set(what, { first, times: times + 1 });
  }

  get names(): string[] {
    return [...this.#counts.keys()];
  }

  toString(): string {
    const counts = [...this.#counts].sort(([, left], [, right]) => left.first - right.first);
    return counts.map(([what, { first, times }]) => `  ${times} × ${what} (first in story ${first})`).join("\n");
  }
}

/**
 * Plays stories; the first that breaks a rule is made as short as can be, and printed. Returns the
 * ends that they came to.
 */
export async function tellStories(story: fc.Arbitrary<Story>): Promise<string[]> {
  // The pause after an answer 429 is drawn.
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const ends = new Tally();
  const rules = new Tally();
  let told = 0;
  const property = fc.asyncProperty(story, async (given) => {
    told += 1;
    const { broken, end } = await playOrTell(given);
    const [first] = broken;
    if (first !== undefined && !IS_TALLIED) throw new Error(`${first.rule}: ${first.text}`);
    if (first !== undefined) rules.note(`${given.had.join(" + ") || "no trouble"}: ${first.rule}`, told);
    ends.note(end === undefined ? "ended by another hand" : `${end.kind} ${end.error?.name ?? "well"}`, told);
  });
  const run = await fc.check(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
  if (run.failed) throw new Error(await describe(run));
  process.stdout.write(`${RUNS} stories of seed ${SEED} came to these ends:\n${ends}\n`);
  if (rules.names.length > 0) process.stdout.write(`These rules broke:\n${rules}\n`);
  return ends.names;
}

/** A story that throws breaks a rule, too. */
async function playOrTell(given: Story): Promise<Pick<Played, "broken" | "end">> {
  try {
    return await play(given);
  } catch (error) {
    if (!IS_TALLIED) throw error;
    return { broken: [{ rule: "every story ends, and no fault is a bug", text: String(error) }], end: undefined };
  }
}

/** The rule that a story breaks, in words, and what happened in it; undefined: none. */
async function brokenIn(story: Story): Promise<{ rule: string; text: string; events: readonly string[] } | undefined> {
  try {
    const { broken, world } = await play(story);
    return broken[0] && { ...broken[0], events: world.events };
  } catch (error) {
    return { rule: "it throws", text: "", events: [String((error as Error).stack)] };
  }
}

/** The seed, the shortest story that breaks the same rule, and what happens in it. */
async function describe(run: fc.RunDetails<[Story]>): Promise<string> {
  const [whole] = run.counterexample ?? [];
  const first = whole && (await brokenIn(whole));
  if (whole === undefined || first === undefined) return "It could not be told.";
  const play = async (story: Story) => {
    const found = await brokenIn(story);
    return found?.rule === first.rule ? found : undefined;
  };
  const { broken = first, plan } = await shrink(whole, aStory(), { play, most: MOST_SHORTER, atOnce: 1 });
  const { events, rule, text } = broken;
  const had = whole.had.join(", ") || "none";
  const head = `Seed ${run.seed}, story ${run.numRuns}: ${rule}: ${text}. Troubles: ${had}.`;
  return [head, JSON.stringify(plan), ...events].join("\n");
}
