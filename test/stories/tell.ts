import fc from "fast-check";
import { vi } from "vitest";
import { play } from "./play.ts";
import type { Story } from "./story.ts";

/** `STORY_SEED=… STORY_RUNS=… npx vitest run --project stories` tells others, or more. The usual ones are the same on every machine. */
const SEED = Number(process.env.STORY_SEED ?? 1);
const RUNS = Number(process.env.STORY_RUNS ?? 10_000);

/** Plays so many stories; the first that does not go as it should is made as short as it can be, and printed to be pasted as a test. */
export function tellStories(story: fc.Arbitrary<Story>): Map<string, number> {
  // The pause after an answer 429 is drawn.
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const ends = new Map<string, number>();
  const property = fc.property(story, (told) => {
    const { broken, end } = play(told);
    if (broken.length > 0) throw new Error(broken.join("\n"));
    const kind = end?.kind ?? "none";
    ends.set(kind, (ends.get(kind) ?? 0) + 1);
  });
  fc.assert(property, { seed: SEED, numRuns: RUNS, reporter: report });
  process.stdout.write(
    `${RUNS} stories, seed ${SEED}: ${[...ends].map(([kind, count]) => `${count} ${kind}`).join(", ")}\n`,
  );
  return ends;
}

function report(run: fc.RunDetails<[Story]>): void {
  if (!run.failed) return;
  const [story] = run.counterexample ?? [];
  const broken = (run.errorInstance as Error | undefined)?.message ?? "it throws";
  throw new Error(`Seed ${run.seed}, path ${run.counterexamplePath}: ${broken}\n${JSON.stringify(story)}`, {
    cause: run.errorInstance,
  });
}
