import { expect } from "vitest";
import { aFault, aHost, aRunJob } from "./a-story.ts";
import { type EvidenceRow, goesWell, MINUTE_MS, playsOn } from "./evidence.ts";
import type { Played } from "./play.ts";
import type { Death } from "./story.ts";

/**
 * The rows of issue 42, "each fact is decided once". No story tells row 16 (create 1,000 of a session), row 6 and the
 * second half of row 14: main's loop waits for its busy machines, so only a main that throws meets those two.
 */
export const ROWS_OF_42: readonly EvidenceRow[] = [
  {
    row: "1",
    story: "the first host's runner is online and never gets the job",
    async holds() {
      const hosts = [aHost({ isDeaf: true }), aHost()];
      await goesWell({ hosts }, { creates: 2, startedWithinMs: 8 * MINUTE_MS });
    },
  },
  {
    row: "2",
    story: "GitHub dispatches nothing for six minutes while one job of eight runs",
    async holds() {
      const jobsOfRun = [7200, 7200, 7200, 7200, 600, 600, 600, 600].map((lastsS) => aRunJob({ lastsS }));
      const pauses = [{ isSinceStart: true, fromS: 1, lastsS: 360 }];
      const given = { machines: 8, lifetimeS: 10_800, jobsOfRun, pauses };
      const { end, world } = await playsOn(given);
      expect(end).toMatchObject({ kind: "over", bad: [], lost: [] });
      for (const { startedAt } of world.jobs) expect(startedAt).toBeLessThanOrEqual(30 * MINUTE_MS);
    },
  },
  {
    row: "2, max-parallel",
    story: "two of twenty jobs run at a time",
    async holds() {
      const jobsOfRun = Array.from({ length: 20 }, () => aRunJob());
      const { world } = await goesWell(
        { machines: 4, maxParallel: 2, jobsOfRun, lifetimeS: 7200 },
        { creates: 32, startedWithinMs: 180 * MINUTE_MS },
      );
      const standing = (at: number) => world.boxes.filter((box) => box.createdAt <= at && box.goneAt > at).length;
      const later = world.boxes.filter(({ createdAt }) => createdAt > 30 * MINUTE_MS);
      for (const { createdAt } of later) expect(standing(createdAt)).toBeLessThanOrEqual(3);
    },
  },
  {
    row: "3",
    story: "the list of jobs takes 16 s, or has three pages of 6 s",
    async holds() {
      await goesWell({ jobsTakeS: 16 }, { creates: 1, startedWithinMs: 4 * MINUTE_MS });
      await goesWell({ jobsTakeS: 6, otherJobs: 250 }, { creates: 1, startedWithinMs: 4 * MINUTE_MS });
    },
  },
  {
    row: "4",
    story: "GitHub shows a runner as busy, or answers 422, and no list shows a job of it",
    async holds() {
      for (const stuckAs of ["busy", "422"] as const) {
        const hosts = [aHost({ stuckS: 7200, stuckAs }), aHost()];
        const { world } = await playsOn({ hosts });
        expect(world.boxes.length).toBeLessThanOrEqual(2);
        expect(world.jobs[0]?.startedAt).toBeLessThanOrEqual(12 * MINUTE_MS);
      }
    },
  },
  {
    row: "4, two runners with one job",
    story: "two idle runners acquire one job, and another job waits",
    async holds() {
      const jobsOfRun = [aRunJob({ lastsS: 3600 }), aRunJob()];
      const given = { isDoublyAcquired: true, machines: 2, lifetimeS: 7200, jobsOfRun };
      const { world } = await playsOn(given);
      expect(world.jobs[1]?.startedAt).toBeLessThanOrEqual(10 * MINUTE_MS);
    },
  },
  {
    row: "5",
    story: "the token loses the repository while a machine looks unneeded, and a job comes",
    async holds() {
      for (let appearsS = 20; appearsS < 120; appearsS += 2) {
        const jobsOfRun = [aRunJob(), aRunJob({ cancelledS: 14 }), aRunJob({ appearsS, lastsS: 300 })];
        const refused = aFault({ where: "remove", what: "404", times: 1000 });
        await playsOn({ machines: 2, jobsLagS: 10, jobsOfRun, faults: [refused] });
      }
    },
  },
  {
    row: "7",
    story: "creates get no answer for three minutes, and nothing was made",
    async holds() {
      const lost = aFault({ where: "create", what: "lost", lastsS: 180, times: 1000 });
      for (const offers of [5, 1])
        await goesWell({ offers, faults: [lost] }, { creates: 1, startedWithinMs: 12 * MINUTE_MS });
    },
  },
  {
    row: "8",
    story: "another session of the same label runs a job, which fails, or takes an hour",
    async holds() {
      const failed = aRunJob({ elsewhereS: 0, lastsS: 30, conclusion: "failure" });
      await goesWellBeside([failed, aRunJob()]);
      const played = await goesWellBeside([aRunJob({ elsewhereS: 0, lastsS: 3600 }), aRunJob()]);
      expect(played.world.now).toBeLessThan(30 * MINUTE_MS);
    },
  },
  {
    row: "9",
    story: "what main writes down for post can't be written while a job runs",
    async holds() {
      await goesWell({ unwritable: { fromS: 10, lastsS: 1000 } }, { creates: 1 });
    },
  },
  {
    row: "10",
    story: "the service answers with no offers to every search for 40 s",
    async holds() {
      const none = aFault({ where: "search", what: "no offers", lastsS: 40, times: 1000 });
      await goesWell({ faults: [none] }, { creates: 1, startedWithinMs: 4 * MINUTE_MS });
    },
  },
  {
    row: "11",
    story: "ten runs begin at once, and eight machines are allowed",
    async holds() {
      const jobsOfRun = [aRunJob(), aRunJob()];
      const hosts = [aHost({ bootS: 200 })];
      await playsOn({
        hosts,
        machines: 2,
        machinesPerRepository: 8,
        offers: 60,
        otherRuns: 9,
        jobsOfRun,
        readyS: 7200,
      });
    },
  },
  {
    row: "12",
    story: "the hosted runner's clock is set forward by three hours under a job",
    async holds() {
      await goesWell({ clockJump: { atS: 200, byS: 10_800 } }, { creates: 1 });
    },
  },
  {
    row: "12, the sweep",
    story: "the computer that sweeps is three hours ahead",
    async holds() {
      const jobsOfRun = [aRunJob({ lastsS: 2400 })];
      await playsOn({ jobsOfRun, sweepAheadS: 10_800, death: aDeath({ request: 30, hasPost: false }) });
    },
  },
  {
    row: "13",
    story: "GitHub answers 409 to each registration, and no runner has that name",
    async holds() {
      const { end, world } = await playsOn({ faults: [aFault({ where: "register", what: "409", times: 1000 })] });
      expect(end?.error?.name).toBe("GithubRefusedError");
      expect(world.now).toBeLessThan(5 * MINUTE_MS);
    },
  },
  {
    row: "14",
    story: "a job fails, and its machine is gone a moment later",
    async holds() {
      for (const fate of ["vanishes", "exits"] as const)
        for (const followsS of [0, 1, 3]) {
          const hosts = [aHost({ fate, fateS: 86_400, followsS })];
          const { end } = await playsOn({ hosts, jobsOfRun: [aRunJob({ conclusion: "failure" })] });
          expect(end).toMatchObject({ kind: "over", bad: [100], lost: [] });
        }
    },
  },
  {
    row: "15",
    story: "a destruction gets no answer for minutes, while list and GET deny the instance",
    async holds() {
      const unanswered = aFault({ where: "destroy", what: "hangs", lastsS: 3600, times: 1000 });
      const jobsOfRun = Array.from({ length: 16 }, () => aRunJob());
      const death = aDeath({ kind: "cancelled", request: 90 });
      await playsOn({ machines: 16, offers: 40, jobsOfRun, death, faults: [unanswered] });
      const hosts = [aHost({ fate: "broken" }), aHost()];
      await goesWell({ hosts, faults: [unanswered] }, { creates: 2, startedWithinMs: 2 * MINUTE_MS });
    },
  },
  {
    row: "17",
    story: "the run is cancelled two seconds after a job began",
    async holds() {
      const death = aDeath({ kind: "run cancelled", afterStartS: 2 });
      const { world } = await playsOn({
        waitForJobS: 0,
        othersUntilS: 600,
        jobsOfRun: [aRunJob({ appearsS: 60 })],
        death,
      });
      expect(world.jobs[0]).toMatchObject({ conclusion: "cancelled", lostAt: undefined });
    },
  },
  {
    row: "18",
    story: "nobody holds: the job began and ended, and its machine gave itself back, between two looks",
    async holds() {
      for (const bootS of [10, 12, 14, 16, 18]) {
        const given = { hold: false, hosts: [aHost({ bootS, onlineS: 3 })], jobsOfRun: [aRunJob({ lastsS: 1 })] };
        const { world } = await playsOn(given);
        expect(world.boxes).toHaveLength(1);
      }
    },
  },
  {
    row: "19",
    story: "a job can have no machine, and post cancels the run",
    async holds() {
      const hosts = [aHost({ fate: "broken" })];
      const { end, world } = await playsOn({ hosts, attempts: 1, isCancelQuick: true });
      expect(end?.error?.name).toBe("AttemptsExhaustedError");
      expect(world.cancelledAt).toBeDefined();
    },
  },
];

function aDeath(given: Partial<Death>): Death {
  return {
    ...{ kind: "killed", request: Number.MAX_SAFE_INTEGER, afterStartS: undefined, isAfter: false },
    ...{ hasPost: true, postRequest: undefined, isDoubted: false },
    ...given,
  };
}

/** The first job is another session's. */
async function goesWellBeside(jobsOfRun: ReturnType<typeof aRunJob>[]): Promise<Played> {
  const played = await playsOn({ jobsOfRun });
  expect(played.end).toMatchObject({ kind: "over", bad: [], lost: [], error: undefined });
  expect(played.world.jobs[1]?.box).toBeDefined();
  return played;
}
