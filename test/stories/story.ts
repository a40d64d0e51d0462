import fc from "fast-check";
import { ANY_FAULT, type Fault } from "./fault.ts";
import { anyOf, drawn, mostly, often, plainOf, still, type Values, whole } from "./plan.ts";

/** What becomes of a machine: the first five before its runner is online, the others at any time. */
const FATES = [
  ...(["never boots", "bad image", "broken", "gives itself back", "never online", "vanishes", "exits"] as const),
  // Cut off: its host and its runner are away, and GitHub may come to miss its job.
  ...(["outbid", "outbid", "stopped", "silent", "runner away", "cut off"] as const),
] as const;

const HOST = {
  /** USD per hour. */
  price: drawn<number>(0.4, fc.constantFrom(0.2, 0.4, 0.55, 0.7)),
  /** Its offers come up then. */
  offeredS: mostly(0, whole(1, 500), 6),
  /** How long its create takes to answer. */
  createS: mostly(1, whole(0, 30)),
  bootS: drawn(10, whole(5, 200)),
  onlineS: drawn(5, whole(3, 90)),
  fate: mostly<(typeof FATES)[number] | "works">("works", fc.constantFrom(...FATES), 3),
  /** From its creation to its fate. */
  fateS: drawn(0, whole(1, 900)),
  /** How long it is silent, or its runner away; cut off, five times as long. */
  lastsS: drawn(0, whole(10, 300)),
  /** Its fate comes so long after the end of its first job, if that is before. */
  followsS: still<number | undefined>(undefined),
  /** From its creation to a moment in which GitHub misses its runner, and how long that is. */
  blipS: drawn(0, whole(10, 300)),
  blipForS: mostly(0, whole(1, 30)),
  /** From the end of its machine to the end of its job, where the machine can still tell GitHub. */
  tellsS: drawn<number>(600, fc.constantFrom(4, 30, 600)),
  /** Its script does nothing any more, so that it never gives itself back. */
  isFrozen: mostly(false, fc.constant(true), 9),
  destroyS: mostly(1, whole(0, 70)),
  /** No answer shows it before then, from its creation on. */
  listedS: mostly(0, whole(1, 50)),
  /** Lists show it for so long after it was gone, and as what. */
  ghostS: mostly(0, whole(1, 90), 6),
  ghostAs: drawn<"as it was" | "exited">("as it was", fc.constantFrom("as it was", "exited")),
  /** GitHub gives its runners no job, though they are online. */
  isDeaf: still(false),
  /** From its first runner online on, GitHub says for so long that it is busy, and no list has a job of it. */
  stuckS: still(0),
  /** By the runners' list, or only by the answer to its removal. */
  stuckAs: still<"busy" | "422">("busy"),
};

/** One host of the market. All times in seconds. */
export type HostStory = Values<typeof HOST>;

const JOB = {
  /** From the start, or from the end of the job before it. */
  appearsS: mostly(0, whole(1, 400), 2),
  isChained: mostly(false, fc.constant(true)),
  /** An approval or a concurrency group holds it for so long. */
  heldS: mostly(0, whole(1, 300), 6),
  lastsS: drawn(600, whole(1, 900)),
  conclusion: mostly<"success" | "failure">("success", fc.constant("failure"), 3),
  /** From its beginning to wait; undefined: never. */
  cancelledS: mostly<number | undefined>(undefined, whole(1, 500), 9),
  asksForMore: mostly(false, fc.constant(true), 12),
  /** A runner of another session with the same label takes it so long after it began to wait, if none did before. */
  elsewhereS: still<number | undefined>(undefined),
};

/** One GPU job. */
export type JobStory = Values<typeof JOB>;

const DEATH = {
  kind: drawn<"cancelled" | "run cancelled" | "killed">("killed", fc.constantFrom("cancelled", "killed")),
  request: drawn(Number.MAX_SAFE_INTEGER, whole(1, 60)),
  /** Or at the first request so long after the first job began. */
  afterStartS: still<number | undefined>(undefined),
  /** Whether that request was carried out. */
  isAfter: drawn(false, fc.boolean()),
  /** False: the hosted runner is gone with it. */
  hasPost: mostly(true, fc.constant(false)),
  /** Post is killed at its n-th request. */
  postRequest: mostly<number | undefined>(undefined, whole(1, 8), 3),
  /** The sweep that comes then can't see that the run is over. */
  isDoubted: drawn(false, fc.boolean()),
};

/** The end of main by another hand, at its n-th request. */
export type Death = Values<typeof DEATH>;

/** A time of the story, in seconds. */
export interface Span {
  fromS: number;
  lastsS: number;
}

/** A time in which GitHub gives no job to anybody. */
export interface Pause extends Span {
  /** It counts from the start of the first job. */
  isSinceStart: boolean;
}

/** From one to sixteen, few more often. */
const MACHINES = fc.oneof(
  { arbitrary: fc.constant(1), weight: 3 },
  { arbitrary: whole(2, 4), weight: 4 },
  { arbitrary: fc.constantFrom(8, 16), weight: 1 },
);

const INPUTS = {
  machines: drawn(1, MACHINES),
  jobs: mostly<number | "auto">("auto", whole(1, 5), 3),
  hedge: drawn(false, fc.boolean()),
  hold: mostly(true, fc.constant(false), 12),
  jobsPerMachine: mostly(1, whole(2, 4), 2),
  attempts: drawn(4, whole(1, 4)),
  waitForJobS: drawn<number>(300, fc.constantFrom(0, 60, 300)),
  idleS: drawn<number>(300, fc.constantFrom(60, 120, 300)),
  readyS: drawn<number>(1500, fc.constantFrom(300, 900, 1500)),
  searchS: drawn<number>(600, fc.constantFrom(0, 120, 600)),
  lifetimeS: drawn<number>(3600, fc.constantFrom(900, 1800, 3600)),
  keepFailedS: mostly<number>(0, fc.constantFrom(60, 300), 5),
  machinesPerRepository: mostly(16, whole(1, 4)),
  attempt: mostly<number>(1, fc.constant(2)),
  /** `boot-timeout: auto`. */
  mayWait: drawn(false, fc.boolean()),
  maxCost: mostly<number | undefined>(undefined, fc.constantFrom(0.05, 0.12, 0.3, 1, 5), 2),
  /** USD per hour; undefined: on demand. */
  bid: mostly<number | undefined>(undefined, fc.constantFrom(0.3, 0.5), 3),
  bidFallback: drawn(false, fc.boolean()),
};

/** The inputs that no story changes: seconds until a machine runs, and from then until its runner is online; USD per hour. */
export const BOOT_S = 300;
export const ONLINE_S = 120;
export const MAX_PRICE = 0.6;

/** The inputs of the session. */
export type InputsStory = Values<typeof INPUTS>;

/** A host that works and is ready 16 s after its create was sent, but for what is said. */
export const aHost = (given: Partial<HostStory> = {}): HostStory => ({ ...plainOf(HOST), ...given });

/** A job that waits from the start, runs for ten minutes and does well, but for what is said. */
export const aRunJob = (given: Partial<JobStory> = {}): JobStory => ({ ...plainOf(JOB), ...given });

/** Main is killed, but for what is said. */
export const aDeath = (given: Partial<Death> = {}): Death => ({ ...plainOf(DEATH), ...given });

/** Any end of main by another hand. */
export const ANY_DEATH: fc.Arbitrary<Death> = anyOf(DEATH);

/** So many jobs of a story, at least and at most. */
export const anyJobs = (minLength: number, maxLength: number): fc.Arbitrary<JobStory[]> =>
  fc.array(anyOf(JOB), { minLength, maxLength });

const STORY = {
  ...INPUTS,
  hosts: drawn([aHost()], fc.array(anyOf(HOST), { minLength: 1, maxLength: 6 })),
  /** How many offers there are; their hosts are those of `hosts`, in turns. */
  offers: drawn(20, often(40, whole(0, 4))),
  jobsOfRun: drawn(
    [aRunJob()],
    fc.oneof({ arbitrary: anyJobs(1, 4), weight: 5 }, { arbitrary: anyJobs(0, 12), weight: 1 }),
  ),
  maxParallel: mostly(99, whole(1, 2)),
  /** GitHub gives a job to a runner so much later. */
  assignS: mostly(2, whole(0, 12)),
  /** GitHub never gives a job to our runners: the group excludes the repository. */
  isExcluded: mostly(false, fc.constant(true), 19),
  /** GitHub gives no job to anybody. */
  pauses: still<Pause[]>([]),
  /** A runner whose job is over answers 422 to its removal for so long. */
  lingersS: still(0),
  /** How long each page of the jobs takes, and how many jobs of others fill pages before ours. */
  jobsTakeS: still(0),
  otherJobs: still(0),
  /** The clock of the computer that sweeps is so far ahead. */
  sweepAheadS: still(0),
  /** What main writes down for post can't be written. */
  unwritable: still<Span | undefined>(undefined),
  jobsLagS: mostly(0, whole(0, 10)),
  runnersLagS: mostly(0, whole(0, 10)),
  instancesLagS: mostly(0, whole(0, 10)),
  /** Runners of others in the same place. */
  otherRunners: mostly<number>(0, fc.constantFrom(20, 120), 3),
  /** Another job of the run is open until then. */
  othersUntilS: mostly(0, whole(1, 900), 2),
  faults: drawn<Fault[]>([], fc.array(ANY_FAULT, { maxLength: 3 })),
  death: mostly<Death | undefined>(undefined, ANY_DEATH, 6),
  /** The names of its troubles (troubles.ts). */
  had: still<string[]>([]),
};

/** Everything that the code under test does not decide. */
export type Story = Values<typeof STORY>;

/** One job, one machine, twenty offers and no fault, but for what is said. */
export const aStory = (given: Partial<Story> = {}): Story => ({ ...plainOf(STORY), ...given });

/** Any story without a trouble. */
export const ANY_CALM_STORY: fc.Arbitrary<Story> = anyOf(STORY);

/** The latest end of every story, in ms: each job may wait, run and be lost, each on a machine that is stuck at first. */
export function latestEnd(story: Story): number {
  const { faults, hosts, jobsOfRun, pauses } = story;
  const lastOf = (spans: readonly Span[]) => Math.max(0, ...spans.map(({ fromS, lastsS }) => fromS + lastsS));
  const jobs = jobsOfRun.reduce((sum, job) => sum + job.appearsS + job.heldS + job.lastsS + 2400, 0);
  const offered = Math.max(0, ...hosts.map(({ offeredS }) => offeredS));
  // Where there is no other offer, a job waits until the only runner is no longer stuck.
  const stuck = Math.max(0, ...hosts.map(({ stuckS }) => stuckS));
  const each = story.readyS + story.searchS + story.idleS + story.keepFailedS + stuck + 600;
  const once = jobs + offered + story.othersUntilS + story.waitForJobS + story.lifetimeS;
  return (once + lastOf(faults) + lastOf(pauses) + each * (jobsOfRun.length + 2) + 1800) * 1000;
}
