import type { SimClock } from "../../clock/sim-clock.ts";
import { type Conclusion, isHeldBack, type Job } from "../runs/run-record.ts";
import type { Runs } from "../runs/runs.ts";
import { heard, isSilent, type Message, newSession, type Runner, type Runners } from "./runners.ts";

/** Real milliseconds that a poll stays open without a message: about GitHub's 50 s where a minute takes three seconds. */
const HOLD_MS = 2_500;
const MINUTE_MS = 60_000;
const LOOK_MS = 10_000;
/**
 * The job of a silent runner goes back to the queue, or fails: as measured by others, after 9 min 36
 * to 45 s.
 */
const LOST_MS: Partial<Record<Job["status"], number>> = { queued: MINUTE_MS, in_progress: 9 * MINUTE_MS + 36_000 };
/** A job that was acquired and never started is cancelled: as measured by others, after 15 min 14 s. */
const NEVER_STARTED_MS = 15 * MINUTE_MS + 14_000;
/** A single-use runner's record outlives its job: by "a few to tens of seconds", as measured by others. */
const RECORD_MS = 10_000;
/** After a cancel the server ends the rest so late. */
const CANCEL_MS = 5 * MINUTE_MS;

/** Brings queued jobs and idle runners together, and notices when one of them goes away. */
export class Dispatcher {
  readonly #clock: SimClock;
  readonly #runners: Runners;
  readonly #runs: Runs;
  readonly #bound = new Set<Job>();
  /** Runners that are given no job now, though they are online. */
  isHeldBack: (runner: Runner) => boolean = () => false;

  constructor(clock: SimClock, runners: Runners, runs: Runs) {
    this.#clock = clock;
    this.#runners = runners;
    this.#runs = runs;
  }

  /** Connects a listener; a second one while the first is alive is a conflict, null. */
  connect(runner: Runner, version: string, machine?: string): string | null {
    if (this.isOnline(runner)) return null;
    runner.session = newSession(this.#clock, machine);
    runner.onlineAt ??= this.#clock.now();
    runner.version = version;
    return runner.session.id;
  }

  /** Says whether GitHub would show the runner as online. */
  isOnline(runner: Runner): boolean {
    return runner.session !== null && !isSilent(runner.session, this.#clock);
  }

  /** Waits for the next message of a listener; `closed` aborts when its connection breaks. */
  async nextMessage(runner: Runner, closed: AbortSignal): Promise<Message> {
    const { session } = runner;
    if (session === null) return "gone";
    heard(session, this.#clock);
    session.answer?.("none");
    const ready = this.#readyMessage(runner);
    if (ready !== "none") return ready;
    const { promise, resolve } = Promise.withResolvers<Message>();
    session.answer = resolve;
    const abandon = () => {
      heard(session, this.#clock, false);
      resolve("none");
    };
    const timer = setTimeout(resolve, HOLD_MS, "none");
    closed.addEventListener("abort", abandon, { once: true });
    const message = await promise;
    clearTimeout(timer);
    closed.removeEventListener("abort", abandon);
    if (session.answer === resolve) session.answer = null;
    if (!closed.aborted) heard(session, this.#clock);
    return message;
  }

  /** Disconnects a listener that said so. A job it never began goes to another runner. */
  disconnect(runner: Runner): void {
    runner.session?.answer?.("none");
    runner.session = null;
    this.#putBack(runner);
  }

  /** Notes that the runner begins its job; false when the job is not its own any more. */
  begin(runner: Runner, job: Job): boolean {
    if (runner.job !== job || job.status !== "queued") return false;
    const group = { groupId: runner.groupId, groupName: "Default" };
    runner.machine = runner.session?.machine;
    this.#runs.setStatus(job, "in_progress", { id: runner.id, name: runner.name, ...group });
    this.#runs.nextStep(job, `Run ${job.spec.run[0] ?? "nothing"}`);
    return true;
  }

  /** Notes the end of a runner's job; an earlier decision of the server (a force-cancel) stands. */
  finish(runner: Runner, job: Job, result: { conclusion: Conclusion; log: string; step?: string | undefined }): void {
    if (runner.job !== job) return;
    job.log = result.log;
    // The job's own steps were skipped then, or were over.
    const last = job.steps.pop();
    if (last) job.steps.push({ ...last, name: result.step ?? last.name });
    if (job.status === "in_progress") this.#runs.complete(job, result.conclusion);
  }

  /** Forgets a runner; its listener, if any, is told at once. */
  drop(runner: Runner): void {
    this.#runners.remove(runner);
    runner.goneAt ??= this.#clock.now();
    runner.session?.answer?.("gone");
    runner.session = null;
    this.#putBack(runner);
  }

  /** Takes a job as acquired by a runner that never starts it: no other one gets it, and it is cancelled late. */
  bind(job: Job): void {
    if (this.#bound.has(job)) return;
    this.#bound.add(job);
    this.#clock.after(NEVER_STARTED_MS, () => {
      if (job.status === "queued") this.#runs.complete(job, "cancelled");
    });
  }

  /** Follows a change of a job: a finished one ends its runner, a queued one is offered. */
  jobChanged(job: Job): void {
    const runner = this.#runners.all().find((candidate) => candidate.job === job);
    if (runner === undefined) this.#offer(job);
    else if (job.status === "completed") this.#release(runner, job);
    else if (job.status === "in_progress" && job.cancelRequested) this.#tellCancel(runner, job);
  }

  #offer(job: Job): void {
    const idle = this.#runners.all().find((candidate) => candidate.session?.answer && this.#fits(candidate, job));
    if (idle) this.#assign(idle, job);
  }

  #readyMessage(runner: Runner): Message {
    if (runner.job) return runner.job.status === "queued" ? "job" : runner.job.cancelRequested ? "cancel" : "none";
    const job = this.#runs.jobs().find((candidate) => this.#fits(runner, candidate));
    if (job === undefined) return "none";
    this.#assign(runner, job);
    return "job";
  }

  /** Whether a runner can be given a job now. */
  #fits(runner: Runner, job: Job): boolean {
    const isTaken = this.#bound.has(job) || this.#runners.all().some((other) => other.job === job);
    return job.status === "queued" && !isTaken && !this.isHeldBack(runner) && fits(runner, job);
  }

  #assign(runner: Runner, job: Job): void {
    runner.job = job;
    runner.session?.answer?.("job");
    this.#watch(runner, job);
  }

  /** Ends a single-use runner with its job; if that ended before it began, it may take another. */
  #release(runner: Runner, job: Job): void {
    const hadIt = job.runner?.id === runner.id;
    // After a force-cancel it can be removed at once; else it counts as busy until its record goes.
    if (!hadIt || job.run.isForceCancelled) runner.job = null;
    if (!hadIt) return;
    runner.goneAt = this.#clock.now();
    runner.session?.answer?.("gone");
    runner.session = null;
    this.#clock.after(RECORD_MS, () => this.#runners.remove(runner));
  }

  #tellCancel(runner: Runner, job: Job): void {
    runner.session?.answer?.("cancel");
    this.#clock.after(CANCEL_MS, () => {
      if (job.status === "in_progress") this.#runs.complete(job, "cancelled");
    });
  }

  #putBack(runner: Runner): void {
    const job = runner.job;
    if (job?.status !== "queued") return;
    runner.job = null;
    this.jobChanged(job);
  }

  /** Looks again and again whether the runner is still heard of; `heardAt`: when it was the last time. */
  #watch(runner: Runner, job: Job, heardAt = this.#clock.now()): void {
    this.#clock.after(LOOK_MS, () => {
      const lastAt = this.isOnline(runner) ? this.#clock.now() : (runner.session?.seenAt ?? heardAt);
      if (runner.job === job && runner.goneAt === null) this.#look(runner, job, lastAt);
    });
  }

  #look(runner: Runner, job: Job, heardAt: number): void {
    const mostMs = LOST_MS[job.status] ?? Number.POSITIVE_INFINITY;
    if (this.#clock.now() - heardAt < mostMs) this.#watch(runner, job, heardAt);
    else if (job.status === "queued") this.#putBack(runner);
    else this.#runs.complete(job, "failure", true);
  }
}

function fits(runner: Runner, job: Job): boolean {
  if (isHeldBack(job) || runner.goneAt !== null) return false;
  const { fullName, owner } = job.run.repository;
  if (runner.job !== null || ![fullName, owner].some((home) => home.toLowerCase() === runner.home)) return false;
  return job.labels.every((label) => runner.labels.includes(label.toLowerCase()));
}
