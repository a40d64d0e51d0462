import type { HostStory, JobStory } from "./story.ts";

/** A single-use runner. Moments in milliseconds since the story began; infinite: not yet. */
export interface RunnerInWorld {
  id: number;
  name: string;
  registeredAt: number;
  onlineAt: number;
  goneAt: number;
  /** The machine that listens for it, or did last. */
  box: Box | undefined;
  job: JobInWorld | undefined;
  /** Until when GitHub says that it is busy, with a job that no list has. */
  stuckUntil: number;
}

/** A request for a machine, as the service carries it out. */
export interface Rented {
  n: number;
  label: string;
  offer: number;
  runners: RunnerInWorld[];
  deadline: number;
  /** USD per hour; undefined: on demand. */
  bid: number | undefined;
  /** Its machine comes of a create that another one came of, too, or of one that counts as not carried out. */
  isTwin?: boolean;
  isLate?: boolean;
  /** Where it is not its host's. */
  listedS?: number;
}

/** A rented machine as it really is. */
export interface Box extends Rented {
  /** The deadline of its create; its own counts from its first listener, too. */
  ordered: number;
  id: number;
  host: HostStory;
  price: number;
  isTwin: boolean;
  isLate: boolean;
  /** No answer shows it before then; and when a whole list first did. */
  visibleAt: number;
  shownAt: number;
  createdAt: number;
  runningAt: number;
  /** Its next listener begins. */
  listenAt: number;
  /** It gives itself back. */
  idleAt: number;
  /** From then on it does nothing any more, and shows that or not. */
  deadAt: number;
  /** From then on it bills nothing. */
  goneAt: number;
  current: RunnerInWorld | undefined;
}

/** A job as it really is. */
export interface JobInWorld {
  id: number;
  name: string;
  story: JobStory;
  appearedAt: number;
  /** When a list first showed it. */
  shownAt: number;
  queuedAt: number;
  startedAt: number;
  overAt: number;
  conclusion: string | undefined;
  box: Box | undefined;
  runner: RunnerInWorld | undefined;
  /** When its machine went under it. */
  lostAt: number | undefined;
  /** Its machine's deadline ended it. */
  isCut: boolean;
}

/** An instance of no machine of this session. `isLeft`: a sweep of another run may destroy it. */
export interface Other {
  id: number;
  label: string | null;
  isLeft: boolean;
}

/** From when to when its host, its runner or both can't be seen. */
export function awayOf({ createdAt, host }: Pick<Box, "createdAt" | "host">): readonly [from: number, to: number] {
  const from = createdAt + host.fateS * 1000;
  return [from, from + host.lastsS * (host.fate === "cut off" ? 5000 : 1000)];
}

/** True while no answer of GitHub can come from its runner. */
export function isAway(box: Pick<Box, "createdAt" | "host">, at: number): boolean {
  const { blipForS, blipS, fate } = box.host;
  const blipAt = box.createdAt + blipS * 1000;
  if (at < blipAt + blipForS * 1000 && at >= blipAt) return true;
  const [from, to] = awayOf(box);
  return (fate === "runner away" || fate === "cut off") && at >= from && at < to;
}

/** True while GitHub says that it is busy, whoever its job belongs to. */
export function isHeld({ job, onlineAt, stuckUntil }: RunnerInWorld, at: number): boolean {
  const isOn = job !== undefined && job.startedAt <= at && job.overAt > at;
  return isOn || (onlineAt <= at && stuckUntil > at);
}

/** True if GitHub may give it a job. */
export function canServe({ job, stuckUntil }: RunnerInWorld, now: number): boolean {
  return job === undefined && stuckUntil <= now;
}

/** True until its end, by whatever hand. */
export function isUp(box: Pick<Box, "createdAt" | "deadAt" | "goneAt">, at: number): boolean {
  return box.createdAt <= at && Math.min(box.deadAt, box.goneAt) > at;
}
