import fc from "fast-check";
import { vi } from "vitest";
import { play } from "./play.ts";
import type { Story } from "./story.ts";

/** `STORY_SEED=… STORY_RUNS=… npx vitest run --project stories` tells others, or more. */
const SEED = Number(process.env.STORY_SEED ?? 1);
const RUNS = Number(process.env.STORY_RUNS ?? 10_000);

/** Plays stories; the first broken one is made as short as can be, and printed as a test. */
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
