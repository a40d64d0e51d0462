import { beforeEach, describe, expect, test } from "vitest";
import { Fleet } from "../../../src/fleet/fleet.ts";
import { FakeRunners } from "../support/fake-runners.ts";
import { FakeService } from "../support/fake-service.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { FAULTS } from "../support/service-faults.ts";

const STRAY = "ghr1.1.2-1.abcdef.1.1798761600";
const { signal } = new AbortController();

let clock: HandWoundClock;
let service: FakeService;
let runners: FakeRunners;
let fleet: Fleet;

beforeEach(() => {
  clock = new HandWoundClock();
  service = new FakeService(clock);
  runners = new FakeRunners();
  fleet = new Fleet({ service: service.client, runners, clock, log: new RecordedLog() });
  service.put({ id: 7, label: "ghr1.1.2-1.abcdef.2.1798761600" });
});

const look = () => clock.run(fleet.look(7, signal));

test("looks by id as long as every create has an outcome", async () => {
  expect(await look()).toMatchObject({ id: 7 });
  expect(service.calls).toMatchObject([{ operation: "getInstance", id: 7 }]);
  expect(fleet.mayGrow).toBe(false);
});

test("undefined when the service says that there is none", async () => {
  service.instances.clear();
  expect(await look()).toBeUndefined();
});

test("a look that fails is no look: nothing is said to be gone", async () => {
  service.always("getInstance", FAULTS.unreadable);
  await expect(look()).rejects.toBe(FAULTS.unreadable);
});

describe("a create that gave no answer may still come true", () => {
  beforeEach(() => {
    fleet.expectStray(STRAY, 21);
  });

  test("so each look is a look at the list", async () => {
    expect(await look()).toMatchObject({ id: 7 });
    expect(service.calls.map(({ operation }) => operation)).toEqual(["listInstances"]);
    expect(fleet.mayGrow).toBe(true);
    expect(runners.removals).toEqual([]);
  });

  test("a stray is destroyed, its runner first", async () => {
    service.put({ id: 6, label: STRAY });
    expect(await look()).toMatchObject({ id: 7 });
    expect(runners.removals).toEqual([21]);
    expect([...service.instances.keys()]).toEqual([7]);
  });

  test.each(["busy", "unknown"] as const)("one whose runner may have the job stays (%s)", async (answer) => {
    service.put({ id: 6, label: STRAY });
    runners.removal = answer;
    await look();
    expect([...service.instances.keys()]).toEqual([7, 6]);
  });

  test("the machine itself is no stray, whatever it is labelled", async () => {
    service.put({ id: 7, label: STRAY });
    await look();
    expect([...service.instances.keys()]).toEqual([7]);
    expect(runners.removals).toEqual([]);
  });

  test("other people's instances are none either", async () => {
    service.put({ id: 5, label: `${STRAY}0` });
    service.put({ id: 6 });
    await look();
    expect([...service.instances.keys()]).toEqual([7, 5, 6]);
  });
});
