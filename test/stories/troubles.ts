import fc from "fast-check";
import { aRunJob } from "./a-story.ts";
import type { Fault } from "./fault.ts";
import type { HostStory, JobStory, Story } from "./story.ts";

/** Changes a drawn story into one that has a trouble. */
type Change = (story: Story) => Story;

/** What can befall a session beside its base (draw.ts): a name, and how it is drawn into a story. */
export interface Trouble {
  name: string;
  draws: fc.Arbitrary<Change>;
  /** Only the virtual world can play it, not the simulator (test/chaos). */
  isVirtual?: true;
}

const often = <T>(usual: T, other: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 3 }, { arbitrary: other, weight: 1 });

const anySpan = (lastsS: { min: number; max: number }) =>
  fc.record({ fromS: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 900 })), lastsS: fc.integer(lastsS) });

/** Those of a list whose bit is set; always the first one's. */
const chosen = fc.integer({ min: 0, max: 63 }).map((bits) => (index: number) => (((bits << 1) | 1) >> (index % 7)) & 1);

const withHosts = (change: fc.Arbitrary<Partial<HostStory>>): fc.Arbitrary<Change> =>
  fc.tuple(chosen, change).map(([isChosen, changed]) => (story) => ({
    ...story,
    hosts: story.hosts.map((host, index) => (isChosen(index) ? { ...host, ...changed } : host)),
  }));

const withJobs = (change: fc.Arbitrary<Partial<JobStory>>): fc.Arbitrary<Change> =>
  fc.tuple(chosen, change).map(([isChosen, changed]) => (story) => ({
    ...story,
    jobsOfRun: story.jobsOfRun.map((job, index) => (isChosen(index) ? { ...job, ...changed } : job)),
  }));

const withFields = (change: fc.Arbitrary<Partial<Story>>): fc.Arbitrary<Change> =>
  change.map((changed) => (story) => ({ ...story, ...changed }));

const withFault = (given: Pick<Fault, "where" | "what">, lastsS: { min: number; max: number }): fc.Arbitrary<Change> =>
  anySpan(lastsS).map((span) => (story) => ({
    ...story,
    faults: [{ ...given, ...span, times: 1000, detail: 30 }, ...story.faults],
  }));

const both = (first: fc.Arbitrary<Change>, second: fc.Arbitrary<Change>): fc.Arbitrary<Change> =>
  fc.tuple(first, second).map(
    ([one, other]) =>
      (story) =>
        other(one(story)),
  );

/** The first job runs for hours. */
const A_LONG_JOB: fc.Arbitrary<Change> = fc.integer({ min: 2400, max: 9000 }).map((lastsS) => (story) => ({
  ...story,
  lifetimeS: 10_800,
  jobsOfRun: story.jobsOfRun.map((job, index) => (index === 0 ? { ...job, lastsS } : job)),
}));

const manyJobs = (min: number, max: number) =>
  fc.array(
    fc.integer({ min, max }).map((lastsS) => aRunJob({ lastsS })),
    { minLength: 5, maxLength: 16 },
  );

const SEVERAL_JOBS = withFields(fc.record({ jobsOfRun: manyJobs(1800, 7200), lifetimeS: fc.constant(10_800) }));

const NO_DEATH = { hasPost: true, postRequest: undefined, isDoubted: false, isAfter: false } as const;

/** All troubles. A story has up to two of them, and says which in `had`. */
export const TROUBLES: readonly Trouble[] = [
  {
    name: "deaf hosts",
    draws: withHosts(fc.constant({ isDeaf: true, fate: "works" })),
  },
  {
    name: "dispatch pauses",
    draws: both(
      fc.oneof(A_LONG_JOB, SEVERAL_JOBS),
      withFields(
        fc.record({
          pauses: fc.tuple(
            fc.record({
              fromS: often(2, fc.integer({ min: 0, max: 900 })),
              lastsS: fc.integer({ min: 60, max: 600 }),
              isSinceStart: often(true, fc.constant(false)),
            }),
          ),
          machines: fc.integer({ min: 2, max: 6 }),
          ...{ idleS: fc.constant(60), maxParallel: fc.constant(99), machinesPerRepository: fc.constant(16) },
        }),
      ),
    ),
  },
  {
    name: "max-parallel",
    draws: withFields(
      fc.record({
        maxParallel: fc.integer({ min: 1, max: 3 }),
        machines: fc.integer({ min: 3, max: 8 }),
        jobsOfRun: manyJobs(60, 900),
      }),
    ),
  },
  {
    name: "slow lists",
    draws: withFields(fc.constantFrom({ jobsTakeS: 16 }, { jobsTakeS: 6, otherJobs: 250 })),
  },
  {
    name: "stuck busy runners",
    draws: withHosts(
      fc.record({ stuckS: fc.integer({ min: 1200, max: 7200 }), stuckAs: fc.constantFrom("busy", "422") }),
    ),
  },
  {
    name: "double acquires",
    isVirtual: true,
    draws: both(
      withFields(fc.record({ isDoublyAcquired: fc.constant(true), machines: fc.constantFrom(2, 3) })),
      A_LONG_JOB,
    ),
  },
  {
    name: "a token that loses the repository",
    draws: withFault({ where: "remove", what: "404" }, { min: 15, max: 400 }),
  },
  { name: "422s that linger", draws: withFields(fc.integer({ min: 5, max: 40 }).map((lingersS) => ({ lingersS }))) },
  {
    name: "creates without an answer",
    draws: both(
      withFault({ where: "create", what: "lost" }, { min: 120, max: 400 }),
      withFields(fc.record({ offers: fc.integer({ min: 1, max: 5 }) })),
    ),
  },
  {
    name: "two sessions of one label",
    isVirtual: true,
    draws: withJobs(
      fc.record({ elsewhereS: fc.integer({ min: 0, max: 300 }), lastsS: fc.integer({ min: 1, max: 5000 }) }),
    ),
  },
  {
    name: "unwritable files",
    isVirtual: true,
    draws: withFields(
      anySpan({ min: 15, max: 400 }).map(({ fromS, lastsS }) => ({ unwritable: { fromS: fromS + 1, lastsS } })),
    ),
  },
  {
    name: "empty markets",
    draws: withFault({ where: "search", what: "no offers" }, { min: 30, max: 400 }),
  },
  {
    name: "ten runs of a repository",
    isVirtual: true,
    draws: both(
      withHosts(fc.integer({ min: 60, max: 200 }).map((bootS) => ({ bootS, fate: "works" as const }))),
      withFields(
        fc.record({
          otherRuns: fc.constantFrom(4, 9),
          machines: fc.constant(2),
          machinesPerRepository: fc.integer({ min: 3, max: 8 }),
          offers: fc.constant(60),
        }),
      ),
    ),
  },
  {
    name: "a clock that jumps",
    isVirtual: true,
    draws: withFields(
      fc.record({
        clockJump: fc.record({ atS: fc.integer({ min: 60, max: 900 }), byS: fc.constantFrom(600, 10_800) }),
        maxCost: fc.constant(undefined),
      }),
    ),
  },
  {
    name: "a sweep whose clock is ahead",
    isVirtual: true,
    draws: withFields(
      fc.record({
        sweepAheadS: fc.constant(10_800),
        death: fc.record({
          ...{ kind: fc.constant("killed" as const), request: fc.integer({ min: 10, max: 60 }) },
          ...{ isAfter: fc.boolean(), hasPost: fc.constant(false), isDoubted: fc.boolean() },
          ...{ postRequest: fc.constant(undefined), afterStartS: fc.constant(undefined) },
        }),
      }),
    ),
  },
  { name: "409s to registrations", draws: withFault({ where: "register", what: "409" }, { min: 15, max: 2000 }) },
  {
    name: "hosts that go right after a job",
    draws: both(
      withHosts(
        fc.record({
          fate: fc.constantFrom("vanishes", "exits", "outbid", "stopped"),
          fateS: fc.constant(86_400),
          followsS: fc.integer({ min: 0, max: 4 }),
        }),
      ),
      withJobs(fc.constant({ conclusion: "failure" })),
    ),
  },
  {
    name: "destructions without an answer",
    draws: both(
      fc.oneof(
        withFault({ where: "destroy", what: "lost after" }, { min: 120, max: 900 }),
        withFault({ where: "destroy", what: "hangs" }, { min: 120, max: 3600 }),
      ),
      withHosts(fc.constantFrom<Partial<HostStory>>({ fate: "broken" }, { fate: "exits", fateS: 30 })),
    ),
  },
  {
    name: "cancels right after a job began",
    draws: withFields(
      fc.record({
        ...{ waitForJobS: fc.constant(0), othersUntilS: fc.constant(900), hold: fc.constant(true) },
        jobsOfRun: fc.integer({ min: 30, max: 200 }).map((appearsS) => [aRunJob({ appearsS })]),
        death: fc.integer({ min: 0, max: 4 }).map((afterStartS) => ({
          ...NO_DEATH,
          ...({ kind: "run cancelled", request: Number.MAX_SAFE_INTEGER, afterStartS } as const),
        })),
      }),
    ),
  },
  {
    name: "short jobs that nobody holds for",
    draws: both(
      withFields(fc.constant({ hold: false, machines: 1, jobs: "auto" as const })),
      withJobs(fc.integer({ min: 1, max: 9 }).map((lastsS) => ({ lastsS, appearsS: 0, heldS: 0 }))),
    ),
  },
  {
    name: "cancels that reach post",
    isVirtual: true,
    draws: withFields(fc.constant({ isCancelQuick: true })),
  },
];

/** All; with `STORY_ONLY=NAME` each story has that one alone. */
export function switchedOn(only = process.env.STORY_ONLY): readonly Trouble[] {
  return TROUBLES.filter(({ name }) => only === undefined || name === only);
}

/** Draws up to two of these troubles into a drawn story. */
export function withTroubles(story: fc.Arbitrary<Story>, troubles: readonly Trouble[]): fc.Arbitrary<Story> {
  const on = troubles.map(({ draws, name }) => draws.map((change) => ({ name, change })));
  const least = process.env.STORY_ONLY === undefined ? 0 : 1;
  const lengths = { minLength: least, maxLength: 2 - least };
  const drawn = fc.uniqueArray(fc.oneof(...on), { ...lengths, selector: ({ name }) => name });
  const told = (given: Story, { change, name }: { change: Change; name: string }) => ({
    ...change(given),
    had: [...given.had, name],
  });
  return fc.tuple(story, drawn).map(([given, changes]) => changes.reduce(told, given));
}
