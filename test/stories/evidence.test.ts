import { expect, test } from "vitest";
import { aFault, type Fault } from "./fault.ts";
import { type Played, play } from "./play.ts";
import { aDeath, aHost, aRunJob, aStory, type JobStory, type Story } from "./story.ts";

/** A fixed story of misleading evidence, and what must hold in its worlds beside the rules. */
interface Row {
  given: Partial<Story> | readonly Partial<Story>[];
  /** Every job does well, begun so soon, on so many machines at most; one for each job where nothing is said. */
  withinMinutes?: number;
  creates?: number;
  /** The name of the error with which main ends. */
  error?: string;
  also?: (played: Played) => void;
}

const MINUTE_MS = 60_000;
const many = (count: number, given: Partial<JobStory> = {}) => Array.from({ length: count }, () => aRunJob(given));
const TWO_JOBS = { machines: 2, jobsOfRun: many(2) };
/** The first job runs for an hour. */
const besideALongOne = (appearsS: number) => ({
  ...{ machines: 2, lifetimeS: 7200 },
  jobsOfRun: [aRunJob({ lastsS: 3600 }), aRunJob({ appearsS })],
});
/** One thing goes wrong, as often as it is met. */
const all = (where: Fault["where"], what: Fault["what"], given: Partial<Fault> = {}) =>
  aFault({ where, what, times: 1000, ...given });
const TWO_LOOKS = { fromS: 60, lastsS: 45 };
const TWIN = aFault({ where: "create", what: "twin" });
/** Seconds after which a list shows the machine of a create without an answer. */
const LISTED_LATE = [39, 41, 44, 47, 52, 60].map((detail) => [
  aFault({ where: "create", what: "listed late", detail }),
]);
const BROKEN = aHost({ fate: "broken" });

const begins = ({ world }: Played, index: number, withinMinutes: number) =>
  expect(world.jobs[index]?.startedAt).toBeLessThanOrEqual(withinMinutes * MINUTE_MS);
const hasEnded = ({ end }: Played, given: Partial<Played["end"]>) =>
  expect(end).toMatchObject({ kind: "over", bad: [], lost: [], ...given });

/** What must hold is that every job does well, begun so soon. */
const served = (withinMinutes: number, given: Row["given"]): Row => ({ given, withinMinutes });

/** By the rows of issue 24's table, and of issue 42's where it says so. */
const STORIES: Record<string, Row> = {
  "1: lists without a machine whose job runs": served(2, [
    { faults: [all("list", "empty", TWO_LOOKS)] },
    { ...TWO_JOBS, faults: [all("list", "partial", { ...TWO_LOOKS, detail: 0b10 })] },
  ]),
  "2: lists that are shorter than they say": served(2, [
    { ...TWO_JOBS, faults: [all("list", "partial, honest", { ...TWO_LOOKS, detail: 0b10 })] },
    {
      machines: 3,
      jobsOfRun: [aRunJob(), ...[30, 90].map((appearsS) => aRunJob({ appearsS, lastsS: 60 }))],
      faults: [all("jobs", "partial, honest", { fromS: 200, lastsS: 900, times: 30, detail: 0b1 })],
    },
  ]),
  "3: ready after 15 s, first listed after 40 s": served(2, { hosts: [aHost({ createS: 0, listedS: 40 })] }),
  "5: GitHub answers 404 to registrations for 15 s, beside a job or not": served(3, [
    { faults: [all("register", "404", { lastsS: 15 })] },
    { ...besideALongOne(60), faults: [all("register", "404", { fromS: 60, lastsS: 15 })] },
  ]),
  "8, under a job: the second is seen while the job runs": {
    given: { idleS: 900, faults: [{ ...TWIN, detail: 90 }] },
    ...{ creates: 2, withinMinutes: 2 },
    also({ world: { boxes, jobs } }) {
      for (const { goneAt } of boxes) expect(goneAt).toBeGreaterThanOrEqual(jobs[0]?.overAt ?? Number.NaN);
    },
  },
  "9: every offer is a little too dear for max-cost, and a fitting one comes after 60 s": served(3, {
    hosts: [aHost({ price: 0.55 }), aHost({ price: 0.2, offeredS: 60 })],
    offers: 2,
    maxCost: 0.1,
  }),
  "11: 120 runners in the place, 16 machines with 4 uses each: GitHub is not asked too often": {
    given: {
      ...{ otherRunners: 120, machines: 16, jobsPerMachine: 4, offers: 40 },
      ...{ hosts: [aHost({ bootS: 60, onlineS: 40 })], jobsOfRun: many(32, { lastsS: 200 }) },
    },
    ...{ creates: 16, withinMinutes: 20 },
  },
  "a create without an answer: its runner is online before a list shows it, and the job comes after that": served(
    2,
    LISTED_LATE.map((faults) => ({
      ...{ faults, jobsOfRun: [aRunJob({ appearsS: 120 })], waitForJobS: 0, othersUntilS: 120 },
    })),
  ),
  "the same, and main is cancelled or killed before that: post finds it": {
    given: (["cancelled", "killed"] as const).flatMap((kind) =>
      [6, 7, 8, 9, 10, 11].map((request) => ({
        hosts: [aHost({ bootS: 80 })],
        faults: [aFault({ where: "create", what: "listed late", detail: 41 })],
        death: aDeath({ kind, request, isAfter: true }),
      })),
    ),
    also: ({ world }) => expect(world.boxes).toHaveLength(1),
  },
  "the end of a second instance can't be confirmed before the first one runs, and another job waits": {
    given: {
      ...{ ...besideALongOne(150), hosts: [aHost({ bootS: 60 })] },
      faults: [TWIN, all("get", "page 404", { lastsS: 200 })],
    },
    ...{ creates: 3, withinMinutes: 5 },
  },
  "42.1: the first host's runner is online and never gets the job": {
    given: { hosts: [aHost({ isDeaf: true }), aHost()] },
    ...{ creates: 2, withinMinutes: 8 },
  },
  "42.2: GitHub dispatches nothing for six minutes while one job of eight runs": {
    given: {
      ...{ machines: 8, lifetimeS: 10_800, jobsOfRun: [...many(4, { lastsS: 7200 }), ...many(4)] },
      pauses: [{ isSinceStart: true, fromS: 1, lastsS: 360 }],
    },
    also(played) {
      hasEnded(played, {});
      for (const index of played.world.jobs.keys()) begins(played, index, 30);
    },
  },
  "42.1, all hosts: GitHub gives jobs to none of our runners, and each is away before it had its time": {
    given: {
      ...{ isExcluded: true, machines: 8, jobsPerMachine: 3, jobsOfRun: many(4) },
      hosts: [aHost({ bootS: 48, onlineS: 42, fate: "runner away", fateS: 333, lastsS: 167 })],
    },
    error: "PassedOverError",
    also: ({ world }) => expect(world.boxes.length).toBeLessThanOrEqual(10),
  },
  "42.2, max-parallel: two of twenty jobs run at a time": {
    given: { machines: 4, maxParallel: 2, jobsOfRun: many(20), lifetimeS: 7200 },
    ...{ creates: 32, withinMinutes: 180 },
    also({ world: { boxes } }) {
      const standing = (at: number) => boxes.filter((box) => box.createdAt <= at && box.goneAt > at).length;
      const later = boxes.filter(({ createdAt }) => createdAt > 30 * MINUTE_MS);
      for (const { createdAt } of later) expect(standing(createdAt)).toBeLessThanOrEqual(3);
    },
  },
  "42.3: the list of jobs takes 16 s, or has three pages of 6 s": served(4, [
    { jobsTakeS: 16 },
    { jobsTakeS: 6, otherJobs: 250 },
  ]),
  "42.4: GitHub shows a runner as busy, or answers 422, and no list shows a job of it": {
    given: (["busy", "422"] as const).map((stuckAs) => ({ hosts: [aHost({ stuckS: 7200, stuckAs }), aHost()] })),
    also(played) {
      expect(played.world.boxes.length).toBeLessThanOrEqual(2);
      begins(played, 0, 12);
    },
  },
  "42.5: the token loses the repository while a machine looks unneeded, and a job comes": {
    given: Array.from({ length: 17 }, (_, nth) => ({
      ...{ machines: 2, jobsLagS: 10, faults: [all("remove", "404")] },
      jobsOfRun: [aRunJob(), aRunJob({ cancelledS: 14 }), aRunJob({ appearsS: 20 + 6 * nth, lastsS: 300 })],
    })),
  },
  "42.7: creates get no answer for three minutes, and nothing was made": served(
    12,
    [5, 1].map((offers) => ({ offers, faults: [all("create", "lost", { lastsS: 180 })] })),
  ),
  "42.8: another session of the same label runs a job, which fails, or takes an hour": {
    given: [{ lastsS: 30, conclusion: "failure" as const }, { lastsS: 3600 }].map((elsewhere) => ({
      jobsOfRun: [aRunJob({ elsewhereS: 0, ...elsewhere }), aRunJob()],
    })),
    also(played) {
      hasEnded(played, { error: undefined });
      expect(played.world.jobs[1]?.box).toBeDefined();
      expect(played.world.now).toBeLessThan(30 * MINUTE_MS);
    },
  },
  "42.9: what main writes down for post can't be written while a job runs": served(2, {
    unwritable: { fromS: 10, lastsS: 1000 },
  }),
  "42.10: the service answers with no offers to every search for 40 s": served(4, {
    faults: [all("search", "no offers", { lastsS: 40 })],
  }),
  "42.12, the sweep: the computer that sweeps is three hours ahead": {
    given: {
      ...{ jobsOfRun: many(1, { lastsS: 2400 }), sweepAheadS: 10_800 },
      death: aDeath({ request: 30, hasPost: false }),
    },
  },
  "42.13: GitHub answers 409 to each registration, and no runner has that name": {
    given: { faults: [all("register", "409")] },
    error: "GithubRefusedError",
    also: ({ world }) => expect(world.now).toBeLessThan(5 * MINUTE_MS),
  },
  "42.14: a job fails, and its machine is gone a moment later": {
    given: (["vanishes", "exits"] as const).flatMap((fate) =>
      [0, 1, 3].map((followsS) => ({
        hosts: [aHost({ fate, fateS: 86_400, followsS })],
        jobsOfRun: many(1, { conclusion: "failure" }),
      })),
    ),
    also: (played) => hasEnded(played, { bad: [100] }),
  },
  "42.15, after a cancel: no destruction of sixteen machines is answered, while list and GET deny them": {
    given: {
      ...{ machines: 16, offers: 40, jobsOfRun: many(16), faults: [all("destroy", "hangs")] },
      death: aDeath({ kind: "cancelled", request: 90 }),
    },
  },
  "42.15: the destruction of a broken machine gets no answer for minutes": {
    given: { hosts: [BROKEN, aHost()], faults: [all("destroy", "hangs")] },
    ...{ creates: 2, withinMinutes: 2 },
  },
  "42.17: the run is cancelled two seconds after a job began": {
    given: {
      ...{ waitForJobS: 0, othersUntilS: 600, jobsOfRun: many(1, { appearsS: 60 }) },
      death: aDeath({ kind: "run cancelled", afterStartS: 2 }),
    },
    also: ({ world }) => expect(world.jobs[0]).toMatchObject({ conclusion: "cancelled", lostAt: undefined }),
  },
  "42.18: nobody holds: the job began and ended, and its machine gave itself back, between two looks": {
    given: [10, 12, 14, 16, 18].map((bootS) => ({
      ...{ hold: false, hosts: [aHost({ bootS, onlineS: 3 })], jobsOfRun: many(1, { lastsS: 1 }) },
    })),
    also: ({ world }) => expect(world.boxes).toHaveLength(1),
  },
  "42.19: a job can have no machine, and post cancels the run": {
    given: { hosts: [BROKEN], attempts: 1 },
    error: "AttemptsExhaustedError",
    also: ({ world }) => expect(world.cancelledAt).toBeDefined(),
  },
};

test.each(Object.entries(STORIES))("%s", async (_story, row) => {
  const { also, creates, error, given, withinMinutes } = row;
  for (const world of [given].flat()) {
    const played = await play(aStory(world));
    const { boxes, jobs } = played.world;
    expect(played.broken).toEqual([]);
    if (error !== undefined) expect(played.end?.error?.name).toBe(error);
    if (withinMinutes !== undefined) {
      hasEnded(played, { error: undefined });
      expect(boxes.length).toBeLessThanOrEqual(creates ?? jobs.length);
      const waits = jobs.map(({ queuedAt, startedAt }) => startedAt - queuedAt);
      expect(Math.max(...waits)).toBeLessThanOrEqual(withinMinutes * MINUTE_MS);
    }
    also?.(played);
  }
});
