import { expect, test, vi } from "vitest";
import { everyInterleaving } from "./every-interleaving.ts";

test("two jobs on two machines, with one death anywhere: no invariant is broken in any reachable state", async () => {
  Error.stackTraceLimit = 0;
  vi.spyOn(Math, "random").mockReturnValue(0);
  const { acts, broken } = await everyInterleaving({ creates: 2, jobs: 2, machines: 2, faults: 0 });
  process.stdout.write(`two machines: ${Object.values(acts).reduce((sum, { states }) => sum + states, 0)} states\n`);
  expect(broken.map(({ invariant, trail }) => `${invariant}: ${trail.join(" / ")}`)).toEqual([]);
  // Both machines were there at the same time, and both jobs ran.
  expect(acts.main.tried).toContain("instance freezes");
  expect(acts.main.states).toBeGreaterThan(10_000);
});
