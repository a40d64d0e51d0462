import { expect } from "vitest";
import { aFault, aHost, aRunJob, aStory } from "./a-story.ts";
import { type Played, play } from "./play.ts";
import type { Story } from "./story.ts";
import type { JobInWorld } from "./things.ts";

/** A row of issue 24's table: what must hold in its world. */
export interface EvidenceRow {
  row: string;
  story: string;
  holds: () => Promise<void>;
}

export const MINUTE_MS = 60_000;

/** Plays it, sees that no rule is broken, and that every job did well on the first machines. */
export async function goesWell(
  given: Partial<Story>,
  most: { creates: number; startedWithinMs?: number },
): Promise<Played> {
  const played = await playsOn(given);
  expect(played.end).toMatchObject({ kind: "over", bad: [], lost: [], error: undefined });
  expect(played.world.boxes.length).toBeLessThanOrEqual(most.creates);
  for (const { startedAt, queuedAt } of played.world.jobs)
    expect(startedAt - queuedAt).toBeLessThanOrEqual(most.startedWithinMs ?? 2 * MINUTE_MS);
  return played;
}

export async function playsOn(given: Partial<Story>): Promise<Played> {
  const played = await play(aStory(given));
  expect(played.broken.map(({ rule, text }) => `${rule}: ${text}`)).toEqual([]);
  return played;
}

function jobOf({ world }: Played, index: number): JobInWorld {
  const job = world.jobs[index];
  if (job === undefined) throw new Error(`There is no job ${index}.`);
  return job;
}

/** Two jobs, two machines; the first job runs for an hour. */
const BESIDE_A_LONG_ONE: Partial<Story> = {
  machines: 2,
  lifetimeS: 7200,
  jobsOfRun: [aRunJob({ lastsS: 3600 }), aRunJob({ appearsS: 60 })],
};
const TWO_LOOKS = { fromS: 60, lastsS: 45, times: 1000 };

export const ROWS: readonly EvidenceRow[] = [
  {
    row: "1",
    story: "lists without a machine whose job runs",
    async holds() {
      await goesWell({ faults: [aFault({ ...TWO_LOOKS, where: "list", what: "empty" })] }, { creates: 1 });
      const partial = aFault({ ...TWO_LOOKS, where: "list", what: "partial", detail: 0b10 });
      await goesWell({ machines: 2, jobsOfRun: [aRunJob(), aRunJob()], faults: [partial] }, { creates: 2 });
    },
  },
  {
    row: "2",
    story: "lists that are shorter than they say",
    async holds() {
      const two = { machines: 2, jobsOfRun: [aRunJob(), aRunJob()] };
      const partial = { ...TWO_LOOKS, what: "partial, honest", detail: 0b10 } as const;
      await goesWell({ ...two, faults: [aFault({ ...partial, where: "list" })] }, { creates: 2 });
      const later = [aRunJob(), aRunJob({ appearsS: 30, lastsS: 60 }), aRunJob({ appearsS: 90, lastsS: 60 })];
      const jobs = aFault({
        fromS: 200,
        lastsS: 900,
        times: 30,
        where: "jobs",
        what: "partial, honest",
        detail: 0b1,
      });
      await goesWell({ machines: 3, jobsOfRun: later, faults: [jobs] }, { creates: 3 });
    },
  },
  {
    row: "3",
    story: "ready after 15 s, first listed after 40 s",
    async holds() {
      await goesWell({ hosts: [aHost({ createS: 0, listedS: 40 })] }, { creates: 1 });
    },
  },
  {
    row: "4",
    story: "one page of a gateway, 403, answers one create",
    async holds() {
      const page = { where: "create", what: "page 403" } as const;
      await goesWell({ faults: [aFault(page)] }, { creates: 1 });
      await goesWell({ ...BESIDE_A_LONG_ONE, faults: [aFault({ ...page, fromS: 30 })] }, { creates: 2 });
      const searches = aFault({ where: "search", what: "page 403", fromS: 30, lastsS: 900, times: 2 });
      const late = { ...BESIDE_A_LONG_ONE, searchS: 0, faults: [searches] };
      await goesWell(late, { creates: 2, startedWithinMs: 3 * MINUTE_MS });
    },
  },
  {
    row: "5",
    story: "GitHub answers 404 to registrations for 15 s",
    async holds() {
      const refused = { where: "register", what: "404", lastsS: 15, times: 1000 } as const;
      await goesWell({ faults: [aFault(refused)] }, { creates: 1, startedWithinMs: 3 * MINUTE_MS });
      const later = { ...BESIDE_A_LONG_ONE, faults: [aFault({ ...refused, fromS: 60 })] };
      await goesWell(later, { creates: 2, startedWithinMs: 3 * MINUTE_MS });
    },
  },
  {
    row: "6",
    story: "one host has not enough disk",
    async holds() {
      const refused = aFault({ where: "create", what: "400 host" });
      const { world } = await goesWell({ offers: 5, faults: [refused] }, { creates: 1, startedWithinMs: MINUTE_MS });
      expect(world.boxes[0]?.offer).toBe(2);
    },
  },
  {
    row: "7",
    story: "a spare that was given up is listed 61 s after it was gone",
    async holds() {
      const { remembered, world } = await goesWell(SPARE, { creates: 5, startedWithinMs: 5 * MINUTE_MS });
      expect(remembered.filter((fate) => fate.startsWith("failed"))).toEqual([]);
      expect(world.boxes.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5]);
    },
  },
  {
    row: "8",
    story: "one create makes two instances",
    async holds() {
      await twinsBeforeTheyRun();
      await twinsWhileAJobRuns();
    },
  },
  {
    row: "9",
    story: "every offer is a little too dear for max-cost, and a fitting one comes after 60 s",
    async holds() {
      const hosts = [aHost({ price: 0.55 }), aHost({ price: 0.2, offeredS: 60 })];
      await goesWell({ hosts, offers: 2, maxCost: 0.1 }, { creates: 1, startedWithinMs: 3 * MINUTE_MS });
      const none = await playsOn({ hosts: [aHost({ price: 0.55 })], offers: 2, maxCost: 0.1 });
      expect(none.world.now).toBeGreaterThanOrEqual(10 * MINUTE_MS);
      expect(none.end?.error?.name).toBe("NoOfferError");
      expect(none.end?.error?.message).toMatch(/0\.55.*0\.1\d/);
    },
  },
  {
    row: "10",
    story: "outbid, and the job ends as failure 4 s later",
    async holds() {
      const hosts = [aHost({ fate: "outbid", fateS: 120, tellsS: 4 })];
      const jobsOfRun = [aRunJob(), aRunJob({ lastsS: 60 })];
      const { end, world } = await playsOn({ hosts, jobsOfRun, bid: 0.3, bidFallback: true });
      expect(end).toMatchObject({ kind: "over", bad: [], lost: [100] });
      expect(end?.error?.name).toBe("MachineLostError");
      expect(world.boxes.map(({ isBid }) => isBid)).toEqual([true, false]);
    },
  },
  {
    row: "11",
    story: "more than 100 runners in the place, 16 machines with 4 uses each",
    async holds() {
      const jobsOfRun = Array.from({ length: 32 }, () => aRunJob({ lastsS: 200 }));
      const hosts = [aHost({ bootS: 60, onlineS: 40 })];
      const place = { otherRunners: 120, machines: 16, jobsPerMachine: 4, offers: 40 };
      const { github } = await goesWell(
        { ...place, hosts, jobsOfRun },
        { creates: 16, startedWithinMs: 20 * MINUTE_MS },
      );
      expect(mostInAMinute(github.asked)).toBeLessThanOrEqual(300);
    },
  },
  {
    row: "13",
    story: "the first job of a machine failed by itself, and the machine is lost under the second",
    async holds() {
      // GitHub misses the runner for a moment under the first job, while another machine boots.
      const hosts = [aHost({ blipS: 100, blipForS: 30, fate: "vanishes", fateS: 500 }), aHost({ bootS: 105 })];
      const first = aRunJob({ lastsS: 300, conclusion: "failure" });
      const jobsOfRun = [first, aRunJob({ lastsS: 900 }), aRunJob({ appearsS: 310 })];
      const { end } = await playsOn({ hosts, jobsOfRun, machines: 2, jobsPerMachine: 2 });
      expect(end).toMatchObject({ kind: "over", bad: [100], lost: [102] });
    },
  },
  {
    row: "near its deadline",
    story: "a machine gives itself back as too little time is left for another job",
    async holds() {
      const jobsOfRun = [aRunJob({ lastsS: 600 }), aRunJob({ lastsS: 60 })];
      const { end, remembered } = await playsOn({ jobsPerMachine: 2, lifetimeS: 900, jobsOfRun, maxCost: 0.2 });
      expect(remembered.filter((fate) => fate.startsWith("failed"))).toEqual([]);
      expect(end?.lost).toEqual([]);
    },
  },
  {
    row: "seen by nobody",
    story: "a machine is ready while the runners can't be read, and gives itself back for want of a job",
    async holds() {
      const unread = aFault({ where: "runners", what: "502", lastsS: 390, times: 1000 });
      const given = { isExcluded: true, readyS: 300, idleS: 60, hosts: [aHost({ bootS: 100 })], offers: 1 };
      const { end, remembered } = await playsOn({ ...given, attempts: 2, faults: [unread] });
      // It has not waited for all of ready-timeout, nor failed: GitHub gives it no job.
      expect(end?.stop).toBe("passed-over-alone");
      expect(remembered.filter((fate) => fate.startsWith("failed"))).toEqual([]);
    },
  },
  {
    row: "listed on",
    story: "the service's list shows for long what it destroyed",
    async holds() {
      const broken = aHost({ fate: "broken", destroyS: 52, ghostS: 60 });
      const jobsOfRun = Array.from({ length: 5 }, () => aRunJob());
      const { end } = await playsOn({ hosts: [broken], machines: 5, attempts: 1, jobsOfRun });
      expect(end?.error?.name).toBe("AttemptsExhaustedError");
    },
  },
  {
    row: "listed late, and with a job",
    story: "a create without an answer is listed 41 s after it was sent, when its runner has the job",
    async holds() {
      for (const detail of LISTED_LATE_S) {
        const faults = [aFault({ where: "create", what: "listed late", detail })];
        await goesWell({ faults }, { creates: 1, startedWithinMs: MINUTE_MS });
        await goesWell({ faults, machines: 2, jobsOfRun: [aRunJob(), aRunJob()] }, { creates: 2 });
      }
    },
  },
  {
    row: "listed late, and ready",
    story: "its runner is online before a list shows it, and the job comes after that",
    async holds() {
      for (const detail of LISTED_LATE_S) {
        const faults = [aFault({ where: "create", what: "listed late", detail })];
        const jobsOfRun = [aRunJob({ appearsS: 120 })];
        await goesWell({ faults, jobsOfRun, waitForJobS: 0, othersUntilS: 120 }, { creates: 1 });
      }
    },
  },
  {
    row: "listed late, and booting",
    story: "it boots when it counts as not carried out, and another one is rented",
    async holds() {
      for (const detail of LISTED_LATE_S) {
        const faults = [aFault({ where: "create", what: "listed late", detail })];
        const { world } = await goesWell(
          { faults, hosts: [aHost({ bootS: 80 })] },
          { creates: 2, startedWithinMs: 4 * MINUTE_MS },
        );
        const [first, second] = world.boxes;
        expect(second === undefined || (first?.goneAt ?? 0) < 3 * MINUTE_MS).toBe(true);
      }
    },
  },
  {
    row: "listed late, after main",
    story: "main is cancelled or killed before a list shows it, and post finds it",
    async holds() {
      for (const kind of ["cancelled", "killed"] as const)
        for (let request = 6; request < 12; request += 1) {
          const death = { kind, request, afterStartS: undefined, isAfter: true, hasPost: true } as const;
          const hosts = [aHost({ bootS: 80 })];
          const faults = [aFault({ where: "create", what: "listed late", detail: 41 })];
          const ended = { ...death, postRequest: undefined, isDoubted: false };
          const { world } = await playsOn({ faults, hosts, death: ended });
          expect(world.boxes).toHaveLength(1);
        }
    },
  },
  {
    row: "confirmed by nobody",
    story: "the end of a second instance can't be confirmed before the first one runs, and another job waits",
    async holds() {
      const twin = aFault({ where: "create", what: "twin", detail: 30 });
      const page = aFault({ where: "get", what: "page 404", lastsS: 200, times: 1000 });
      const hosts = [aHost({ bootS: 60 })];
      const jobsOfRun = [aRunJob({ lastsS: 3600 }), aRunJob({ appearsS: 150 })];
      const given = { ...BESIDE_A_LONG_ONE, jobsOfRun, hosts, faults: [twin, page] };
      await goesWell(given, { creates: 3, startedWithinMs: 5 * MINUTE_MS });
    },
  },
];

const LISTED_LATE_S = [39, 41, 44, 47, 52, 60];

/** Two jobs and two spares that are drained, of which one list shows what was before, while a third job waits. */
const SPARE: Partial<Story> = {
  machines: 4,
  hedge: true,
  attempts: 1,
  hosts: [aHost({ bootS: 30 }), aHost({ bootS: 30 }), aHost({ bootS: 200 })],
  jobsOfRun: [aRunJob(), aRunJob(), aRunJob({ appearsS: 120, lastsS: 60 })],
  faults: [aFault({ where: "list", what: "old", fromS: 140, detail: 90 })],
};

async function twinsBeforeTheyRun(): Promise<void> {
  const twin = aFault({ where: "create", what: "twin", detail: 30 });
  const { world } = await goesWell(
    { hosts: [aHost({ bootS: 90 })], faults: [twin] },
    { creates: 2, startedWithinMs: 3 * MINUTE_MS },
  );
  const [first, second] = world.boxes;
  expect(second?.goneAt).toBeLessThan(MINUTE_MS);
  expect(first?.goneAt).toBeGreaterThan(10 * MINUTE_MS);
  expect(world.runners.filter(({ isRemoved }) => isRemoved)).toEqual([]);
}

async function twinsWhileAJobRuns(): Promise<void> {
  const twin = aFault({ where: "create", what: "twin", detail: 90 });
  const played = await goesWell({ idleS: 900, faults: [twin] }, { creates: 2 });
  const { overAt } = jobOf(played, 0);
  for (const { goneAt } of played.world.boxes) expect(goneAt).toBeGreaterThanOrEqual(overAt);
}

function mostInAMinute(moments: readonly number[]): number {
  const counts = moments.map((at, index) => moments.slice(index).filter((later) => later - at < MINUTE_MS).length);
  return Math.max(0, ...counts);
}
