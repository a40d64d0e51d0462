import { expect, test } from "vitest";
import { aStory } from "./a-story.ts";
import { MINUTE_MS, ROWS } from "./evidence.ts";
import { play } from "./play.ts";

test.each(ROWS)("$row: $story", async ({ also, given, goesWell }) => {
  for (const world of [given].flat()) {
    const played = await play(aStory(world));
    expect(played.broken.map(({ rule, text }) => `${rule}: ${text}`)).toEqual([]);
    if (goesWell !== undefined) {
      const { creates, startedWithinMs = 2 * MINUTE_MS } = goesWell;
      expect(played.end).toMatchObject({ kind: "over", bad: [], lost: [], error: undefined });
      expect(played.world.boxes.length).toBeLessThanOrEqual(creates);
      for (const { startedAt, queuedAt } of played.world.jobs)
        expect(startedAt - queuedAt).toBeLessThanOrEqual(startedWithinMs);
    }
    also?.(played);
  }
});
