import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { play } from "./play.ts";
import { story } from "./story.ts";

const SEED = Number(process.env.STORY_SEED ?? 1);
const RUNS = Number(process.env.STORY_RUNS ?? 20_000);

test("every story ends as it should, and nothing is done on the way that must not be", () => {
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  process.stdout.write(`${RUNS} stories of the seed ${SEED} (STORY_SEED, STORY_RUNS)\n`);
  const ends = new Map<string, number>();
  fc.assert(
    fc.property(story, (told) => {
      const { broken, end } = play(told);
      ends.set(end.kind, (ends.get(end.kind) ?? 0) + 1);
      expect(broken).toEqual([]);
    }),
    { seed: SEED, numRuns: RUNS, endOnFailure: false },
  );
  process.stdout.write(`${[...ends].map(([kind, count]) => `${kind}: ${count}`).join(", ")}\n`);
});
