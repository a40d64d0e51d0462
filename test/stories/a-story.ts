import type { Fault } from "./fault.ts";
import type { HostStory, JobStory, Story } from "./story.ts";

/** A host that works and is ready 16 s after its create was sent, but for what the test says. */
export function aHost(given: Partial<HostStory> = {}): HostStory {
  return {
    price: 0.4,
    offeredS: 0,
    createS: 1,
    bootS: 10,
    onlineS: 5,
    fate: "works",
    fateS: 0,
    lastsS: 0,
    followsS: undefined,
    blipS: 0,
    blipForS: 0,
    tellsS: 600,
    isFrozen: false,
    destroyS: 1,
    listedS: 0,
    ghostS: 0,
    ghostAs: "as it was",
    isDeaf: false,
    stuckS: 0,
    stuckAs: "busy",
    ...given,
  };
}

/** A job that waits from the start, runs for ten minutes and does well, but for what the test says. */
export function aRunJob(given: Partial<JobStory> = {}): JobStory {
  const usual = {
    appearsS: 0,
    isChained: false,
    heldS: 0,
    lastsS: 600,
    conclusion: "success",
    asksForMore: false,
  } as const;
  return { ...usual, cancelledS: undefined, elsewhereS: undefined, ...given };
}

/** Something that goes wrong once, at the first request, but for what the test says. */
export function aFault(given: Pick<Fault, "where" | "what"> & Partial<Fault>): Fault {
  return { fromS: 0, lastsS: 3600, times: 1, detail: 30, ...given };
}

/** One job, one machine, twenty offers and no fault, but for what the test says. */
export function aStory(given: Partial<Story> = {}): Story {
  return {
    machines: 1,
    jobs: "auto",
    hedge: false,
    hold: true,
    jobsPerMachine: 1,
    attempts: 4,
    waitForJobS: 300,
    idleS: 300,
    readyS: 1500,
    searchS: 600,
    lifetimeS: 3600,
    keepFailedS: 0,
    machinesPerRepository: 16,
    attempt: 1,
    mayWait: false,
    maxCost: undefined,
    bid: undefined,
    bidFallback: false,
    hosts: [aHost()],
    offers: 20,
    jobsOfRun: [aRunJob()],
    maxParallel: 99,
    assignS: 2,
    isExcluded: false,
    pauses: [],
    lingersS: 0,
    isDoublyAcquired: false,
    jobsTakeS: 0,
    otherJobs: 0,
    isCancelQuick: false,
    clockJump: undefined,
    sweepAheadS: 0,
    unwritable: undefined,
    otherRuns: 0,
    jobsLagS: 0,
    runnersLagS: 0,
    instancesLagS: 0,
    otherRunners: 0,
    othersUntilS: 0,
    faults: [],
    sweepsFirst: false,
    death: undefined,
    had: [],
    ...given,
  };
}
