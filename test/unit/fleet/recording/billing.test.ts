import { expect, test } from "vitest";
import { billingOf, selfEndsOf } from "../../../../src/fleet/recording/records.ts";
import { MAY_TURN_UP, NOTHING_LEFT, NOTHING_RENTED } from "../../../../src/money/errors.ts";
import { aFleet, asked, booting, inFlight, NOW, ready, refused, UNCERTAIN, unmade } from "../../support/a-fleet.ts";

test("nothing was rented, or nothing is any more", () => {
  expect(billingOf(undefined)).toBe(NOTHING_RENTED);
  expect(billingOf(aFleet())).toBe(NOTHING_RENTED);
  expect(billingOf(aFleet([ready(1, { goneAt: NOW })]))).toBe(NOTHING_LEFT);
});

test("each instance that is alive, two of one create included", () => {
  expect(billingOf(aFleet([ready(1), booting(2)]))).toBe("Instances 701, 702 are given back now.");
  const twins = { ...ready(1), instances: [...ready(1).instances, ...booting(2).instances] };
  expect(billingOf(aFleet([twins]))).toBe("Instances 701, 702 are given back now.");
});

test("a create without an answer may have made one more than those that are alive or not", () => {
  expect(billingOf(aFleet([unmade(1, UNCERTAIN)]))).toBe(MAY_TURN_UP);
  expect(billingOf(aFleet([ready(2), unmade(1, UNCERTAIN)]))).toBe(`Instance 702 is given back now. ${MAY_TURN_UP}`);
  expect(billingOf(aFleet([asked(1)]))).toBe(MAY_TURN_UP);
});

test("one that turned up is known", () => {
  const answer = { ...UNCERTAIN, at: NOW, jitter: 0 };
  expect(billingOf(aFleet([ready(1, { answer })]))).toBe("Instance 701 is given back now.");
  expect(billingOf(aFleet([ready(1, { answer, goneAt: NOW })]))).toBe(NOTHING_LEFT);
});

test("a refused create is no instance once a later list lacks it", () => {
  expect(billingOf(aFleet([inFlight(1, refused("rejected"))]))).toBe(MAY_TURN_UP);
  expect(MAY_TURN_UP).not.toContain("no reply");
  expect(billingOf(aFleet([unmade(1, refused("rejected"))]))).toBe(NOTHING_RENTED);
});

test("until when each machine ends by itself, should there be no post", () => {
  const gone = ready(2, { goneAt: NOW });
  expect(selfEndsOf(aFleet([ready(1), gone]))).toBe(
    // Its runner is online for ten seconds.
    "Without a post step they end by themselves: machine 1 by 1970-01-01T02:59:50.000Z.",
  );
  expect(selfEndsOf(aFleet([booting(1)]))).toContain("machine 1 by 1970-01-01T03:00:00.000Z.");
  expect(selfEndsOf(aFleet([gone]))).toBe("");
  expect(selfEndsOf(undefined)).toBe("");
});
