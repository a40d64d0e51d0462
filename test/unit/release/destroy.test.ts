import { beforeEach, describe, expect, test } from "vitest";
import { type Course, courseOf, destroyOnce, howGone, notDestroyed } from "../../../src/release/destroy.ts";
import { InstanceNotDestroyedError } from "../../../src/release/errors.ts";
import { clock, freshWorld, log, service } from "../support/fresh-world.ts";
import { FAULTS } from "../support/service-faults.ts";

freshWorld();

let course: Course;

beforeEach(() => {
  service.put({ id: 7 });
  course = aCourse();
});

/** `ageSeconds`: how old the instance is. */
function aCourse(ageSeconds: number | "nobody knows" = 600, wasListed = false): Course {
  const createdAt = ageSeconds === "nobody knows" ? undefined : clock.start - ageSeconds * 1000;
  return courseOf({ id: 7, createdAt, wasListed }, clock.now());
}

const asking = (isMissing = false) => clock.run(destroyOnce({ service, clock, log }, course, isMissing));
const calls = () => service.calls.map(({ method }) => method);

test("asks once, looks by id, and it is gone; one that the service never knew had given itself back", async () => {
  expect(await asking()).toBe(true);
  expect(calls()).toEqual(["destroy", "get"]);
  expect([howGone(course), course.goneAt]).toEqual(["destroyed", clock.start]);
  course = aCourse();
  expect(await asking()).toBe(true);
  expect(howGone(course)).toBe("was-gone");
});

test("one that counted as gone and is there after all is not gone", async () => {
  service.next("destroy", "asked");
  service.next("get", "gone");
  expect([await asking(), await asking()]).toEqual([true, true]);
  service.put({ id: 7 });
  service.next("destroy", FAULTS.down);
  expect(await asking()).toBe(false);
});

describe('"there is no such instance" counts only for one that', () => {
  beforeEach(() => service.instances.clear());

  test.each<[string, number | "nobody knows", boolean, boolean]>([
    ["is a minute old", 60, false, true],
    ["was listed once", 0, true, true],
    ["not for a fresh one", 59, false, false],
    ["not for one of unknown age", "nobody knows", false, false],
  ])("%s", async (_which, ageSeconds, wasListed, isGone) => {
    course = aCourse(ageSeconds, wasListed);
    expect(await asking()).toBe(isGone);
  });

  test("the service took, and knows none of when asked again", async () => {
    course = aCourse(0);
    service.next("destroy", "asked");
    expect([await asking(), await asking()]).toEqual([false, true]);
    expect(howGone(course)).toBe("destroyed");
  });
});

const { forbidden, ...unclear } = FAULTS;

test.each([
  ...Object.entries(unclear).map(([what, fault]) => [what, fault, "destroyed"] as const),
  ["a refused key", forbidden, "was-gone"] as const,
])("a request that is no clear yes: the look decides, and who ended it is: %s", async (_what, fault, how) => {
  service.always("destroy", fault);
  expect(await asking()).toBe(false);
  service.instances.clear();
  expect(await asking()).toBe(true);
  expect(howGone(course)).toBe(how);
});

test.each([FAULTS.unreadable, FAULTS.tooFast, FAULTS.down])("a look that fails is no evidence: %s", async (fault) => {
  service.next("get", fault);
  expect([await asking(), await asking()]).toEqual([false, true]);
});

test.each([
  ["was never asked for: the list may be short", undefined, false, ["destroy", "get"]],
  ["was asked for: it is only looked at", FAULTS.noAnswer, true, ["destroy", "get", "get"]],
])("one that a list lacks, and that %s", async (_which, fault, isOver, expected) => {
  if (fault !== undefined) service.next("destroy", fault);
  if (fault !== undefined) await asking();
  if (isOver) service.instances.clear();
  expect(await asking(true)).toBe(true);
  expect(calls()).toEqual(expected);
});

describe("what it says", () => {
  test("a request and a look that both fail, time and again, are logged once each; the error names the request's", async () => {
    service.always("destroy", FAULTS.noAnswer);
    service.always("get", FAULTS.down);
    await asking();
    await asking(true);
    expect(log.lines).toHaveLength(2);
    expect(log.lines[0]).toContain("Instance 7 is not destroyed yet");
    const error = notDestroyed(course);
    expect(error).toBeInstanceOf(InstanceNotDestroyedError);
    expect(error.message).toContain(FAULTS.noAnswer.message);
    expect(error.message).toContain("Instance 7 may still be billing");
  });

  test("a service that says yes, and lists it on: it is still listed", async () => {
    service.always("destroy", "asked");
    expect([await asking(), await asking()]).toEqual([false, false]);
    expect(calls()).toEqual(["destroy", "get", "destroy", "get"]);
    expect(notDestroyed(course).message).toContain("it is still listed");
  });
});

test("an abort ends it with its reason", async () => {
  const signal = AbortSignal.abort(new Error("cancelled"));
  service.always("destroy", FAULTS.noAnswer);
  await expect(destroyOnce({ service, clock, log, signal }, course)).rejects.toThrow("cancelled");
});
