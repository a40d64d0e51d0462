import { beforeEach, expect, test } from "vitest";
import { growing, ServicePace } from "../../../../src/marketplace/vast/connection.ts";
import { clock, freshWorld } from "../../support/fresh-world.ts";

freshWorld();

const CREATE = { intervalMs: 4500, until: Number.POSITIVE_INFINITY };

let pace: ServicePace;
/** Who had a turn, and when, in milliseconds. */
let turns: string[];

beforeEach(() => {
  pace = new ServicePace(clock);
  turns = [];
});

async function turn(name: string, given: Partial<typeof CREATE & { signal: AbortSignal }> = {}, operation = "create") {
  await pace.turn(operation, { ...CREATE, ...given });
  turns.push(`${name} ${clock.elapsed}`);
}

test("calls of one operation leave at its interval and a margin, in the order in which they came", async () => {
  await clock.run(Promise.all([turn("a"), turn("b"), turn("c")]));
  expect(turns).toEqual(["a 0", "b 5000", "c 10000"]);
});

test("operations don't wait for one another, and one without an interval never waits", async () => {
  const search = (name: string) => turn(name, { intervalMs: 0 }, "search");
  await clock.run(Promise.all([turn("a"), turn("b", {}, "list"), search("c"), search("d")]));
  expect(turns.toSorted()).toEqual(["a 0", "b 0", "c 0", "d 0"]);
});

test("a call that is aborted while it waits keeps no other one waiting", async () => {
  const stop = new AbortController();
  clock.at(1000, () => stop.abort(new Error("cancelled")));
  const given = [turn("a"), turn("b", { signal: stop.signal }).catch(() => {}), turn("c")];
  await clock.run(Promise.all(given));
  expect(turns).toEqual(["a 0", "c 5000"]);
});

const refusedAt = async (times: number) => {
  for (let nth = 0; nth < times; nth += 1) pace.note("create", { waitMs: 4500 });
  await clock.run(turn("a"));
  return clock.elapsed;
};

test.each([
  [1, 4500],
  [3, 18_000],
  [9, 23_000],
])("an answer 429, the %i. in a row: at least %i ms, a third more and 30 s at the most", async (times, least) => {
  const waited = await refusedAt(times);
  expect(waited).toBeGreaterThanOrEqual(least);
  expect(waited).toBeLessThanOrEqual(Math.min(30_000, least * 1.31));
});

test("an answer 429, is forgotten with the next other answer", async () => {
  pace.note("create", { waitMs: 4500 });
  pace.note("create", undefined);
  pace.note("create", { waitMs: 4500 });
  await clock.run(turn("a"));
  expect(clock.elapsed).toBeLessThanOrEqual(4500 * 1.31);
});

test.each([
  [0, 1, 1000],
  [0, 3, 4000],
  [0, 9, 23_000],
  [600_000, 5, 600_000],
])("a pause of %i ms is at the %i. time %i ms and some seconds, never the same for all", (first, times, least) => {
  const drawn = Array.from({ length: 50 }, () => growing(first, times));
  expect(Math.min(...drawn)).toBeGreaterThanOrEqual(least);
  expect(Math.max(...drawn)).toBeLessThanOrEqual(least + Math.min(9000, least * 0.3 + 1));
  expect(new Set(drawn).size).toBeGreaterThan(1);
});

test("where the service asks for 30 s, a pause has no more, however often it said so", () => {
  expect(growing(30_000, 9)).toBe(30_000);
});
