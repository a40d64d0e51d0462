import fc from "fast-check";
import type { FleetOptions } from "../../src/fleet/options.ts";

/** The fates of a create. `unknown`: no answer, may come true. `unwanted`: refused, yet made. */
export type CreateFate = "created" | "gone" | "too-fast" | "refused" | "unregistered" | "unknown" | "unwanted";

/** The fates of a machine: the first five before it is online, the others some time after. */
export type Fate =
  | "never boots"
  | "bad image"
  | "broken"
  | "gives itself back"
  | "never online"
  | "works"
  | "vanishes"
  | "exits"
  | "outbid"
  | "silent"
  | "runner away"
  /** Both, and GitHub may come to miss its job. */
  | "cut off";

/** One host of the market, in the order in which they are rented. All times in seconds. */
export interface HostStory {
  create: CreateFate;
  createS: number;
  bootS: number;
  onlineS: number;
  fate: Fate;
  /** From its runner online. */
  fateS: number;
  /** How long it is silent, or its runner away; cut off, five times as long. */
  lastsS: number;
  /** Its script does nothing any more, so that it never gives itself back. */
  isFrozen: boolean;
  destroyS: number;
}

/** One GPU job. */
export interface JobStory {
  /** From the start, or from the end of the job before it. */
  appearsS: number;
  isChained: boolean;
  /** An approval or a concurrency group holds it for so long. */
  heldS: number;
  lastsS: number;
  conclusion: "success" | "failure";
  /** From its beginning to wait; undefined: never. */
  cancelledS: number | undefined;
  asksForMore: boolean;
}

/** A time in which a list can't be read, or lacks all of ours. Begins and lasts in seconds. */
export interface Gap {
  list: "github" | "service" | "no jobs shown" | "no instances shown";
  fromS: number;
  lastsS: number;
}

/** Everything that is not decided by the plan. */
export interface Story {
  machines: number;
  jobsExpected: number | "auto";
  hedge: boolean;
  hold: boolean;
  jobsPerMachine: number;
  attempts: number;
  waitForJobS: number;
  idleS: number;
  readyS: number;
  searchS: number;
  lifetimeS: number;
  machinesPerRepository: number;
  attempt: number;
  mayWait: boolean;
  hosts: HostStory[];
  /** How many offers there are; their hosts are those of `hosts`, in turns. */
  offers: number;
  emptyUntilS: number;
  jobs: JobStory[];
  maxParallel: number;
  /** GitHub gives a job to a runner so much later. */
  assignS: number;
  /** GitHub never gives a job to our runners: the group excludes the repository. */
  isExcluded: boolean;
  jobsLagS: number;
  runnersLagS: number;
  instancesLagS: number;
  gaps: Gap[];
  /** Another job of the run is open until then. */
  othersUntilS: number;
}

const often = <T>(usual: T, other: fc.Arbitrary<T>, weight = 4) =>
  fc.oneof({ arbitrary: fc.constant(usual), weight }, { arbitrary: other, weight: 1 });

const host: fc.Arbitrary<HostStory> = fc.record({
  create: often<CreateFate>(
    "created",
    fc.constantFrom("gone", "too-fast", "refused", "unregistered", "unknown", "unwanted"),
  ),
  createS: often(1, fc.integer({ min: 0, max: 30 })),
  bootS: fc.integer({ min: 5, max: 200 }),
  onlineS: fc.integer({ min: 3, max: 90 }),
  fate: often<Fate>(
    "works",
    fc.constantFrom(
      "never boots",
      "bad image",
      "broken",
      "gives itself back",
      "never online",
      "vanishes",
      "exits",
      "outbid",
      "silent",
      "runner away",
      "cut off",
    ),
    2,
  ),
  fateS: fc.integer({ min: 0, max: 400 }),
  lastsS: fc.integer({ min: 1, max: 300 }),
  isFrozen: often(false, fc.constant(true)),
  destroyS: fc.integer({ min: 0, max: 4 }),
});

const job: fc.Arbitrary<JobStory> = fc.record({
  appearsS: often(0, fc.integer({ min: 0, max: 300 }), 2),
  isChained: often(false, fc.constant(true)),
  heldS: often(0, fc.integer({ min: 1, max: 400 })),
  lastsS: fc.oneof(
    { arbitrary: fc.integer({ min: 1, max: 600 }), weight: 9 },
    { arbitrary: fc.integer({ min: 600, max: 2400 }), weight: 1 },
  ),
  conclusion: often<JobStory["conclusion"]>("success", fc.constant("failure")),
  cancelledS: often<number | undefined>(undefined, fc.integer({ min: 1, max: 500 })),
  asksForMore: often(false, fc.constant(true), 12),
});

const gap: fc.Arbitrary<Gap> = fc
  .record({
    list: fc.constantFrom<Gap["list"]>("github", "service", "no jobs shown", "no instances shown"),
    fromS: fc.integer({ min: 0, max: 700 }),
    lastsS: fc.integer({ min: 1, max: 400 }),
  })
  // A list that says something untrue for longer than two looks is believed.
  .map((given) => (given.list.startsWith("no ") ? { ...given, lastsS: Math.min(given.lastsS, 10) } : given));

const rest: fc.Arbitrary<Omit<Story, "machines">> = fc.record({
  jobsExpected: often<number | "auto">("auto", fc.integer({ min: 1, max: 5 }), 3),
  hedge: fc.boolean(),
  hold: often(true, fc.constant(false), 9),
  jobsPerMachine: often(1, fc.integer({ min: 2, max: 4 }), 2),
  attempts: fc.integer({ min: 1, max: 4 }),
  waitForJobS: fc.constantFrom(0, 60, 300),
  idleS: fc.constantFrom(60, 120, 300),
  readyS: fc.constantFrom(300, 900, 1500),
  searchS: fc.constantFrom(0, 120, 600),
  lifetimeS: fc.constantFrom(900, 1800, 3600),
  machinesPerRepository: often(16, fc.integer({ min: 1, max: 4 })),
  attempt: often(1, fc.constant(2)),
  mayWait: fc.boolean(),
  hosts: fc.array(host, { minLength: 1, maxLength: 6 }),
  offers: often(40, fc.integer({ min: 0, max: 4 })),
  emptyUntilS: often(0, fc.integer({ min: 1, max: 500 })),
  jobs: fc.oneof(
    { arbitrary: fc.array(job, { minLength: 1, maxLength: 4 }), weight: 5 },
    { arbitrary: fc.array(job, { maxLength: 12 }), weight: 1 },
  ),
  maxParallel: often(99, fc.integer({ min: 1, max: 2 })),
  assignS: often(2, fc.integer({ min: 0, max: 12 })),
  isExcluded: often(false, fc.constant(true), 19),
  jobsLagS: often(0, fc.integer({ min: 0, max: 10 })),
  runnersLagS: often(0, fc.integer({ min: 0, max: 10 })),
  instancesLagS: often(0, fc.integer({ min: 0, max: 10 })),
  gaps: fc.uniqueArray(gap, { maxLength: 2, selector: ({ list }) => list }),
  othersUntilS: often(0, fc.integer({ min: 1, max: 900 }), 2),
});

/** Any story with so many machines at most. */
export function stories(machines: fc.Arbitrary<number>): fc.Arbitrary<Story> {
  return fc.tuple(machines, rest).map(([most, given]) => ({ machines: most, ...given }));
}

/** The inputs of a story as the plan's policy. */
export function policyOf(story: Story): FleetOptions {
  return {
    machines: story.machines,
    jobs: story.jobsExpected,
    hedge: story.hedge && story.machines > 1,
    hold: story.hold,
    maxPrice: Number.POSITIVE_INFINITY,
    attempts: story.attempts,
    machinesPerRepository: story.machinesPerRepository,
    waitForJobMs: story.waitForJobS * 1000,
    idleMs: story.idleS * 1000,
    readyMs: story.readyS * 1000,
    searchMs: story.searchS * 1000,
    lifetimeMs: story.lifetimeS * 1000,
    keepFailedMs: 0,
    attempt: story.attempt,
    hasProbe: false,
    bidFallback: false,
    makesVolume: false,
  };
}
