import { expect, test } from "vitest";
import type { InstanceRecord } from "../../simulator/service/rentals/instance-record.ts";
import type { ChaosWorld } from "./open-world.ts";
import { Watch } from "./watch.ts";

const S = 1000;
const BEGUN = 5000 * S;
const NEVER = Number.POSITIVE_INFINITY;
const RUN = { inputs: { "max-lifetime": "2m" }, jobs: [{ name: "test (1)", does: "short" }] } as const;

interface Runner {
  id: number;
  name: string;
  online: boolean;
  machine?: string;
}

/** A session that is watched: `is` lets so many seconds pass, and then so be what GitHub has. */
function aWatch() {
  const now = { seconds: 0, runners: [] as Runner[], job: { name: "test (1)", status: "queued", runnerName: "" } };
  const clock = { now: () => BEGUN + now.seconds * S };
  const lists = {
    of: () => [10, 20, 30].map((seconds) => ({ at: BEGUN + seconds * S, faults: seconds < 20 ? ["x"] : [] })),
  };
  const books = { bill: () => ({ total: 3 }) };
  const github = { runners: () => now.runners, wasTakenAway: (id: number) => id === 9, journal: lists };
  const sim = { clock, github, machines: { root: (id: number) => `/m${id}` }, service: { journal: lists, books } };
  const job = () => ({ runnerName: now.job.runnerName, completedAt: BEGUN + 70 * S, conclusion: "success" });
  const session = { sim, run: { jobs: () => [now.job], job } } as unknown as ChaosWorld["session"];
  const watch = new Watch(RUN as unknown as ConstructorParameters<typeof Watch>[0], { begun: BEGUN, session });
  const is = (seconds: number, given: Partial<typeof now> = {}) => {
    Object.assign(now, given, { seconds });
    watch.look();
  };
  return { watch, is };
}

/** Made 5 s after the begin, by the first create; its label allows for an hour. */
function anInstance(id: number): InstanceRecord {
  const label = `ghr1.1.4711-1.abc.1.${5000 + 3600 + 900}`;
  const times = { createdAt: BEGUN + 5 * S, visibleAt: BEGUN + 15 * S, events: [] };
  return { id, label, ...times, offer: { dph_base: 0.4 } } as unknown as InstanceRecord;
}

const online = (id: number): Runner => ({ id, name: `gpu-4711-1-abc-1-${id}`, online: true, machine: "/m2/" });

test("a machine's time counts from its first runner online, and it is over with its last runner", () => {
  const { is, watch } = aWatch();
  using _ = watch;
  is(40, { runners: [online(1), { ...online(2), online: false }] });
  is(50, { runners: [online(2)] });
  const [second] = watch.machines([anInstance(2)], "instance 7 is booting", []);
  expect(second).toMatchObject({ deadline: (40 - 15 + 120) * S, createdAt: 5 * S, isLate: true, overAt: NEVER });
  // The list of 10 s had a fault, and showed nobody anything.
  expect(second).toMatchObject({ visibleAt: 15 * S, shownAt: 20 * S, n: 1, isTwin: false });
  is(60, { runners: [] });
  expect(watch.machines([anInstance(2)], "", [])[0]?.overAt).toBe(60 * S);
});

test("a runner that was taken away ends nothing, and a second machine of one create is its twin", () => {
  const { is, watch } = aWatch();
  using _ = watch;
  is(40, { runners: [{ ...online(9), online: false }] });
  is(50, { runners: [] });
  const dead = [{ at: 45 * S, how: "exited", id: 2 }];
  const [first, second] = watch.machines([anInstance(1), anInstance(2)], "made instance 1", dead);
  expect(first).toMatchObject({ isLate: false, isTwin: false, overAt: NEVER, deadAt: NEVER, deadline: 3600 * S });
  expect(second).toMatchObject({ isLate: true, isTwin: true, deadAt: 45 * S });
  expect(first?.billed).toEqual({ cost: 3, hourly: 0.4 });
});

test("a job began when it was seen to, on the machine whose listener it has, and is lost when that is halted", () => {
  const { is, watch } = aWatch();
  using _ = watch;
  is(25);
  is(40, { runners: [online(1)], job: { name: "test (1)", status: "in_progress", runnerName: online(1).name } });
  is(45, { runners: [] });
  const records = [anInstance(1), anInstance(2)];
  const jobs = (how: string) => {
    const deaths = [{ at: 60 * S, how, id: 2 }];
    return watch.jobs(records, watch.machines(records, "", deaths), deaths);
  };
  const times = { shownAt: 30 * S, startedAt: 40 * S, overAt: 70 * S };
  expect(jobs("rebooted")).toMatchObject([{ ...times, box: { id: 2 }, lostAt: 60 * S }]);
  expect(jobs("frozen")).toMatchObject([{ ...times, box: { id: 2 }, lostAt: undefined }]);
});
