import { describe, expect, test } from "vitest";
import { type Decision, tooManyJobs } from "../../../src/fleet/decision.ts";
import { TwoLooks } from "../../../src/jobs/two-looks.ts";

const GRAVE: Decision = { do: "rent-again", grave: true };
const HOLD: Decision = { do: "hold" };

/** Takes looks at the given seconds; the seconds at which a decision passed. */
function passedAt(looks: readonly (readonly [seconds: number, decision: Decision])[]): number[] {
  const twoLooks = new TwoLooks();
  return looks.flatMap(([at, decision]) => (twoLooks.confirm(decision, at * 1000) ? [at] : []));
}

test("a light decision passes at once", () => {
  expect(passedAt([[0, HOLD]])).toEqual([0]);
  expect(new TwoLooks().confirm(HOLD, 0)).toBe(HOLD);
});

test("a grave one passes at the second look, 15 s later", () => {
  expect(
    passedAt([
      [0, GRAVE],
      [15, GRAVE],
    ]),
  ).toEqual([15]);
});

describe("a grave one does not pass", () => {
  test("on two looks that follow each other faster", () => {
    expect(
      passedAt([
        [0, GRAVE],
        [5, GRAVE],
        [10, GRAVE],
        [15, GRAVE],
      ]),
    ).toEqual([15]);
  });

  test("when a look between came to something else", () => {
    expect(
      passedAt([
        [0, GRAVE],
        [15, HOLD],
        [30, GRAVE],
        [45, GRAVE],
      ]),
    ).toEqual([15, 45]);
  });

  test("when the second look came to another grave one", () => {
    const other: Decision = { do: "drop-machine", grave: true };
    expect(
      passedAt([
        [0, GRAVE],
        [15, other],
        [30, GRAVE],
        [45, GRAVE],
      ]),
    ).toEqual([45]);
  });

  test("when the number in its sentence is another", () => {
    expect(
      passedAt([
        [0, tooManyJobs(2)],
        [15, tooManyJobs(3)],
        [30, tooManyJobs(3)],
      ]),
    ).toEqual([30]);
  });
});

test("a failure that is not grave passes at once", () => {
  expect(passedAt([[0, { do: "fail", why: "Late.", hint: "Wait.", grave: false }]])).toEqual([0]);
});

test("it keeps passing as long as every look comes to it", () => {
  expect(
    passedAt([
      [0, GRAVE],
      [15, GRAVE],
      [30, GRAVE],
    ]),
  ).toEqual([15, 30]);
});
