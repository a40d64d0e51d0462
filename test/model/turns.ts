import type { Clock } from "../../src/shared/clock.ts";
import { type Event, eventsBefore, passTime, type Touches } from "./events.ts";
import { toMs, toSeconds, type World } from "./world.ts";

/** Time passes in steps of so many seconds: sleepers wake at the next one, never too early. */
export const STEP_S = 15;

/** A request on its way, with all that may become of it. */
interface Request {
  name: string;
  touches: Touches;
  faults: readonly string[];
  /** Only the loop asks so. */
  isLook?: boolean | undefined;
  /** Carries it out. May throw what the caller is to be thrown. */
  serve: (fault: string | undefined) => unknown;
  /** It is broken off: what becomes of it nobody will learn. */
  cut?: (() => void) | undefined;
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
}

/** A possible next turn. */
export interface Option {
  name: string;
  take: () => void;
}

/** One run of one process of the protocol: turn by turn, and nothing happens but what is chosen. */
export class Turns {
  readonly world: World;
  readonly cancel = new AbortController();
  readonly clock: Clock;
  /** When each request was last carried out, by its name, in seconds. */
  readonly servedAt = new Map<string, number>();
  /** The choices so far. */
  readonly trail: string[] = [];
  /** Called after the service has carried a request out, before the answer arrives. */
  onCarriedOut: () => void = () => {};
  #requests: Request[] = [];
  #timers: { due: number; ring: () => void }[] = [];
  #historySince: number;
  /** Learnt by acts since one began. */
  #acting: string[] = [];
  #learnt: string[] = [];
  #actingSince: number;

  constructor(world: World) {
    this.world = world;
    this.#historySince = world.now;
    this.#actingSince = world.now;
    this.clock = { now: () => toMs(world.now), sleep: (ms, signal) => this.#sleep(ms, signal) };
  }

  /** A request that is one turn. */
  ask<T>(
    request: Pick<Request, "name" | "touches" | "faults" | "cut" | "isLook"> & {
      serve: (fault: string | undefined) => T;
    },
    signal?: AbortSignal,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const pending: Request = {
        ...request,
        resolve: (answer) => resolve(answer as T),
        reject,
      };
      this.#requests.push(pending);
      signal?.addEventListener(
        "abort",
        () => {
          if (this.#requests.includes(pending)) pending.cut?.();
          this.#requests = this.#requests.filter((other) => other !== pending);
          reject(signal.reason);
        },
        { once: true },
      );
    });
  }

  /** For the proof that forgetting loses nothing. */
  remembersAll = false;

  /** The process knows only this from here on; `isActing`: and its acts' learnings so far. */
  forget(all: string, isActing: boolean): void {
    if (this.remembersAll) return;
    if (!isActing) this.#acting = [];
    if (!isActing) this.#actingSince = this.world.now;
    this.#learnt = [all, ...this.#acting, ...this.#timers.map((timer) => `${timer.due - this.world.now}`)];
    this.#historySince = this.world.now;
  }

  /** Everything that the process has learnt: nothing else decides its next step. */
  get history(): string {
    return this.#learnt.join("\n");
  }

  /** True while something is asked: else the process only waits for the clock. */
  get isAsking(): boolean {
    return this.#requests.length > 0;
  }

  /** The possible turns, most usual first. Requests of one moment go in the order of sending. */
  options(): Option[] {
    const [request] = this.#requests;
    if (request === undefined) return this.#timers.length > 0 ? [{ name: "time", take: () => this.#wind() }] : [];
    const { fault: only, faults: left } = this.world;
    const faults = left > 0 ? request.faults.filter((fault) => only === undefined || fault === only) : [];
    return [
      { name: request.name, take: () => this.#serve(request, undefined) },
      ...eventsBefore(this.world, request.touches).map((event) => this.#optionOf(event)),
      ...faults.map((fault) => ({ name: `${request.name}: ${fault}`, take: () => this.#serve(request, fault) })),
      ...this.#cancels(request),
    ];
  }

  #optionOf({ happen, name }: Event): Option {
    return { name, take: () => happen(this.world) };
  }

  #cancels({ touches }: Request): Option[] {
    const { world } = this;
    if (world.actor !== "main") return [];
    // After a cancel the answer to a create may not come in time.
    if (world.mainEnd === "cancelled") return touches === "create" ? [{ name: "time", take: () => this.#wind() }] : [];
    // Elsewhere it ends main at once, as every state before a fault shows.
    const isTried = touches === "create" || world.faults > 0;
    return world.deaths > 0 && isTried ? [{ name: "SIGINT", take: () => this.#sigint() }] : [];
  }

  #sigint(): void {
    this.world.deaths = 0;
    this.world.mainEnd = "cancelled";
    this.#learn("SIGINT");
    this.cancel.abort(new Error("cancelled"));
  }

  #serve(request: Request, fault: string | undefined): void {
    this.#requests = this.#requests.filter((other) => other !== request);
    this.servedAt.set(request.name, this.world.now);
    if (fault !== undefined) this.world.faults = 0;
    let answer: unknown;
    try {
      answer = request.serve(fault);
    } catch (error) {
      this.#learn(`${request.name} threw ${error instanceof Error ? error.message : error}`, request.isLook);
      this.onCarriedOut();
      request.reject(error);
      return;
    }
    this.#learn(`${request.name} ${JSON.stringify(answer)}`, request.isLook);
    this.onCarriedOut();
    request.resolve(answer);
  }

  /** The loop's own looks are in its knowledge by then. */
  #learn(what: string, isLook = false): void {
    if (!isLook) this.#acting.push(`${this.world.now - this.#actingSince} ${what}`);
    this.#learnt.push(`${this.world.now - this.#historySince} ${what}`);
  }

  #wind(): void {
    const due = Math.min(...this.#timers.map((timer) => timer.due));
    const ringing = this.#timers.filter((timer) => timer.due === due);
    this.#timers = this.#timers.filter((timer) => timer.due !== due);
    passTime(this.world, due);
    this.#learn("time", true);
    for (const { ring } of ringing) ring();
  }

  async #sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (milliseconds <= 0) return;
    const wake = toSeconds(this.clock.now()) + milliseconds / 1000;
    await new Promise<void>((resolve, reject) => {
      const timer = { due: Math.ceil(wake / STEP_S) * STEP_S, ring: resolve };
      this.#timers.push(timer);
      signal?.addEventListener(
        "abort",
        () => {
          this.#timers = this.#timers.filter((other) => other !== timer);
          reject(signal.reason);
        },
        { once: true },
      );
    });
  }
}
