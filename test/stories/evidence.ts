import { expect } from "vitest";
import { aFault, aHost, aRunJob } from "./a-story.ts";
import type { Played } from "./play.ts";
import type { Death, Story } from "./story.ts";

/** A fixed story of misleading evidence, and what must hold in its worlds beside the rules. */
interface EvidenceRow {
  /** Of issue 24's table; since `42`, of issue 42's. No story tells 42's rows 6, 16 and the second half of 14. */
  row: string;
  story: string;
  given: Partial<Story> | readonly Partial<Story>[];
  /** Every job does well, on so many machines at most, each begun so soon (two minutes). */
  goesWell?: { creates: number; startedWithinMs?: number };
  also?: (played: Played) => void;
}

export const MINUTE_MS = 60_000;
const TWO_JOBS = { machines: 2, jobsOfRun: [aRunJob(), aRunJob()] };
/** Two jobs, two machines; the first job runs for an hour. */
const BESIDE_A_LONG_ONE = {
  machines: 2,
  lifetimeS: 7200,
  jobsOfRun: [aRunJob({ lastsS: 3600 }), aRunJob({ appearsS: 60 })],
};
const TWO_LOOKS = { fromS: 60, lastsS: 45, times: 1000 };
const PAGE = { where: "create", what: "page 403" } as const;
const NO_PLACE = { where: "register", what: "404", lastsS: 15, times: 1000 } as const;
const TWIN = aFault({ where: "create", what: "twin", detail: 30 });
const UNANSWERED = aFault({ where: "destroy", what: "hangs", lastsS: 3600, times: 1000 });
/** Seconds after which a list shows the machine of a create without an answer. */
const LISTED_LATE = [39, 41, 44, 47, 52, 60].map((detail) => [
  aFault({ where: "create", what: "listed late", detail }),
]);
const many = (count: number, given: Parameters<typeof aRunJob>[0] = {}) =>
  Array.from({ length: count }, () => aRunJob(given));

const hasBlamedNobody = ({ remembered }: Played) =>
  expect(remembered.filter((fate) => fate.startsWith("failed"))).toEqual([]);
const begins = ({ world }: Played, index: number, withinMs: number) =>
  expect(world.jobs[index]?.startedAt).toBeLessThanOrEqual(withinMs);

/** Main's end by another hand. */
function aDeath(given: Partial<Death>): Death {
  return {
    ...{ kind: "killed", request: Number.MAX_SAFE_INTEGER, afterStartS: undefined, isAfter: false },
    ...{ hasPost: true, postRequest: undefined, isDoubted: false },
    ...given,
  };
}

const BEFORE_42: readonly EvidenceRow[] = [
  {
    row: "1",
    story: "lists without a machine whose job runs",
    given: [
      { faults: [aFault({ ...TWO_LOOKS, where: "list", what: "empty" })] },
      { ...TWO_JOBS, faults: [aFault({ ...TWO_LOOKS, where: "list", what: "partial", detail: 0b10 })] },
    ],
    goesWell: { creates: 2 },
    also: ({ world }) => expect(world.boxes).toHaveLength(world.jobs.length),
  },
  {
    row: "2",
    story: "lists that are shorter than they say",
    given: [
      { ...TWO_JOBS, faults: [aFault({ ...TWO_LOOKS, where: "list", what: "partial, honest", detail: 0b10 })] },
      {
        machines: 3,
        jobsOfRun: [aRunJob(), aRunJob({ appearsS: 30, lastsS: 60 }), aRunJob({ appearsS: 90, lastsS: 60 })],
        faults: [aFault({ where: "jobs", what: "partial, honest", fromS: 200, lastsS: 900, times: 30, detail: 0b1 })],
      },
    ],
    goesWell: { creates: 3 },
    also: ({ world }) => expect(world.boxes.length).toBeLessThanOrEqual(world.jobs.length),
  },
  {
    row: "3",
    story: "ready after 15 s, first listed after 40 s",
    given: { hosts: [aHost({ createS: 0, listedS: 40 })] },
    goesWell: { creates: 1 },
  },
  {
    row: "4",
    story: "one page of a gateway, 403, answers one create",
    given: { faults: [aFault(PAGE)] },
    goesWell: { creates: 1 },
  },
  {
    row: "4, beside a job",
    story: "the same while another job runs, or of two searches",
    given: [
      { ...BESIDE_A_LONG_ONE, faults: [aFault({ ...PAGE, fromS: 30 })] },
      {
        ...{ ...BESIDE_A_LONG_ONE, searchS: 0 },
        faults: [aFault({ where: "search", what: "page 403", fromS: 30, lastsS: 900, times: 2 })],
      },
    ],
    goesWell: { creates: 2, startedWithinMs: 3 * MINUTE_MS },
  },
  {
    row: "5",
    story: "GitHub answers 404 to registrations for 15 s",
    given: { faults: [aFault(NO_PLACE)] },
    goesWell: { creates: 1, startedWithinMs: 3 * MINUTE_MS },
  },
  {
    row: "5, beside a job",
    story: "the same while another job runs",
    given: { ...BESIDE_A_LONG_ONE, faults: [aFault({ ...NO_PLACE, fromS: 60 })] },
    goesWell: { creates: 2, startedWithinMs: 3 * MINUTE_MS },
  },
  {
    row: "6",
    story: "one host has not enough disk",
    given: { offers: 5, faults: [aFault({ where: "create", what: "400 host" })] },
    goesWell: { creates: 1, startedWithinMs: MINUTE_MS },
    also: ({ world }) => expect(world.boxes[0]?.offer).toBe(2),
  },
  {
    row: "7",
    story: "a spare of two that were drained is listed 61 s after it was gone, while a third job waits",
    given: {
      ...{ machines: 4, hedge: true, attempts: 1 },
      hosts: [aHost({ bootS: 30 }), aHost({ bootS: 30 }), aHost({ bootS: 200 })],
      jobsOfRun: [aRunJob(), aRunJob(), aRunJob({ appearsS: 120, lastsS: 60 })],
      faults: [aFault({ where: "list", what: "old", fromS: 140, detail: 90 })],
    },
    goesWell: { creates: 5, startedWithinMs: 5 * MINUTE_MS },
    also(played) {
      hasBlamedNobody(played);
      expect(played.world.boxes.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5]);
    },
  },
  {
    row: "8",
    story: "one create makes two instances, and the second is seen before they run",
    given: { hosts: [aHost({ bootS: 90 })], faults: [TWIN] },
    goesWell: { creates: 2, startedWithinMs: 3 * MINUTE_MS },
    also({ world: { boxes, runners } }) {
      expect(boxes[1]?.goneAt).toBeLessThan(MINUTE_MS);
      expect(boxes[0]?.goneAt).toBeGreaterThan(10 * MINUTE_MS);
      expect(runners.filter(({ isRemoved }) => isRemoved)).toEqual([]);
    },
  },
  {
    row: "8, under a job",
    story: "one create makes two instances, and the second is seen while the job runs",
    given: { idleS: 900, faults: [{ ...TWIN, detail: 90 }] },
    goesWell: { creates: 2 },
    also({ world: { boxes, jobs } }) {
      for (const { goneAt } of boxes) expect(goneAt).toBeGreaterThanOrEqual(jobs[0]?.overAt ?? Number.NaN);
    },
  },
  {
    row: "9",
    story: "every offer is a little too dear for max-cost, and a fitting one comes after 60 s",
    given: { hosts: [aHost({ price: 0.55 }), aHost({ price: 0.2, offeredS: 60 })], offers: 2, maxCost: 0.1 },
    goesWell: { creates: 1, startedWithinMs: 3 * MINUTE_MS },
  },
  {
    row: "9, for good",
    story: "every offer is a little too dear for max-cost",
    given: { hosts: [aHost({ price: 0.55 })], offers: 2, maxCost: 0.1 },
    also({ end, world }) {
      expect(world.now).toBeGreaterThanOrEqual(10 * MINUTE_MS);
      expect(end?.error?.name).toBe("NoOfferError");
      expect(end?.error?.message).toMatch(/0\.55.*0\.1\d/);
    },
  },
  {
    row: "10",
    story: "outbid, and the job ends as failure 4 s later",
    given: {
      hosts: [aHost({ fate: "outbid", fateS: 120, tellsS: 4 })],
      jobsOfRun: [aRunJob(), aRunJob({ lastsS: 60 })],
      ...{ bid: 0.3, bidFallback: true },
    },
    also({ end, world }) {
      expect(end).toMatchObject({ kind: "over", bad: [], lost: [100] });
      expect(end?.error?.name).toBe("MachineLostError");
      expect(world.boxes.map(({ isBid }) => isBid)).toEqual([true, false]);
    },
  },
  {
    row: "11",
    story: "more than 100 runners in the place, 16 machines with 4 uses each: GitHub is not asked too often",
    given: {
      ...{ otherRunners: 120, machines: 16, jobsPerMachine: 4, offers: 40 },
      ...{ hosts: [aHost({ bootS: 60, onlineS: 40 })], jobsOfRun: many(32, { lastsS: 200 }) },
    },
    goesWell: { creates: 16, startedWithinMs: 20 * MINUTE_MS },
  },
  {
    row: "13",
    story: "the first job of a machine failed by itself, and the machine is lost under the second",
    given: {
      // GitHub misses the runner for a moment under the first job, while another machine boots.
      hosts: [aHost({ blipS: 100, blipForS: 30, fate: "vanishes", fateS: 500 }), aHost({ bootS: 105 })],
      jobsOfRun: [
        aRunJob({ lastsS: 300, conclusion: "failure" }),
        ...[aRunJob({ lastsS: 900 }), aRunJob({ appearsS: 310 })],
      ],
      ...{ machines: 2, jobsPerMachine: 2 },
    },
    also: ({ end }) => expect(end).toMatchObject({ kind: "over", bad: [100], lost: [102] }),
  },
  {
    row: "near its deadline",
    story: "a machine gives itself back as too little time is left for another job",
    given: {
      ...{ jobsPerMachine: 2, lifetimeS: 900, maxCost: 0.2 },
      jobsOfRun: [aRunJob({ lastsS: 600 }), aRunJob({ lastsS: 60 })],
    },
    also(played) {
      hasBlamedNobody(played);
      expect(played.end?.lost).toEqual([]);
    },
  },
  {
    row: "seen by nobody",
    story: "a machine is ready while the runners can't be read, and gives itself back for want of a job",
    given: {
      ...{ isExcluded: true, readyS: 300, idleS: 60, hosts: [aHost({ bootS: 100 })], offers: 1, attempts: 2 },
      faults: [aFault({ where: "runners", what: "502", lastsS: 390, times: 1000 })],
    },
    also(played) {
      // It has not waited for all of ready-timeout, nor failed: GitHub gives it no job.
      expect(played.end?.stop).toBe("passed-over-alone");
      hasBlamedNobody(played);
    },
  },
  {
    row: "listed on",
    story: "the service's list shows for long what it destroyed",
    given: {
      ...{ hosts: [aHost({ fate: "broken", destroyS: 52, ghostS: 60 })], machines: 5, attempts: 1 },
      jobsOfRun: many(5),
    },
    also: ({ end }) => expect(end?.error?.name).toBe("AttemptsExhaustedError"),
  },
  {
    row: "listed late, and with a job",
    story: "a create without an answer is listed 41 s after it was sent, when its runner has the job",
    given: LISTED_LATE.flatMap((faults) => [{ faults }, { ...TWO_JOBS, faults }]),
    goesWell: { creates: 2 },
    also(played) {
      expect(played.world.boxes).toHaveLength(played.world.jobs.length);
      if (played.world.jobs.length === 1) begins(played, 0, MINUTE_MS);
    },
  },
  {
    row: "listed late, and ready",
    story: "its runner is online before a list shows it, and the job comes after that",
    given: LISTED_LATE.map((faults) => ({
      ...{ faults, jobsOfRun: [aRunJob({ appearsS: 120 })], waitForJobS: 0, othersUntilS: 120 },
    })),
    goesWell: { creates: 1 },
  },
  {
    row: "listed late, and booting",
    story: "it boots when it counts as not carried out, and another one is rented",
    given: LISTED_LATE.map((faults) => ({ faults, hosts: [aHost({ bootS: 80 })] })),
    goesWell: { creates: 2, startedWithinMs: 4 * MINUTE_MS },
    also({ world: { boxes } }) {
      if (boxes.length > 1) expect(boxes[0]?.goneAt).toBeLessThan(3 * MINUTE_MS);
    },
  },
  {
    row: "listed late, after main",
    story: "main is cancelled or killed before a list shows it, and post finds it",
    given: (["cancelled", "killed"] as const).flatMap((kind) =>
      [6, 7, 8, 9, 10, 11].map((request) => ({
        hosts: [aHost({ bootS: 80 })],
        faults: [aFault({ where: "create", what: "listed late", detail: 41 })],
        death: aDeath({ kind, request, isAfter: true }),
      })),
    ),
    also: ({ world }) => expect(world.boxes).toHaveLength(1),
  },
  {
    row: "confirmed by nobody",
    story: "the end of a second instance can't be confirmed before the first one runs, and another job waits",
    given: {
      ...{ ...BESIDE_A_LONG_ONE, hosts: [aHost({ bootS: 60 })] },
      jobsOfRun: [aRunJob({ lastsS: 3600 }), aRunJob({ appearsS: 150 })],
      faults: [TWIN, aFault({ where: "get", what: "page 404", lastsS: 200, times: 1000 })],
    },
    goesWell: { creates: 3, startedWithinMs: 5 * MINUTE_MS },
  },
];

const SINCE_42: readonly EvidenceRow[] = [
  {
    row: "42.1",
    story: "the first host's runner is online and never gets the job",
    given: { hosts: [aHost({ isDeaf: true }), aHost()] },
    goesWell: { creates: 2, startedWithinMs: 8 * MINUTE_MS },
  },
  {
    row: "42.2",
    story: "GitHub dispatches nothing for six minutes while one job of eight runs",
    given: {
      ...{ machines: 8, lifetimeS: 10_800, jobsOfRun: [...many(4, { lastsS: 7200 }), ...many(4)] },
      pauses: [{ isSinceStart: true, fromS: 1, lastsS: 360 }],
    },
    also(played) {
      expect(played.end).toMatchObject({ kind: "over", bad: [], lost: [] });
      for (const index of played.world.jobs.keys()) begins(played, index, 30 * MINUTE_MS);
    },
  },
  {
    row: "42.2, max-parallel",
    story: "two of twenty jobs run at a time",
    given: { machines: 4, maxParallel: 2, jobsOfRun: many(20), lifetimeS: 7200 },
    goesWell: { creates: 32, startedWithinMs: 180 * MINUTE_MS },
    also({ world: { boxes } }) {
      const standing = (at: number) => boxes.filter((box) => box.createdAt <= at && box.goneAt > at).length;
      for (const { createdAt } of boxes)
        if (createdAt > 30 * MINUTE_MS) expect(standing(createdAt)).toBeLessThanOrEqual(3);
    },
  },
  {
    row: "42.3",
    story: "the list of jobs takes 16 s, or has three pages of 6 s",
    given: [{ jobsTakeS: 16 }, { jobsTakeS: 6, otherJobs: 250 }],
    goesWell: { creates: 1, startedWithinMs: 4 * MINUTE_MS },
  },
  {
    row: "42.4",
    story: "GitHub shows a runner as busy, or answers 422, and no list shows a job of it",
    given: (["busy", "422"] as const).map((stuckAs) => ({ hosts: [aHost({ stuckS: 7200, stuckAs }), aHost()] })),
    also(played) {
      expect(played.world.boxes.length).toBeLessThanOrEqual(2);
      begins(played, 0, 12 * MINUTE_MS);
    },
  },
  {
    row: "42.4, two runners with one job",
    story: "two idle runners acquire one job, and another job waits",
    given: { isDoublyAcquired: true, machines: 2, lifetimeS: 7200, jobsOfRun: [aRunJob({ lastsS: 3600 }), aRunJob()] },
    also: (played) => begins(played, 1, 10 * MINUTE_MS),
  },
  {
    row: "42.5",
    story: "the token loses the repository while a machine looks unneeded, and a job comes",
    given: Array.from({ length: 50 }, (_, nth) => ({
      ...{ machines: 2, jobsLagS: 10, faults: [aFault({ where: "remove", what: "404", times: 1000 })] },
      jobsOfRun: [aRunJob(), aRunJob({ cancelledS: 14 }), aRunJob({ appearsS: 20 + 2 * nth, lastsS: 300 })],
    })),
  },
  {
    row: "42.7",
    story: "creates get no answer for three minutes, and nothing was made",
    given: [5, 1].map((offers) => ({
      ...{ offers, faults: [aFault({ where: "create", what: "lost", lastsS: 180, times: 1000 })] },
    })),
    goesWell: { creates: 1, startedWithinMs: 12 * MINUTE_MS },
  },
  {
    row: "42.8",
    story: "another session of the same label runs a job, which fails, or takes an hour",
    given: [
      { elsewhereS: 0, lastsS: 30, conclusion: "failure" as const },
      { elsewhereS: 0, lastsS: 3600 },
    ].map((elsewhere) => ({ jobsOfRun: [aRunJob(elsewhere), aRunJob()] })),
    also({ end, world }) {
      expect(end).toMatchObject({ kind: "over", bad: [], lost: [], error: undefined });
      expect(world.jobs[1]?.box).toBeDefined();
      expect(world.now).toBeLessThan(30 * MINUTE_MS);
    },
  },
  {
    row: "42.9",
    story: "what main writes down for post can't be written while a job runs",
    given: { unwritable: { fromS: 10, lastsS: 1000 } },
    goesWell: { creates: 1 },
  },
  {
    row: "42.10",
    story: "the service answers with no offers to every search for 40 s",
    given: { faults: [aFault({ where: "search", what: "no offers", lastsS: 40, times: 1000 })] },
    goesWell: { creates: 1, startedWithinMs: 4 * MINUTE_MS },
  },
  {
    row: "42.11",
    story: "ten runs begin at once, and eight machines are allowed",
    given: {
      ...{ hosts: [aHost({ bootS: 200 })], machines: 2, machinesPerRepository: 8, offers: 60, otherRuns: 9 },
      ...{ jobsOfRun: many(2), readyS: 7200 },
    },
  },
  {
    row: "42.12",
    story: "the hosted runner's clock is set forward by three hours under a job",
    given: { clockJump: { atS: 200, byS: 10_800 } },
    goesWell: { creates: 1 },
  },
  {
    row: "42.12, the sweep",
    story: "the computer that sweeps is three hours ahead",
    given: {
      ...{ jobsOfRun: many(1, { lastsS: 2400 }), sweepAheadS: 10_800 },
      death: aDeath({ request: 30, hasPost: false }),
    },
  },
  {
    row: "42.13",
    story: "GitHub answers 409 to each registration, and no runner has that name",
    given: { faults: [aFault({ where: "register", what: "409", times: 1000 })] },
    also({ end, world }) {
      expect(end?.error?.name).toBe("GithubRefusedError");
      expect(world.now).toBeLessThan(5 * MINUTE_MS);
    },
  },
  {
    row: "42.14",
    story: "a job fails, and its machine is gone a moment later",
    given: (["vanishes", "exits"] as const).flatMap((fate) =>
      [0, 1, 3].map((followsS) => ({
        hosts: [aHost({ fate, fateS: 86_400, followsS })],
        jobsOfRun: many(1, { conclusion: "failure" }),
      })),
    ),
    also: ({ end }) => expect(end).toMatchObject({ kind: "over", bad: [100], lost: [] }),
  },
  {
    row: "42.15, after a cancel",
    story: "no destruction of sixteen machines gets an answer for minutes, while list and GET deny them",
    given: {
      ...{ machines: 16, offers: 40, jobsOfRun: many(16), faults: [UNANSWERED] },
      death: aDeath({ kind: "cancelled", request: 90 }),
    },
  },
  {
    row: "42.15",
    story: "the destruction of a broken machine gets no answer for minutes",
    given: { hosts: [aHost({ fate: "broken" }), aHost()], faults: [UNANSWERED] },
    goesWell: { creates: 2 },
  },
  {
    row: "42.17",
    story: "the run is cancelled two seconds after a job began",
    given: {
      ...{ waitForJobS: 0, othersUntilS: 600, jobsOfRun: many(1, { appearsS: 60 }) },
      death: aDeath({ kind: "run cancelled", afterStartS: 2 }),
    },
    also: ({ world }) => expect(world.jobs[0]).toMatchObject({ conclusion: "cancelled", lostAt: undefined }),
  },
  {
    row: "42.18",
    story: "nobody holds: the job began and ended, and its machine gave itself back, between two looks",
    given: [10, 12, 14, 16, 18].map((bootS) => ({
      ...{ hold: false, hosts: [aHost({ bootS, onlineS: 3 })], jobsOfRun: many(1, { lastsS: 1 }) },
    })),
    also: ({ world }) => expect(world.boxes).toHaveLength(1),
  },
  {
    row: "42.19",
    story: "a job can have no machine, and post cancels the run",
    given: { hosts: [aHost({ fate: "broken" })], attempts: 1, isCancelQuick: true },
    also({ end, world }) {
      expect(end?.error?.name).toBe("AttemptsExhaustedError");
      expect(world.cancelledAt).toBeDefined();
    },
  },
];

/** All of them. */
export const ROWS: readonly EvidenceRow[] = [...BEFORE_42, ...SINCE_42];
