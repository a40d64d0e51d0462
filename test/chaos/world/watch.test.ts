import { expect, test } from "vitest";
import type { InstanceRecord } from "../../../simulator/service/rentals/instance-record.ts";
import type { UseOfAction } from "../../support/use-of-action.ts";
import { facts } from "../rules/facts.ts";
import { Watch } from "./watch.ts";

const NAME = "gpu-4711-1-abcdef-1";
const RECORD = { id: 1, createdAt: 0, visibleAt: 0, label: "ghr1.7.4711-1.abcdef.1.7200", events: [] };

test("a machine is over when its runner has gone, though one of that name was taken away before", () => {
  const seen = { now: 1000, listed: [{ id: 22, name: NAME }] };
  const use = {
    sim: {
      clock: { now: () => seen.now },
      github: { runners: () => seen.listed, wasTakenAway: (id: number) => id === 22 },
    },
    run: { jobs: () => [] },
  } as unknown as UseOfAction;
  using watch = new Watch(facts({}).plan, use);
  const overAt = () => watch.instances([RECORD as unknown as InstanceRecord], "")[0]?.overAt;
  expect(overAt()).toBe(undefined);
  Object.assign(seen, { now: 2000, listed: [{ id: 23, name: NAME }] });
  expect(overAt()).toBe(undefined);
  Object.assign(seen, { now: 3000, listed: [] });
  expect(overAt()).toBe(3000);
});
