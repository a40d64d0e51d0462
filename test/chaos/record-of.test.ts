import { expect, test } from "vitest";
import { jobsIn, machinesIn, type Seen, type Struck } from "./record-of.ts";

const S = 1000;
const BEGUN = 5000 * S;
const NEVER = Number.POSITIVE_INFINITY;
const at = (seconds: number) => BEGUN + seconds * S;

/** A runner of the session's one create, as the books have it. */
const aRunner = (id: number, onlineS?: number, goneS?: number, given = {}) => ({
  ...{ id, name: `gpu-4711-1-abc-1-${id}`, machine: "/m2/", isTakenAway: false },
  ...{ onlineAt: onlineS === undefined ? null : at(onlineS), goneAt: goneS === undefined ? null : at(goneS), ...given },
});

/** Made 5 s after the begin, by the first create; its label allows for an hour. */
const anInstance = (id: number) => ({
  ...{ id, label: `ghr1.1.4711-1.abc.1.${5000 + 3600 + 900}`, offer: { dph_base: 0.4 } },
  ...{ createdAt: at(5), visibleAt: at(15), events: [] },
});

/** A session that ended after 80 s, whose job ran from 40 to 70 s; the first of three lists had a fault. */
function seen(
  instances: number[],
  given: { runners?: object[]; mainLog?: string; deaths?: Struck[]; removals?: object[] },
): Seen {
  const { runners = [aRunner(1, 40)], mainLog: log = "", deaths = [], removals = [] } = given;
  const entries = [16, 20, 30].map((second) => ({
    ...{ at: at(second), operation: "listInstances", caller: "account", faults: second < 20 ? ["x"] : [] },
  }));
  const ofGithub = entries.map((list) => ({
    ...{ at: new Date(list.at).toISOString(), operation: "listJobs", token: "job", fault: list.faults[0] },
  }));
  const sim = {
    clock: { now: () => at(80) },
    github: { runnersEver: () => runners, journal: { entries: ofGithub, of: () => removals } },
    machines: { root: (id: number) => `/m${id}` },
    service: { journal: { entries }, books: { bill: () => ({ total: 3 }) } },
  };
  const times = { createdAt: at(25), startedAt: at(40), completedAt: at(70) };
  const job = () => ({ ...times, status: "completed", conclusion: "success", runner: aRunner(1) });
  const plan = { inputs: { "max-lifetime": "2m" }, jobs: [{ name: "test (1)" }] };
  const run = { job, jobs: () => [{ runnerName: aRunner(1).name }] };
  const session = { sim, run, instances: () => records };
  const records = instances.map(anInstance);
  return { begun: BEGUN, session, plan, bystanders: [], deaths, stages: [{ log }] } as unknown as Seen;
}

test("a machine's time counts from its first runner online, and it is over with its last runner", () => {
  const runners = [aRunner(1, 40, 50), aRunner(2)];
  const [second] = machinesIn(seen([2], { runners, mainLog: "instance 7 is booting" }));
  expect(second).toMatchObject({ deadline: (40 - 15 + 120) * S, createdAt: 5 * S, isLate: true, overAt: NEVER });
  // The list of 16 s had a fault, and showed nobody anything.
  expect(second).toMatchObject({ visibleAt: 15 * S, shownAt: 20 * S, n: 1, isTwin: false });
  expect(machinesIn(seen([2], { runners: [aRunner(1, 40, 50), aRunner(2, 50, 60)] }))[0]?.overAt).toBe(60 * S);
});

test("GitHub keeps a machine's runner for busy from its first refusal to remove it on, unless that had a job", () => {
  const removal = (id: number, second: number, status: number) => ({
    ...{ at: new Date(at(second)).toISOString(), path: `/repos/octo/gpu-lib/actions/runners/${id}`, status },
  });
  const removals = [removal(12, 30, 422), removal(1, 40, 422), removal(2, 50, 503), removal(2, 60, 422)];
  const heldFrom = (runners: object[]) => machinesIn(seen([2], { runners, removals }))[0]?.heldFrom;
  expect(heldFrom([aRunner(1, 40), aRunner(2)])).toBe(60 * S);
  expect(heldFrom([aRunner(1, 40)])).toBe(NEVER);
});

test("a runner that was taken away ends nothing, and a second machine of one create is its twin", () => {
  const runners = [aRunner(9, undefined, 50, { isTakenAway: true })];
  const deaths = [{ at: 45 * S, how: "exited", id: 2 }];
  expect(machinesIn(seen([1, 2], { runners, mainLog: "made instance 1", deaths }))).toMatchObject([
    {
      isLate: false,
      isTwin: false,
      overAt: NEVER,
      deadAt: NEVER,
      deadline: 3600 * S,
      billed: { cost: 3, hourly: 0.4 },
    },
    { isLate: true, isTwin: true, deadAt: 45 * S },
  ]);
});

test.each([
  ["rebooted", 60 * S],
  ["frozen", undefined],
])("a job is on the machine whose listener began it; it is lost when that is halted: %s", (how, lostAt) => {
  const read = seen([1, 2], { deaths: [{ at: 60 * S, how, id: 2 }] });
  const job = { shownAt: 30 * S, startedAt: 40 * S, overAt: 70 * S, box: { id: 2 }, lostAt };
  expect(jobsIn(read, machinesIn(read))).toMatchObject([job]);
});
