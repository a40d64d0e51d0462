import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { play } from "./play.ts";
import { shrink } from "./shrink.ts";
import { aStory, type Story } from "./story.ts";
import { stories } from "./troubles.ts";

/** `STORY_SEED=… STORY_RUNS=… npx vitest run --project stories` tells others, or more. */
const SEED = Number(process.env.STORY_SEED ?? 1);
const RUNS = Number(process.env.STORY_RUNS ?? 300);
/** Plays that make a broken story shorter. */
const MOST_SHORTER = 1500;

/** The end of a story, the first rule that it broke, and its events. A story that throws breaks a rule, too. */
async function tell(story: Story) {
  try {
    const { broken, end, world } = await play(story);
    const came = end === undefined ? "ended by another hand" : `${end.kind} ${end.error?.name ?? "well"}`;
    return { end: came, broken: broken[0], events: world.events };
  } catch (error) {
    return { end: "threw", broken: { rule: "it throws", text: "" }, events: [String((error as Error).stack)] };
  }
}

/** The shortest story that breaks the same rule as this one, and what happens in it. */
async function shortest(whole: Story): Promise<string> {
  const first = await tell(whole);
  const again = async (story: Story) => {
    const found = await tell(story);
    return found.broken?.rule === first.broken?.rule ? found : undefined;
  };
  const shrunk = await shrink(whole, aStory(), { play: again, most: MOST_SHORTER, atOnce: 1 });
  const { broken, events } = shrunk.broken ?? first;
  const head = `${broken?.rule}: ${broken?.text}. Troubles: ${whole.had.join(", ") || "none"}.`;
  return [head, JSON.stringify(shrunk.plan), ...events].join("\n");
}

test("whatever happens, no rule is broken", async () => {
  // The pause after an answer 429 is drawn.
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const ends = new Map<string, number>();
  const property = fc.asyncProperty(stories(), async (given) => {
    const { broken, end } = await tell(given);
    ends.set(end, (ends.get(end) ?? 0) + 1);
    return broken === undefined;
  });
  // Nobody reads where an error of a story was made, unless it is told again. A third of the time goes into that.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const run = await fc.check(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
  Error.stackTraceLimit = stackTraceLimit;
  const [broken] = run.counterexample ?? [];
  if (broken !== undefined) throw new Error(`Seed ${SEED}, story ${run.numRuns}: ${await shortest(broken)}`);
  const lines = [...ends].map(([end, times]) => `  ${times} × ${end}`);
  process.stdout.write(`${RUNS} stories of seed ${SEED} came to these ends:\n${lines.join("\n")}\n`);
  // The stories reach the ends that matter.
  for (const end of ["over well", "over GpuJobFailedError", "over MachineLostError"])
    expect([...ends.keys()]).toContain(end);
});
