import { beforeAll, expect, test, vi } from "vitest";
import { everyInterleaving } from "./every-interleaving.ts";
import { GITHUB_FAULTS } from "./github-in-world.ts";
import { FAULTS } from "./service-in-world.ts";

const TWO = { creates: 2, jobs: 2, machines: 2 };
const LONGEST_MS = 3_600_000;

beforeAll(() => {
  Error.stackTraceLimit = 0;
  vi.spyOn(Math, "random").mockReturnValue(0);
});

test("two jobs on two machines, with one death anywhere: no invariant is broken in any reachable state", async () => {
  const { acts, broken } = await everyInterleaving({ ...TWO, faults: 0 });
  process.stdout.write(`two machines: ${Object.values(acts).reduce((sum, { states }) => sum + states, 0)} states\n`);
  expect(broken.map(({ invariant, trail }) => `${invariant}: ${trail.join(" / ")}`)).toEqual([]);
  // Both machines were there at the same time, and both jobs ran.
  expect(acts.main.tried).toContain("instance freezes");
  expect(acts.main.states).toBeGreaterThan(10_000);
});

// Minutes for each, and all of them do not fit into memory at a time: asked for by hand.
const asked =
  process.env.MODEL_MUTANTS === undefined ? [] : [...new Set([...Object.values(FAULTS).flat(), ...GITHUB_FAULTS])];

test.each(asked)(
  "the same with one fault more, '%s', anywhere",
  async (fault) => {
    const { acts, broken } = await everyInterleaving({ ...TWO, fault });
    const states = Object.values(acts).reduce((sum, act) => sum + act.states, 0);
    process.stdout.write(`two machines and '${fault}': ${states} states\n`);
    expect(broken.map(({ invariant, trail }) => `${invariant}: ${trail.join(" / ")}`)).toEqual([]);
    const tried = Object.values(acts).flatMap((act) => [...act.tried]);
    expect(tried.some((turn) => turn.endsWith(`: ${fault}`))).toBe(true);
  },
  LONGEST_MS,
);
