import { RUNNER_LABEL } from "./outside.ts";
import type { HostStory, Story } from "./story.ts";
import type { Box, JobInWorld, Rented, RunnerInWorld } from "./things.ts";
import { awayOf, canServe, isAway, isHeld, isUp } from "./things.ts";

/** GitHub believes for so long that a job runs whose machine has gone. */
const MISSED_AFTER_MS = 600_000;
/** A machine waits so much longer than main before it gives itself back. */
const IDLE_MORE_MS = 120_000;
const GIVES_BACK_MS = 5000;
/** A listener whose session another machine had asks again after so long. */
const SESSION_AGAIN_MS = 10_000;
/** After a cancel of the run its runners end their steps and store their logs. */
const ENDS_STEP_MS = 10_000;
/** GitHub takes so long to end those that wait. */
const ENDS_WAIT_MS = 5000;
const NEVER = Number.POSITIVE_INFINITY;
/** The id of the first job. */
export const FIRST_JOB = 100;

/** What happens next by itself; and whoever may know of something earlier. */
interface Next {
  at: number;
  happen: () => void;
}
type Consider = (at: number, happen: () => void) => void;

/** All that is true, whether anybody sees it or not; it goes on by itself. */
export class World {
  now = 0;
  readonly story: Story;
  readonly boxes: Box[] = [];
  readonly jobs: JobInWorld[];
  readonly runners: RunnerInWorld[] = [];
  /** When the run was cancelled. */
  cancelledAt: number | undefined;
  /** What happened, with its time, for people. */
  readonly events: string[] = [];

  constructor(story: Story) {
    this.story = story;
    this.jobs = story.jobsOfRun.map((each, index) => {
      const appearedAt = each.isChained && index > 0 ? NEVER : each.appearsS * 1000;
      const queuedAt = appearedAt + each.heldS * 1000;
      const times = { appearedAt, queuedAt, shownAt: NEVER, startedAt: NEVER, overAt: NEVER };
      const open = { conclusion: undefined, box: undefined, runner: undefined, lostAt: undefined, isCut: false };
      return { id: FIRST_JOB + index, name: `test ${index + 1}`, story: each, ...times, ...open };
    });
  }

  note(what: string): void {
    this.events.push(`${(this.now / 1000).toFixed(1).padStart(7)} s  ${what}`);
  }

  hostOf(offer: number): HostStory {
    const { hosts } = this.story;
    const host = hosts[(offer - 1) % hosts.length];
    if (host === undefined) throw new Error("A story has a host.");
    return host;
  }

  register(name: string): RunnerInWorld {
    const times = { registeredAt: this.now, onlineAt: NEVER, goneAt: NEVER, stuckUntil: 0 };
    const facts = { box: undefined, job: undefined };
    const runner = { id: 21 + this.runners.length, name, ...times, ...facts };
    this.runners.push(runner);
    return runner;
  }

  /** A machine begins to exist. */
  make({ listedS, ...given }: Rented): Box {
    const { bid, isLate = false, isTwin = false, n, offer } = given;
    const drawn = this.hostOf(offer);
    // Nobody bids more for what is rented on demand.
    const fate = drawn.fate === "outbid" && bid === undefined ? "works" : drawn.fate;
    // Post looks for 40 s for what main could not write down.
    const shownS = this.story.death === undefined ? drawn.listedS : Math.min(drawn.listedS, 20);
    const host: HostStory = { ...drawn, fate, listedS: listedS ?? shownS };
    const runningAt = ["never boots", "bad image", "broken"].includes(fate) ? NEVER : this.now + host.bootS * 1000;
    const listenAt = fate === "never online" ? NEVER : runningAt + host.onlineS * 1000;
    const visibleAt = this.now + (host.listedS + this.story.instancesLagS) * 1000;
    const id = 700 + this.boxes.length;
    const box: Box = {
      ...{ ...given, ordered: given.deadline, id, host, isTwin, isLate, price: bid ?? host.price },
      ...{ createdAt: this.now, runningAt, listenAt, visibleAt, shownAt: NEVER, idleAt: NEVER },
      ...{ deadAt: NEVER, goneAt: NEVER, current: undefined },
    };
    this.boxes.push(box);
    this.note(`instance ${id} begins to exist (create ${n}, offer ${offer}, ${fate}${isTwin ? ", a twin" : ""})`);
    return box;
  }

  /** Lets happen what happens by itself until then. */
  advance(to: number): void {
    for (let next = this.#next(to); next !== undefined; next = this.#next(to)) {
      this.now = Math.max(this.now, next.at);
      next.happen();
    }
    this.now = Math.max(this.now, to);
  }

  /** What can be rented now, by anybody; or everything that there is. */
  offers(isAll = false): { id: number; price: number }[] {
    const rented = new Set(this.boxes.flatMap(({ goneAt, offer }) => (goneAt > this.now ? [offer] : [])));
    const isFree = (id: number) => !rented.has(id) && this.hostOf(id).offeredS * 1000 <= this.now;
    const ids = Array.from({ length: this.story.offers }, (_, index) => index + 1);
    return ids.filter((id) => isAll || isFree(id)).map((id) => ({ id, price: this.hostOf(id).price }));
  }

  /** A request destroys it. */
  destroy(box: Box): void {
    if (box.goneAt <= this.now) return;
    this.note(`instance ${box.id} is destroyed`);
    this.#end(box, this.now);
  }

  /** Its registration is deleted, unless a job is on it. */
  remove(runner: RunnerInWorld): "removed" | "busy" {
    const { box } = runner;
    if (this.isUndeletable(runner)) return "busy";
    if (runner.goneAt > this.now) {
      this.note(`runner ${runner.id} is deleted`);
      runner.goneAt = this.now;
    }
    if (box !== undefined && box.current === runner) this.#goOn(box);
    return "removed";
  }

  /** True while its removal answers that a job runs on it. */
  isUndeletable(runner: RunnerInWorld): boolean {
    const lingersUntil = (runner.job?.overAt ?? 0) + this.story.lingersS * 1000;
    return isHeld(runner, this.now) || (runner.job !== undefined && lingersUntil > this.now);
  }

  /** When GitHub gives no job to anybody, in milliseconds. */
  pauses(): { from: number; to: number }[] {
    const startedAt = Math.min(...this.jobs.map((job) => job.startedAt));
    return this.story.pauses.map(({ fromS, isSinceStart, lastsS }) => {
      const from = (isSinceStart ? startedAt : 0) + fromS * 1000;
      return { from, to: from + lastsS * 1000 };
    });
  }

  /** GitHub ends all jobs of the run: those that run as soon as their runners have. */
  cancelRun(): void {
    this.cancelledAt ??= this.now;
    this.note("the run is cancelled");
  }

  /** Jobs that wait for a runner now. */
  queued(): JobInWorld[] {
    const { now } = this;
    return this.jobs.filter(({ queuedAt, startedAt, overAt }) => queuedAt <= now && startedAt > now && overAt > now);
  }

  /** Jobs that really run now on machines of this session. */
  running(): JobInWorld[] {
    const isOn = ({ overAt, startedAt }: JobInWorld) => startedAt <= this.now && overAt > this.now;
    return this.jobs.filter((job) => isOn(job) && job.lostAt === undefined && job.box !== undefined);
  }

  /** Jobs that run as far as GitHub knows: lost ones count until it misses their runner. */
  inProgress(): number {
    return this.jobs.filter(({ startedAt, conclusion }) => startedAt !== NEVER && conclusion === undefined).length;
  }

  #next(to: number): Next | undefined {
    let next: Next | undefined;
    const consider: Consider = (at, happen) => {
      if (at <= to && (next === undefined || at < next.at)) next = { at, happen };
    };
    for (const box of this.boxes) if (isUp(box, this.now)) this.#considerBox(box, consider);
    for (const job of this.jobs) if (job.conclusion === undefined) this.#considerJob(job, consider);
    return next;
  }

  #considerBox(box: Box, consider: Consider): void {
    const { createdAt, deadline, host, idleAt, listenAt } = box;
    const { fate, fateS, followsS = NEVER, isFrozen } = host;
    const { job } = box.runners[0] ?? {};
    const followsAt = (job?.box === box ? job.overAt : NEVER) + followsS * 1000;
    if (["vanishes", "exits", "outbid", "stopped"].includes(fate))
      consider(Math.min(createdAt + fateS * 1000, followsAt), () => this.#die(box));
    consider(listenAt, () => this.#listen(box));
    if (!isFrozen) consider(Math.min(idleAt, deadline), () => this.#giveBack(box));
  }

  /** Its script starts a listener for the next of its runners; without one it gives itself back. */
  #listen(box: Box): void {
    box.listenAt = NEVER;
    if (box.host.fate === "gives itself back") return this.#giveBack(box);
    const runner = box.runners.find(({ goneAt, job }) => goneAt > this.now && job === undefined);
    if (runner === undefined) return this.#goOn(box);
    box.idleAt = this.now + this.story.idleS * 1000 + IDLE_MORE_MS;
    // Its script counts from its first listener on, whoever has its session.
    box.deadline = Math.min(box.deadline, this.now + this.story.lifetimeS * 1000);
    const other = runner.box;
    if (other !== undefined && other !== box && isUp(other, this.now)) return;
    runner.box = box;
    runner.onlineAt = this.now;
    box.current = runner;
    if (box.host.stuckS > 0 && runner === box.runners[0]) this.#holdUp(box, runner);
    this.note(`runner ${runner.id} is online on instance ${box.id}`);
  }

  /** GitHub has given it a job of which nobody hears again, so that its script waits for that. */
  #holdUp(box: Box, runner: RunnerInWorld): void {
    runner.stuckUntil = this.now + box.host.stuckS * 1000;
    box.idleAt = runner.stuckUntil + this.story.idleS * 1000 + IDLE_MORE_MS;
    this.note(`runner ${runner.id} of instance ${box.id} is busy with a job that no list has`);
  }

  #considerJob(job: JobInWorld, consider: Consider): void {
    if (job.queuedAt === NEVER) return;
    const { cancelledS = NEVER, elsewhereS = NEVER } = job.story;
    const waits = job.startedAt === NEVER;
    const cancelled = () => this.#over(job, "cancelled");
    const { cancelledAt = NEVER } = this;
    if (waits) consider(Math.max(cancelledAt + ENDS_WAIT_MS, job.queuedAt), cancelled);
    else if (job.lostAt === undefined) consider(cancelledAt + ENDS_STEP_MS, cancelled);
    if (waits) consider(job.queuedAt + elsewhereS * 1000, () => this.#startElsewhere(job));
    if (job.lostAt === undefined) consider(job.queuedAt + cancelledS * 1000, cancelled);
    if (waits) return this.#considerStart(job, consider);
    const { at, isMissed } = endOf(job);
    consider(at, () => {
      if (isMissed) job.lostAt ??= this.now - MISSED_AFTER_MS;
      this.#over(job, job.lostAt === undefined ? job.story.conclusion : "failure");
    });
  }

  #considerStart(job: JobInWorld, consider: Consider): void {
    const { assignS, isExcluded, maxParallel } = this.story;
    if (job.story.asksForMore || isExcluded || this.inProgress() >= maxParallel) return;
    const at = (runner: RunnerInWorld) =>
      this.#dispatched(Math.max(job.queuedAt, runner.onlineAt, this.now - assignS * 1000) + assignS * 1000);
    for (const { box, runner } of this.#listening()) consider(at(runner), () => this.#start(job, box, runner));
  }

  /** Runners to which GitHub would give a job now. */
  #listening(): { box: Box; runner: RunnerInWorld }[] {
    const isHeard = (box: Box) => isUp(box, this.now) && !isAway(box, this.now) && !box.host.isDeaf;
    return this.boxes.filter(isHeard).flatMap((box) => {
      const runner = box.current;
      return runner !== undefined && canServe(runner, this.now) ? [{ box, runner }] : [];
    });
  }

  /** When GitHub gives a job to a runner that it would give to it then. */
  #dispatched(at: number): number {
    const pause = this.pauses().find(({ from, to }) => at >= from && at < to);
    return pause === undefined ? at : this.#dispatched(pause.to);
  }

  /** On a runner that is in no list: its own session has removed it by then. */
  #startElsewhere(job: JobInWorld): void {
    const runner = { ...this.register(`${RUNNER_LABEL}-zzzzzz-${job.id}`), goneAt: this.now, job };
    this.runners.pop();
    Object.assign(job, { startedAt: this.now, runner });
    this.note(`'${job.name}' starts on a machine of another session`);
  }

  #start(job: JobInWorld, box: Box, runner: RunnerInWorld): void {
    Object.assign(job, { startedAt: this.now, box, runner });
    runner.job = job;
    box.idleAt = NEVER;
    this.note(`'${job.name}' starts on instance ${box.id}`);
  }

  #over(job: JobInWorld, conclusion: string): void {
    job.overAt = this.now;
    job.conclusion = conclusion;
    this.note(`'${job.name}' is over: ${conclusion}${job.lostAt === undefined ? "" : ", its machine was lost"}`);
    const next = this.jobs[this.jobs.indexOf(job) + 1];
    if (next?.story.isChained && next.appearedAt === NEVER && conclusion === "success") {
      next.appearedAt = this.now + next.story.appearsS * 1000;
      next.queuedAt = next.appearedAt + next.story.heldS * 1000;
    }
    const { box, lostAt, runner } = job;
    if (box === undefined || runner === undefined) return;
    runner.goneAt = Math.min(runner.goneAt, this.now + this.story.lingersS * 1000);
    if (!isUp(box, this.now) || lostAt !== undefined) return;
    const isKept = conclusion === "failure" && this.story.keepFailedS > 0;
    if (isKept) Object.assign(box, { current: undefined, idleAt: this.now + this.story.keepFailedS * 1000 });
    else this.#goOn(box);
  }

  /** The next listener of a machine, or its end. */
  #goOn(box: Box): void {
    box.current = undefined;
    const isNext = box.runners.some(({ goneAt, job }) => goneAt > this.now && job === undefined);
    const hasTime = box.deadline - this.now >= this.story.lifetimeS * 500;
    box.listenAt = isNext && hasTime ? this.now + box.host.onlineS * 500 : NEVER;
    box.idleAt = isNext && hasTime ? NEVER : this.now + GIVES_BACK_MS;
  }

  #giveBack(box: Box): void {
    const job = box.current?.job;
    if (job !== undefined && job.conclusion === undefined) {
      job.isCut = true;
      this.#over(job, "failure");
    }
    this.note(`instance ${box.id} gives itself back`);
    this.#end(box, this.now);
  }

  /** By its host, or by the service. */
  #die(box: Box): void {
    this.note(`instance ${box.id}: ${box.host.fate}`);
    this.#end(box, box.host.fate === "vanishes" ? this.now : NEVER);
  }

  #end(box: Box, goneAt: number): void {
    box.goneAt = Math.min(box.goneAt, goneAt);
    if (box.deadAt <= this.now) return;
    box.deadAt = this.now;
    const runner = box.current;
    box.current = undefined;
    if (runner?.job !== undefined && runner.job.conclusion === undefined) runner.job.lostAt = this.now;
    // Another machine of the same create asks for the session again.
    for (const twin of this.boxes)
      if (runner !== undefined && runner.job === undefined && twin.runners.includes(runner) && isUp(twin, this.now))
        twin.listenAt = this.now + SESSION_AGAIN_MS;
  }
}

/** When a job that started is over, as GitHub will say; missed: as nobody tells it. */
function endOf({ box, lostAt, startedAt, story }: JobInWorld): { at: number; isMissed: boolean } {
  const at = startedAt + story.lastsS * 1000;
  const { fate, tellsS = 0 } = box?.host ?? {};
  const tellsMs = fate === "outbid" || fate === "stopped" ? tellsS * 1000 : MISSED_AFTER_MS;
  if (lostAt !== undefined) return { at: lostAt + tellsMs, isMissed: false };
  const [from, to] = box !== undefined && fate === "cut off" ? awayOf(box) : [NEVER, NEVER];
  const isCutOff = at >= from && at < to && to > startedAt;
  const isMissed = isCutOff && to - from >= MISSED_AFTER_MS && from >= startedAt;
  if (isMissed) return { at: from + MISSED_AFTER_MS, isMissed };
  return { at: isCutOff ? to : at, isMissed };
}
