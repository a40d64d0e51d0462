import { beforeAll, expect, test, vi } from "vitest";
import { everyInterleaving, type Seen } from "./every-interleaving.ts";
import { FAULTS } from "./service-in-world.ts";

const ONE = { creates: 1, jobs: 1, machines: 1 };
/** Without a death there is no end to what could be remembered. */
const SMALL = { ...ONE, deaths: 0 };

let seen: Seen;

beforeAll(async () => {
  // Nobody reads a stack here, and each costs as much as some turns.
  Error.stackTraceLimit = 0;
  // The service's client draws its jitter; the clock rounds it up anyway.
  vi.spyOn(Math, "random").mockReturnValue(0);
  // Two take minutes: asked for by hand.
  seen = await everyInterleaving(process.env.MODEL_MUTANTS === undefined ? ONE : { ...ONE, creates: 2 });
});

test("no invariant is broken in any reachable state", () => {
  const acts = Object.entries(seen.acts);
  const states = acts.reduce((sum, [, act]) => sum + act.states, 0);
  const each = acts.map(([name, act]) => `${name}: ${act.states} states, ${act.ends} ends, ${act.runs} runs`);
  process.stdout.write(
    `${each.join("\n")}\nexplored: ${states} states; post begins in ${seen.handovers.length} worlds, and leaves ${seen.ends} kinds of worlds to a sweep\n`,
  );
  expect(seen.broken.map(({ invariant, trail }) => `${invariant}: ${trail.join(" / ")}`)).toEqual([]);
});

test("every fault that the service knows was tried, in every act that meets it", () => {
  const tried = new Set(Object.values(seen.acts).flatMap((act) => [...act.tried]));
  const known = Object.entries(FAULTS).flatMap(([operation, faults]) =>
    faults.map((fault) => `${operation}: ${fault}`),
  );
  expect(known.filter((fault) => !tried.has(fault))).toEqual([]);
  // Post neither rents nor looks at what it did not destroy; it meets the rest.
  const ofPost = known.filter((fault) => !fault.startsWith("create"));
  expect(ofPost.filter((fault) => !seen.acts.post.tried.has(fault))).toEqual([]);
});

test.each(["SIGINT", "instance: job", "create comes true", "instance freezes", "instance gives itself back", "time"])(
  "main went through it: %s",
  (what) => {
    expect(seen.acts.main.tried.has(what)).toBe(true);
  },
);

test("what main is taken to have forgotten makes no difference to what it can leave behind", async () => {
  const [forgetting, remembering] = [await everyInterleaving(SMALL), await everyInterleaving(SMALL, {}, true)];
  expect(remembering.acts.main.states).toBeGreaterThan(1.5 * forgetting.acts.main.states);
  expect(remembering.broken).toEqual([]);
  expect([...remembering.handovers].sort()).toEqual([...forgetting.handovers].sort());
});
