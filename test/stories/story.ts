import type { Fault } from "./fault.ts";

/** What becomes of a machine: the first five before its runner is online, the others at any time. */
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
  | "stopped"
  | "silent"
  | "runner away"
  /** Both, and GitHub may come to miss its job. */
  | "cut off";

/** One host of the market. All times in seconds. */
export interface HostStory {
  /** USD per hour. */
  price: number;
  /** Its offers come up then. */
  offeredS: number;
  /** How long its create takes to answer. */
  createS: number;
  bootS: number;
  onlineS: number;
  fate: Fate;
  /** From its creation to its fate. */
  fateS: number;
  /** How long it is silent, or its runner away; cut off, five times as long. */
  lastsS: number;
  /** Its fate comes so long after the end of its first job, if that is before. */
  followsS: number | undefined;
  /** From its creation to a moment in which GitHub misses its runner, and how long that is. */
  blipS: number;
  blipForS: number;
  /** From the end of its machine to the end of its job, where the machine can still tell GitHub. */
  tellsS: number;
  /** Its script does nothing any more, so that it never gives itself back. */
  isFrozen: boolean;
  destroyS: number;
  /** No answer shows it before then, from its creation on. */
  listedS: number;
  /** Lists show it for so long after it was gone, and as what. */
  ghostS: number;
  ghostAs: "as it was" | "exited";
  /** GitHub gives its runners no job, though they are online. */
  isDeaf: boolean;
  /** From its first runner online on, GitHub says for so long that it is busy, and no list has a job of it. */
  stuckS: number;
  /** By the runners' list, or only by the answer to its removal. */
  stuckAs: "busy" | "422";
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
  /** A runner of another session with the same label takes it so long after it began to wait, if none did before. */
  elsewhereS: number | undefined;
}

/** A time in which GitHub gives no job to anybody. */
export interface Pause extends Span {
  /** It counts from the start of the first job. */
  isSinceStart: boolean;
}

/** A time of the story, in seconds. */
export interface Span {
  fromS: number;
  lastsS: number;
}

/** The end of main by another hand, at its n-th request. */
export interface Death {
  kind: "cancelled" | "run cancelled" | "killed";
  request: number;
  /** Or at the first request so long after the first job began. */
  afterStartS: number | undefined;
  /** Whether that request was carried out. */
  isAfter: boolean;
  /** False: the hosted runner is gone with it. */
  hasPost: boolean;
  /** Post is killed at its n-th request. */
  postRequest: number | undefined;
  /** The sweep that comes then can't see that the run is over. */
  isDoubted: boolean;
}

/** The inputs of the session. */
export interface InputsStory {
  machines: number;
  jobs: number | "auto";
  hedge: boolean;
  hold: boolean;
  jobsPerMachine: number;
  attempts: number;
  waitForJobS: number;
  idleS: number;
  readyS: number;
  searchS: number;
  lifetimeS: number;
  keepFailedS: number;
  machinesPerRepository: number;
  attempt: number;
  /** `boot-timeout: auto`. */
  mayWait: boolean;
  maxCost: number | undefined;
  /** USD per hour; undefined: on demand. */
  bid: number | undefined;
  bidFallback: boolean;
}

/** Everything that the code under test does not decide. */
export interface Story extends InputsStory {
  hosts: HostStory[];
  /** How many offers there are; their hosts are those of `hosts`, in turns. */
  offers: number;
  jobsOfRun: JobStory[];
  maxParallel: number;
  /** GitHub gives a job to a runner so much later. */
  assignS: number;
  /** GitHub never gives a job to our runners: the group excludes the repository. */
  isExcluded: boolean;
  /** GitHub gives no job to anybody. */
  pauses: Pause[];
  /** A runner whose job is over answers 422 to its removal for so long. */
  lingersS: number;
  /** Two idle runners both acquire one job: the second is busy until that is over. */
  isDoublyAcquired: boolean;
  /** How long each page of the jobs takes, and how many jobs of others fill pages before ours. */
  jobsTakeS: number;
  otherJobs: number;
  /** A cancel reaches the worker of the job that rents within a second; else after a minute. */
  isCancelQuick: boolean;
  /** The clock of main's computer is set forward. */
  clockJump: { atS: number; byS: number } | undefined;
  /** The clock of the computer that sweeps is so far ahead. */
  sweepAheadS: number;
  /** What main writes down for post can't be written. */
  unwritable: Span | undefined;
  /** So many other runs of the repository begin at the same time, with the same inputs and as many jobs. */
  otherRuns: number;
  jobsLagS: number;
  runnersLagS: number;
  instancesLagS: number;
  /** Runners of others in the same place. */
  otherRunners: number;
  /** Another job of the run is open until then. */
  othersUntilS: number;
  faults: Fault[];
  /** Main begins with a sweep of other runs' leftovers. */
  sweepsFirst: boolean;
  death: Death | undefined;
  /** The names of its troubles (troubles.ts). */
  had: string[];
}

/** The latest end of every story, in ms: each job may wait, run and be lost, each on a machine. */
export function latestEnd(story: Story): number {
  const faults = story.faults.reduce((sum, { fromS, lastsS }) => Math.max(sum, fromS + lastsS), 0);
  const jobs = story.jobsOfRun.reduce((sum, job) => sum + job.appearsS + job.heldS + job.lastsS + 2400, 0);
  const offered = Math.max(0, ...story.hosts.map(({ offeredS }) => offeredS));
  const paused = story.pauses.reduce((sum, { fromS, lastsS }) => Math.max(sum, fromS + lastsS), 0);
  const each = story.readyS + story.searchS + story.idleS + story.keepFailedS + 600;
  const once = faults + paused + jobs + offered + story.othersUntilS + story.waitForJobS + story.lifetimeS;
  return (once + each * (story.jobsOfRun.length + 2) + 1800) * 1000;
}
