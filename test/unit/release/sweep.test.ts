import { beforeEach, describe, expect, test } from "vitest";
import type { AttemptState } from "../../../src/release/leftovers.ts";
import { aliveAfter, type Sweep, type Sweeping, sweepAll, sweepOnce } from "../../../src/release/sweep.ts";
import { labelText, SWEEPER } from "../support/a-leftover.ts";
import { clock, freshWorld, log, service } from "../support/fresh-world.ts";
import { FAULTS } from "../support/service-faults.ts";

freshWorld();

let states: Map<number, AttemptState | (() => AttemptState)>;
let stop: AbortController;

beforeEach(() => {
  states = new Map();
  stop = new AbortController();
});

function sweeping(given: Partial<Sweeping> = {}): Sweeping {
  return {
    service,
    clock,
    log,
    sweeper: SWEEPER,
    askAttempt: async ({ runId }) => {
      const state = states.get(runId) ?? { kind: "unknown", why: "no answer" };
      return typeof state === "function" ? state() : state;
    },
    maxDestroy: 20,
    isDryRun: false,
    signal: stop.signal,
    ...given,
  };
}

const sweepWhole = (given: Partial<Sweeping> = {}) => clock.run(sweepAll(sweeping(given)));
const fates = (sweep: Sweep) => Object.fromEntries(sweep.ours.map(({ owned, fate }) => [owned.id, fate.kind]));
const put = (...labels: string[]) => {
  for (const [index, label] of labels.entries()) service.put({ id: index + 1, label });
};
const expired = () => labelText({ expiry: clock.now() - 1000 });
const completed = (): AttemptState => ({ kind: "completed", since: clock.start - 3_600_000 });

test("destroys what must go, leaves what may stay, counts what is foreign", async () => {
  put(expired(), labelText({ runId: 1 }), labelText({ runId: 2 }), "my notebook");
  states.set(1, completed()).set(2, { kind: "open" });
  const sweep = await sweepWhole();
  expect(fates(sweep)).toEqual({ 1: "destroyed", 2: "destroyed", 3: "left" });
  expect(sweep).toMatchObject({ seen: 4, foreign: 1 });
  expect([...service.instances.keys()]).toEqual([3, 4]);
  expect(aliveAfter(sweep).map(({ id }) => id)).toEqual([3]);
});

test("what has expired by our clock alone is asked about, and stays while its run goes on", async () => {
  service.put({ id: 1, label: labelText({ runId: 1, expiry: clock.now() - 1000 }) });
  states.set(1, { kind: "open" });
  service.aheadMs = -3_600_000;
  expect((await sweepWhole()).ours).toMatchObject([{ fate: { kind: "left", why: "its run is not over" } }]);
});

test("nothing of an instance but its id, run and attempt is shown", async () => {
  service.put({ id: 1, label: expired(), message: "::error::x" });
  await sweepWhole();
  expect(log.lines).toEqual([
    expect.stringMatching(/^Leftover instance 1 \(run 4711, attempt 1\) is destroyed: its time was up at 2025-12-31T/),
  ]);
});

test("what is gone already when it is asked for had given itself back", async () => {
  service.put({ id: 1, label: expired() });
  service.next("destroy", () => (service.instances.delete(1) ? "gone" : "asked"));
  expect(fates(await sweepWhole())).toEqual({ 1: "was-gone" });
  // It was listed, so that "there is none" needs no minute to be believed.
  expect(clock.elapsed).toBe(0);
});

describe("a run that ended less than a minute ago", () => {
  beforeEach(() => {
    put(labelText({ runId: 1 }));
    states.set(1, { kind: "completed", since: clock.start - 20_000 });
  });

  test("is looked at again after the rest of the minute, by a new list", async () => {
    expect(fates(await sweepWhole())).toEqual({ 1: "destroyed" });
    expect(service.of("list").map(({ at }) => at)).toEqual([0, 40]);
    expect(service.of("destroy").map(({ at }) => at)).toEqual([40]);
  });

  test("and whose machine gave itself back meanwhile is no longer there", async () => {
    clock.at(10_000, () => service.instances.delete(1));
    expect(fates(await sweepWhole())).toEqual({});
    expect(service.of("destroy")).toEqual([]);
  });

  test("keeps nothing else waiting, and what the first look did is reported at the end", async () => {
    service.put({ id: 2, label: expired() });
    expect(fates(await sweepWhole())).toEqual({ 1: "destroyed", 2: "destroyed" });
    expect(service.of("destroy").map(({ at, id }) => `${id} at ${at}`)).toEqual(["2 at 0", "1 at 40"]);
  });

  test("is waited for once: what ended meanwhile is the next sweep's", async () => {
    service.put({ id: 2, label: labelText({ runId: 2 }) });
    const ended = { kind: "completed", since: clock.start + 30_000 } as const;
    states.set(2, () => (clock.elapsed < 30_000 ? { kind: "open" } : ended));
    expect(fates(await sweepWhole())).toEqual({ 1: "destroyed", 2: "left" });
  });
});

test("max-destroy counts both looks", async () => {
  put(labelText({ runId: 1 }), expired(), labelText({ runId: 1 }));
  states.set(1, { kind: "completed", since: clock.start });
  expect(fates(await sweepWhole({ maxDestroy: 2 }))).toEqual({ 1: "destroyed", 2: "destroyed", 3: "left" });
});

test("a dry run destroys nothing, and waits for nothing", async () => {
  put(expired(), labelText({ runId: 1 }));
  states.set(1, { kind: "completed", since: clock.start - 20_000 });
  const sweep = await sweepWhole({ isDryRun: true });
  expect(fates(sweep)).toEqual({ 1: "would-go", 2: "left" });
  expect(aliveAfter(sweep)).toHaveLength(2);
  expect([service.of("destroy"), clock.elapsed]).toEqual([[], 0]);
});

test("one that is refused keeps the others from nothing, and is named with the service's reason", async () => {
  put(expired(), expired());
  const usual = service.destroy.bind(service);
  service.destroy = async (id) => {
    if (id === 1) throw FAULTS.forbidden;
    return await usual(id);
  };
  const sweep = await sweepWhole();
  expect(fates(sweep)).toEqual({ 1: "refused", 2: "destroyed" });
  expect(sweep.ours[0]?.fate.why).toContain("(403)");
  expect(aliveAfter(sweep).map(({ id }) => id)).toEqual([1]);
});

test("a second look that fails hides nothing of the first: what could not be destroyed is reported", async () => {
  put(expired(), labelText({ runId: 1 }));
  states.set(1, { kind: "completed", since: clock.start });
  service.always("destroy", FAULTS.forbidden);
  clock.at(1000, () => service.always("list", FAULTS.down));
  const sweep = await sweepWhole();
  expect(fates(sweep)).toEqual({ 1: "refused", 2: "left" });
  expect(sweep.fault).toBe(FAULTS.down);
});

test("when its time is over it ends at once, and reports what it did not get done", async () => {
  put(expired(), expired());
  // The service never says that the second one is gone.
  service.always("destroy", "asked");
  clock.at(5000, () => stop.abort(new Error("time over")));
  const sweep = await clock.run(sweepOnce(sweeping(), await service.list(), clock.start));
  expect(fates(sweep)).toEqual({ 1: "refused", 2: "refused" });
  expect(sweep.ours[0]?.fate.why).toBe("the time for it was over");
  expect(clock.elapsed).toBe(5000);
});
