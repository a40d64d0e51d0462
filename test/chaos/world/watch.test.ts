import { expect, test } from "vitest";
import type { InstanceRecord } from "../../../simulator/service/rentals/instance-record.ts";
import type { SimulatedSession } from "../../support/simulated-session.ts";
import { facts } from "../rules/facts.ts";
import { Watch } from "./watch.ts";

const NAME = "gpu-4711-1-abcdef-1";
const RECORD = {
  id: 1,
  createdAt: 0,
  visibleAt: 0,
  offer: { dph_base: 0.3 },
  label: "ghr1.7.4711-1.abcdef.1.7200",
  events: [],
};

/** The watch of a GitHub that lists these runners, and has taken those away. */
function watching(seen: { now: number; listed: { id: number; name: string }[] }, takenAway: number[]) {
  const github = { runners: () => seen.listed, wasTakenAway: (id: number) => takenAway.includes(id) };
  const service = { books: { bill: () => undefined } };
  const session = { sim: { clock: { now: () => seen.now }, github, service }, run: { jobs: () => [] } };
  const watch = new Watch(facts({}).plan, session as unknown as SimulatedSession);
  const overAt = () => watch.instances([RECORD as unknown as InstanceRecord], "")[0]?.overAt;
  return { [Symbol.dispose]: () => watch[Symbol.dispose](), overAt };
}

test("a machine is over when its runner has gone, though one of that name was taken away before", () => {
  const seen = { now: 1000, listed: [{ id: 22, name: NAME }] };
  using watch = watching(seen, [22]);
  expect(watch.overAt()).toBe(undefined);
  Object.assign(seen, { now: 2000, listed: [{ id: 23, name: NAME }] });
  expect(watch.overAt()).toBe(undefined);
  Object.assign(seen, { now: 3000, listed: [] });
  expect(watch.overAt()).toBe(3000);
});

test("a machine is over when its last runner had its job, though an earlier one, burnt by a reboot, stays listed", () => {
  const [burnt, last] = [
    { id: 22, name: NAME },
    { id: 23, name: `${NAME}-2` },
  ];
  const seen = { now: 1000, listed: [burnt, last] };
  using watch = watching(seen, [22]);
  expect(watch.overAt()).toBe(undefined);
  Object.assign(seen, { now: 2000, listed: [burnt] });
  expect(watch.overAt()).toBe(2000);
  Object.assign(seen, { now: 9000, listed: [] });
  expect(watch.overAt()).toBe(2000);
});

test("a machine is not over while a later runner of it can still begin", () => {
  const seen = {
    now: 1000,
    listed: [
      { id: 22, name: NAME },
      { id: 23, name: `${NAME}-2` },
    ],
  };
  using watch = watching(seen, []);
  expect(watch.overAt()).toBe(undefined);
  Object.assign(seen, { now: 2000, listed: [{ id: 23, name: `${NAME}-2` }] });
  expect(watch.overAt()).toBe(undefined);
});
