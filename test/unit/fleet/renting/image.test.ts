import { describe, expect, test } from "vitest";
import { Effects } from "../../../../src/fleet/effects.ts";
import type { FleetEvent } from "../../../../src/fleet/events.ts";
import { reduce } from "../../../../src/fleet/reduce.ts";
import { stopOf } from "../../../../src/fleet/renting/stop.ts";
import type { FleetState } from "../../../../src/fleet/state.ts";
import { aFleet, gpuJobs, NOW, someFacts } from "../../support/a-fleet.ts";
import { commands, decided, decideNow } from "../../support/decide-now.ts";
import { RentingWorld } from "../../support/renting-world.ts";

// An image that its registry did not have when main began: another job of the run may build it.

const SECOND = 1000;
const ASKS = { asksImage: true };

const waits = (given: Partial<FleetState> = {}) => aFleet([], { jobs: gpuJobs({ waiting: 1 }), ...given });

/** The same, and the registry said this, so long ago. */
function answered(missing: string | undefined, ago: number, fleet = waits()): FleetState {
  reduce(fleet, { kind: "ImageLookedUp", missing, askedAt: NOW - ago, at: NOW - ago });
  return fleet;
}

const stop = (fleet: FleetState) => stopOf(someFacts(fleet, ASKS));

describe("an image that was not there at the start", () => {
  test("is asked for when a job waits, and nothing is rented before the answer", () => {
    expect(commands(aFleet([], { jobs: gpuJobs({}) }), ASKS)).toEqual([]);
    expect(commands(waits(), ASKS)).toEqual(["look-up-image"]);
    expect(commands(waits())).toEqual(["create 51"]);
    expect(decideNow(waits(), ASKS).waitsFor).toBe("image");
    expect(commands(decided(waits(), ASKS), ASKS)).toEqual([]);
  });

  test("that is there now, or of which nobody can say, is rented for and not asked for again", () => {
    expect(commands(answered(undefined, 0), ASKS)).toEqual(["create 51"]);
    expect(commands(answered(undefined, 60 * SECOND), ASKS)).toEqual(["create 51"]);
  });

  test("that is missing is asked for again 15 s later, and stops the renting when it is missing still", () => {
    expect(commands(answered("NAME_UNKNOWN", 13 * SECOND), ASKS)).toEqual([]);
    const once = answered("NAME_UNKNOWN", 15 * SECOND);
    expect(commands(once, ASKS)).toEqual(["look-up-image"]);
    expect(stop(once)).toBeUndefined();
    expect(stop(answered("NAME_UNKNOWN", 2 * SECOND, once))).toBeUndefined();
    expect(stop(answered("NAME_UNKNOWN", 0, once))).toEqual({ id: "no-image", detail: "NAME_UNKNOWN" });
  });

  test("that turned up meanwhile, or was unknown between two words, begins anew", () => {
    const between = answered(undefined, 5 * SECOND, answered("NAME_UNKNOWN", 20 * SECOND));
    expect(commands(between, ASKS)).toEqual(["create 51"]);
    expect(stop(answered("NAME_UNKNOWN", 0, between))).toBeUndefined();
  });
});

test.each(["MANIFEST_UNKNOWN", undefined])("the registry's word becomes an event: %s", async (missing) => {
  const world = new RentingWorld();
  world.missing = missing;
  const events: FleetEvent[] = [];
  const at = world.clock.now();
  const effects = new Effects(world.deps, world.request(), (event) => void events.push(event));
  effects.start({ kind: "look-up-image" }, world.fleet);
  await world.clock.run(world.clock.sleep(SECOND));
  effects.empty();
  expect(events).toEqual([{ kind: "ImageLookedUp", askedAt: at, at, ...(missing && { missing }) }]);
});
