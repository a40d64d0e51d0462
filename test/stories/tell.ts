import fc from "fast-check";
import { vi } from "vitest";
import { type Played, play } from "./play.ts";
import type { Story } from "./story.ts";

/** `STORY_SEED=… STORY_RUNS=… npx vitest run --project stories` tells others, or more. */
const SEED = Number(process.env.STORY_SEED ?? 1);
const RUNS = Number(process.env.STORY_RUNS ?? 500);
/** `STORY_TALLY=1` goes on after a broken rule, and counts which rules broke under which troubles. */
const IS_TALLIED = process.env.STORY_TALLY !== undefined;

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
  const run = await fc.check(property, { seed: SEED, numRuns: RUNS });
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

/** The seed, the story, and what happened in it. */
async function describe(run: fc.RunDetails<[Story]>): Promise<string> {
  const [story] = run.counterexample ?? [];
  if (story === undefined) return "It could not be told.";
  const what = (run.errorInstance as Error | undefined)?.message ?? "it throws";
  const head = `Seed ${run.seed}, story ${run.numRuns}, path ${run.counterexamplePath}: ${what}. Troubles: ${story.had.join(", ") || "none"}.`;
  return [head, JSON.stringify(story), ...(await eventsOf(story))].join("\n");
}

/** A story that throws has its events in what it throws. */
async function eventsOf(story: Story): Promise<readonly string[]> {
  try {
    return (await play(story)).world.events;
  } catch (error) {
    return [String(error)];
  }
}
