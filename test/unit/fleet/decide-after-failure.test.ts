import { expect, test } from "vitest";
import {
  type AfterFailure,
  type AfterFailureDecision,
  decideAfterFailure,
} from "../../../src/fleet/decide-after-failure.ts";
import { someCounts } from "../support/some-counts.ts";

const HALF_AN_HOUR = 1_800_000;

function decide(given: Partial<AfterFailure>): AfterFailureDecision {
  return decideAfterFailure({
    cancelRun: "auto",
    jobs: someCounts(),
    waitedMs: 0,
    ageMs: 60_000,
    machinelessMs: 0,
    ...given,
  });
}

/** What is known, and what follows with auto, with true. */
const CASES: [string, Partial<AfterFailure>, AfterFailureDecision, AfterFailureDecision][] = [
  ["one waits, nothing else is open", { jobs: someCounts({ waiting: 1 }) }, "cancel", "cancel"],
  ["one waits, another job is open", { jobs: someCounts({ waiting: 1, open: 1 }) }, "wait", "cancel"],
  [
    "the same for half an hour",
    { jobs: someCounts({ waiting: 1, open: 1 }), waitedMs: HALF_AN_HOUR },
    "cancel",
    "cancel",
  ],
  ["one waits, the others are over", { jobs: someCounts({ waiting: 1, othersCompleted: 3 }) }, "cancel", "cancel"],
  ["two wait", { jobs: someCounts({ waiting: 2 }) }, "cancel", "cancel"],
  [
    "two uses failed, and no machine lives",
    { jobs: someCounts({ waiting: 1, open: 2, rivals: 1 }), machinelessMs: 120_000 },
    "cancel",
    "cancel",
  ],
  [
    "the same, and one more job is open",
    { jobs: someCounts({ waiting: 1, open: 3, rivals: 1 }), machinelessMs: 120_000 },
    "wait",
    "cancel",
  ],
  [
    "the same two, and a machine lived a moment ago",
    { jobs: someCounts({ waiting: 1, open: 2, rivals: 1 }), machinelessMs: 119_999 },
    "wait",
    "cancel",
  ],
  ["one runs, one waits", { jobs: someCounts({ running: 1, waiting: 1 }) }, "leave", "leave"],
  ["one runs", { jobs: someCounts({ running: 1 }) }, "leave", "leave"],
  ["ours is over", { jobs: someCounts({ completed: ["failure"], open: 2 }) }, "leave", "leave"],
  ["ours is over, another one waits", { jobs: someCounts({ completed: ["failure"], waiting: 1 }) }, "cancel", "cancel"],
  ["none of ours, and none may come", { jobs: someCounts({ othersCompleted: 2 }) }, "leave", "leave"],
  ["the same a moment after the start: the list lags", { ageMs: 3000 }, "wait", "wait"],
  ["none of ours yet, another job is open", { jobs: someCounts({ open: 1 }) }, "wait", "wait"],
  ["the same for half an hour", { jobs: someCounts({ open: 1 }), waitedMs: HALF_AN_HOUR }, "leave", "leave"],
  ["the list can't be read", { jobs: undefined }, "wait", "wait"],
  ["the same for ten minutes", { jobs: undefined, waitedMs: 600_000 }, "leave", "leave"],
];

test.each(CASES)("%s: %j", (_what, given, withAuto, withTrue) => {
  expect(decide(given)).toBe(withAuto);
  expect(decide({ ...given, cancelRun: "true" })).toBe(withTrue);
  expect(decide({ ...given, cancelRun: "false" })).toBe("leave");
});
