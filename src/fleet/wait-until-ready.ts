import type { Limits } from "../limits/lifetime.ts";
import type { Log } from "../log.ts";
import { type InstanceVerdict, judgeInstance } from "../machine/judge-instance.ts";
import type { RunnerPort, RunnerStatus } from "../machine/ports.ts";
import type { StageTimes } from "../machine/report.ts";
import { isPassing } from "../service/call.ts";
import type { Instance } from "../service/schemas/instance.ts";
import type { ServiceClient } from "../service/service-client.ts";
import { UnexpectedAnswerError } from "../service/service-errors.ts";
import type { Clock } from "../time/clock.ts";
import { formatDuration } from "../time/duration.ts";
import { done, PENDING, poll } from "../time/poll.ts";
import type { Fleet } from "./fleet.ts";
import { judgeReadiness, type Readiness, type ReadinessFacts } from "./judge-readiness.ts";

/** Seed, Limits: the service advises one look every 10 seconds. */
const SERVICE_INTERVAL_MS = 10_000;
/** How late main notices, at the most, that the runner is online. GitHub answers an unchanged one with 304, which is free. */
const RUNNER_INTERVAL_MS = 2500;

/** What a wait needs. */
export interface Waiting {
  service: ServiceClient;
  runners: RunnerPort;
  fleet: Fleet;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  limits: Limits;
}

/** The machine that is waited for. `at` is filled in as stages are reached. */
export interface Awaited {
  instanceId: number;
  runner: { id: number; name: string };
  at: StageTimes;
  readyBy: number;
  /** Rented by a bid. */
  isBid?: boolean;
  /** Told what the service showed; `isNew`: it was just seen to run. */
  onLook?: (instance: Instance | undefined, isNew: boolean) => void;
}

/** Waits until the instance is running and its runner online, or until it is clear that it won't be. */
export async function waitUntilReady(
  waiting: Waiting,
  awaited: Awaited,
): Promise<{
  readiness: Exclude<Readiness, { kind: "pending" }>;
  instance: Instance | undefined;
  runner: RunnerStatus;
}> {
  const watch = new Watch(waiting, awaited);
  const readiness = await poll(
    async () => {
      const judged = judgeReadiness(await watch.look(), waiting.limits);
      return judged.kind === "pending" ? PENDING : done(judged);
    },
    { clock: waiting.clock, intervalMs: RUNNER_INTERVAL_MS, until: Number.POSITIVE_INFINITY, signal: waiting.signal },
  );
  if (readiness === undefined) throw new Error("An endless poll ended.");
  return { readiness, instance: watch.lastSeen, runner: watch.runner };
}

/** Looks at both every 10 s, once the container runs at the runner every 2.5 s, and tells each change once. */
class Watch {
  /** The last answer that showed it; it may be gone since. */
  lastSeen: Instance | undefined;
  #instance: Instance | undefined;
  runner: RunnerStatus = "offline";
  readonly #waiting: Waiting;
  readonly #awaited: Awaited;
  #nextServiceLook = 0;
  #notRunningAt: number;
  #runningSeen: number | undefined;
  #isKnown = false;
  #told = "";

  constructor(waiting: Waiting, awaited: Awaited) {
    this.#waiting = waiting;
    this.#awaited = awaited;
    this.#notRunningAt = awaited.at.created ?? awaited.at.asked;
  }

  async look(): Promise<ReadinessFacts> {
    const { clock, runners, signal } = this.#waiting;
    const { at, readyBy, runner } = this.#awaited;
    const isDue = clock.now() >= this.#nextServiceLook;
    if (isDue) await this.#lookAtInstance();
    const verdict = this.#instance && this.#judge(this.#instance);
    if (isDue || at.running !== undefined) this.runner = await runners.status(runner.id, signal);
    if (this.runner === "online") this.#noteOnline();
    this.#tell(verdict?.status ?? (this.lastSeen ? "gone" : "not listed yet"), this.runner);
    const createdAt = at.created ?? at.asked;
    // "Gone" needs a look that succeeded: an instance that could not be asked for is one that is still coming.
    const instance = this.#isKnown ? verdict : { kind: "pending" as const, status: "not asked yet" };
    return {
      now: clock.now(),
      createdAt,
      runningAt: this.#runningSeen ?? at.running,
      mintedAt: at.minted,
      readyBy,
      instance,
      wasSeen: this.lastSeen !== undefined,
      runner: this.runner,
    };
  }

  #judge(instance: Instance): InstanceVerdict {
    return judgeInstance(instance, instance.is_bid ?? this.#awaited.isBid);
  }

  /** A container begins to run some time between two looks: for the bill, in the middle. The limits count from when it was seen. */
  #noteLook(instance: Instance | undefined): void {
    const now = this.#waiting.clock.now();
    const isRunning = instance !== undefined && this.#judge(instance).kind === "running";
    const isNew = isRunning && this.#runningSeen === undefined;
    if (isNew) this.#awaited.at.running ??= Math.round((this.#notRunningAt + now) / 2);
    if (isNew) this.#runningSeen = now;
    if (!isRunning) this.#notRunningAt = now;
    this.#awaited.onLook?.(instance, isNew);
  }

  /** A runner that is online runs in a container that runs: since the last look at the service, at the earliest. */
  #noteOnline(): void {
    const { at } = this.#awaited;
    at.online ??= this.#waiting.clock.now();
    at.running ??= this.#nextServiceLook - SERVICE_INTERVAL_MS;
  }

  async #lookAtInstance(): Promise<void> {
    const { clock, fleet, log, signal } = this.#waiting;
    this.#nextServiceLook = clock.now() + SERVICE_INTERVAL_MS;
    try {
      this.#instance = await fleet.look(this.#awaited.instanceId, signal);
      this.#isKnown = true;
      this.lastSeen = this.#instance ?? this.lastSeen;
      this.#noteLook(this.#instance);
    } catch (error) {
      // What can't be read is no more evidence than no answer: a page of some gateway must not cost a machine.
      if (!isPassing(error) && !(error instanceof UnexpectedAnswerError)) throw error;
      log.info(`The service gave no usable answer; asking again in ${formatDuration(SERVICE_INTERVAL_MS)}.`);
    }
  }

  #tell(status: string, runner: string): void {
    const line = `Instance ${this.#awaited.instanceId}: ${status}, runner ${runner}.`;
    if (line !== this.#told) this.#waiting.log.info(line);
    this.#told = line;
  }
}
