import type { RunnerState } from "../../src/github/runners.ts";
import type { HostStory, JobStory, Story } from "./story.ts";

/** GitHub believes for so long that a job runs whose machine has gone. */
const MISSED_AFTER_MS = 600_000;
/** A machine waits so much longer than main before it gives itself back. */
const IDLE_MORE_MS = 120_000;
const NEVER = Number.POSITIVE_INFINITY;

/** A runner that is registered. Moments in milliseconds; infinite: not yet. */
export interface RunnerInWorld {
  id: number;
  name: string;
  onlineAt: number;
  goneAt: number;
  job: JobInWorld | undefined;
}

/** A rented machine as it really is. */
export interface Box {
  n: number;
  id: number;
  label: string;
  host: HostStory;
  isStray: boolean;
  createdAt: number;
  runningAt: number;
  /** From then on it does nothing any more, and shows that or not. */
  deadAt: number;
  /** From then on it bills nothing. */
  goneAt: number;
  deadline: number;
  runners: RunnerInWorld[];
  idleSince: number;
}

/** A job as it really is. */
export interface JobInWorld {
  id: number;
  name: string;
  story: JobStory;
  appearedAt: number;
  queuedAt: number;
  startedAt: number;
  overAt: number;
  conclusion: string | undefined;
  box: Box | undefined;
  runner: RunnerInWorld | undefined;
  /** Its machine went while it ran. */
  isLost: boolean;
}

/** From when to when its host, its runner or both can't be seen. */
export function outageOf({ host, runners }: Pick<Box, "host" | "runners">): readonly [from: number, to: number] {
  const from = (runners[0]?.onlineAt ?? NEVER) + host.fateS * 1000;
  return [from, from + host.lastsS * (host.fate === "cut off" ? 5000 : 1000)];
}

/** All that is true, whether anybody sees it or not; it goes on by itself. */
export class World {
  now = 0;
  readonly story: Story;
  readonly boxes: Box[] = [];
  readonly jobs: JobInWorld[];
  /** Runners whose machine does not exist (yet). */
  readonly runners = new Map<number, RunnerInWorld>();

  constructor(story: Story) {
    this.story = story;
    this.jobs = story.jobs.map((each, index) => ({
      id: 100 + index,
      name: `test ${index + 1}`,
      story: each,
      appearedAt: each.isChained && index > 0 ? NEVER : each.appearsS * 1000,
      queuedAt: NEVER,
      startedAt: NEVER,
      overAt: NEVER,
      conclusion: undefined,
      box: undefined,
      runner: undefined,
      isLost: false,
    }));
    for (const each of this.jobs) this.#queue(each);
  }

  /** A machine begins to exist. */
  make(n: number, label: string, host: HostStory, runners: RunnerInWorld[], deadline: number, isStray: boolean): Box {
    const runningAt = host.fate === "never boots" ? NEVER : this.now + host.bootS * 1000;
    const isEarly = ["never boots", "bad image", "broken", "gives itself back", "never online"].includes(host.fate);
    const onlineAt = isEarly ? NEVER : runningAt + host.onlineS * 1000;
    const [first] = runners;
    if (first !== undefined && first.goneAt === NEVER) first.onlineAt = onlineAt;
    const dies = ["vanishes", "exits", "outbid"].includes(host.fate) ? onlineAt + host.fateS * 1000 : NEVER;
    const early = host.fate === "gives itself back" ? runningAt + host.onlineS * 1000 : NEVER;
    const deadAt = Math.min(dies, early);
    const goneAt = Math.min(host.fate === "vanishes" ? dies : NEVER, early, host.isFrozen ? NEVER : deadline);
    const box: Box = {
      n,
      id: 700 + this.boxes.length,
      label,
      host,
      isStray,
      createdAt: this.now,
      runningAt,
      deadAt: Math.min(deadAt, deadline),
      goneAt,
      deadline,
      runners,
      idleSince: onlineAt,
    };
    this.boxes.push(box);
    return box;
  }

  /** Lets happen what happens by itself until then. */
  advance(to: number): void {
    for (;;) {
      const next = this.#next(to);
      if (next === undefined) break;
      this.now = Math.max(this.now, next.at);
      next.happen();
    }
    this.now = to;
  }

  stateOf(runner: RunnerInWorld, at: number): RunnerState {
    if (runner.goneAt <= at) return "gone";
    const box = this.boxes.find(({ runners }) => runners.includes(runner));
    if (runner.job !== undefined && runner.job.startedAt <= at && runner.job.overAt > at)
      return box?.host.fate === "cut off" && this.#isAway(box, at) ? "cut-off" : "busy";
    const isUp = box !== undefined && runner.onlineAt <= at && Math.min(box.deadAt, box.goneAt) > at;
    return isUp && !this.#isAway(box, at) ? "online" : "offline";
  }

  /** Its runner is deleted, unless a job is on it. */
  remove(runner: RunnerInWorld): "removed" | "busy" {
    if (runner.job !== undefined && runner.job.overAt > this.now) return "busy";
    runner.goneAt = Math.min(runner.goneAt, this.now);
    return "removed";
  }

  /** It does not bill any more. */
  destroy(box: Box): "destroyed" | "was-gone" {
    if (box.goneAt <= this.now) return "was-gone";
    box.goneAt = this.now;
    this.#die(box, this.now);
    return "destroyed";
  }

  /** Jobs that wait for a runner now. */
  queued(): JobInWorld[] {
    return this.jobs.filter(
      ({ queuedAt, startedAt, overAt }) => queuedAt <= this.now && startedAt > this.now && overAt > this.now,
    );
  }

  /** Jobs that really run now. */
  running(): JobInWorld[] {
    return this.jobs.filter((job) => job.startedAt <= this.now && job.overAt > this.now && !job.isLost);
  }

  #isAway(box: Box, at = this.now): boolean {
    const [from, to] = outageOf(box);
    return ["runner away", "cut off"].includes(box.host.fate) && at >= from && at < to;
  }

  #queue(job: JobInWorld): void {
    job.queuedAt = job.appearedAt + job.story.heldS * 1000;
  }

  #next(to: number): { at: number; happen: () => void } | undefined {
    let at = to;
    let happen: (() => void) | undefined;
    const consider = (when: number, what: () => void) => {
      if (when > at || (when === at && happen !== undefined)) return;
      at = Math.max(when, this.now);
      happen = what;
    };
    for (const job of this.jobs) this.#considerJob(job, consider);
    for (const box of this.boxes) this.#considerBox(box, consider);
    return happen === undefined ? undefined : { at, happen };
  }

  #considerJob(job: JobInWorld, consider: (at: number, happen: () => void) => void): void {
    if (job.conclusion !== undefined || job.queuedAt === NEVER) return;
    const { cancelledS, lastsS, conclusion } = job.story;
    const cancelledAt = cancelledS === undefined ? NEVER : job.queuedAt + cancelledS * 1000;
    if (!job.isLost) consider(cancelledAt, () => this.#end(job, "cancelled"));
    if (job.startedAt === NEVER) this.#considerStart(job, consider);
    else if (job.isLost) consider(job.overAt, () => this.#end(job, "failure"));
    else this.#considerEnd(job, job.startedAt + lastsS * 1000, conclusion, consider);
    const { box } = job;
    if (box !== undefined && !job.isLost) {
      const dead = Math.min(box.deadAt, box.goneAt);
      consider(dead, () => this.#die(box, dead));
    }
  }

  /** The end of a job that is cut off is told when its machine is back, or GitHub misses it. */
  #considerEnd(
    job: JobInWorld,
    at: number,
    conclusion: string,
    consider: (at: number, happen: () => void) => void,
  ): void {
    const [from, to] = job.box?.host.fate === "cut off" ? outageOf(job.box) : [NEVER, NEVER];
    const isCutOff = from >= job.startedAt && at >= from && at < to;
    const isMissed = from >= job.startedAt && at >= from && to - from >= MISSED_AFTER_MS;
    if (isMissed) consider(from + MISSED_AFTER_MS, () => this.#miss(job));
    else consider(isCutOff ? to : at, () => this.#end(job, conclusion));
  }

  #miss(job: JobInWorld): void {
    job.isLost = true;
    this.#end(job, "failure");
  }

  #considerStart(job: JobInWorld, consider: (at: number, happen: () => void) => void): void {
    const { assignS, isExcluded, maxParallel } = this.story;
    if (job.story.asksForMore || isExcluded || this.inProgress() >= maxParallel) return;
    for (const box of this.boxes) {
      const runner = box.runners.find(({ goneAt }) => goneAt > this.now);
      if (runner === undefined || runner.job !== undefined || this.#isAway(box)) continue;
      const at = Math.max(job.queuedAt, runner.onlineAt, this.now - assignS * 1000) + assignS * 1000;
      if (Math.max(at, this.now) >= Math.min(box.deadAt, box.goneAt)) continue;
      consider(at, () => this.#start(job, box, runner));
    }
  }

  /** Jobs that run as far as GitHub knows: lost ones count until it misses their runner. */
  inProgress(): number {
    return this.jobs.filter(({ startedAt, conclusion }) => startedAt !== NEVER && conclusion === undefined).length;
  }

  #start(job: JobInWorld, box: Box, runner: RunnerInWorld): void {
    Object.assign(job, { startedAt: this.now, box, runner });
    runner.job = job;
  }

  #end(job: JobInWorld, conclusion: string): void {
    job.overAt = this.now;
    job.conclusion = conclusion;
    const next = this.jobs[this.jobs.indexOf(job) + 1];
    if (next?.story.isChained && next.appearedAt === NEVER && conclusion === "success") {
      next.appearedAt = this.now + next.story.appearsS * 1000;
      this.#queue(next);
    }
    const { box, runner } = job;
    if (box === undefined || runner === undefined) return;
    runner.goneAt = this.now;
    box.idleSince = this.now;
    if (job.isLost) return;
    const hasTime = box.deadline - this.now >= this.story.lifetimeS * 500;
    const following = hasTime ? box.runners.find(({ goneAt }) => goneAt > this.now) : undefined;
    if (following === undefined) this.#giveBack(box, 5000);
    else following.onlineAt = this.now + box.host.onlineS * 500;
    box.idleSince = following === undefined ? NEVER : following.onlineAt;
  }

  #considerBox(box: Box, consider: (at: number, happen: () => void) => void): void {
    if (box.goneAt <= this.now || box.host.isFrozen || box.idleSince === NEVER) return;
    if (box.runners.some(({ job }) => job !== undefined && job.overAt > this.now)) return;
    const idleAt = box.idleSince + this.story.idleS * 1000 + IDLE_MORE_MS;
    if (this.now < box.deadAt) consider(idleAt, () => this.#giveBack(box, 0));
  }

  #giveBack(box: Box, afterMs: number): void {
    box.idleSince = NEVER;
    if (box.host.isFrozen) return;
    box.goneAt = Math.min(box.goneAt, this.now + afterMs);
  }

  #die(box: Box, at: number): void {
    box.deadAt = Math.min(box.deadAt, at);
    for (const { job } of box.runners) {
      if (job === undefined || job.conclusion !== undefined || job.isLost) continue;
      job.isLost = true;
      job.overAt = at + MISSED_AFTER_MS;
    }
  }
}
