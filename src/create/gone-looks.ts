import type { Clock } from "../shared/clock.ts";
import { UserError } from "../shared/user-error.ts";
import type { ServiceClient } from "../vast/service-client.ts";

/** How long the first of several waits for the others to be asked for, in milliseconds. */
const GATHER_MS = 10_000;

interface Waiter {
  id: number;
  resolve(isGone: boolean): void;
  reject(fault: unknown): void;
}

/** Looks whether destroyed instances are gone: one look answers for all that wait. */
export class GoneLooks {
  static readonly #all = new WeakMap<ServiceClient, GoneLooks>();
  readonly #service: ServiceClient;
  #asking = 0;
  #waiting: Waiter[] = [];
  #isLooking = false;
  #gathering: AbortController | undefined;

  constructor(service: ServiceClient) {
    this.#service = service;
  }

  /** The ones of a client: whoever destroys with it shares them. */
  static of(service: ServiceClient): GoneLooks {
    const looks = GoneLooks.#all.get(service) ?? new GoneLooks(service);
    GoneLooks.#all.set(service, looks);
    return looks;
  }

  /**
   * Asks, and then looks whether the instance is gone, in a look that begins after the answer.
   * Throws what asking throws, and what the look throws: no evidence either way. `signal` ends the
   * look; those who share one are stopped together.
   */
  async isGone(id: number, ask: () => Promise<void>, clock: Clock, signal?: AbortSignal): Promise<boolean> {
    this.#asking += 1;
    try {
      await ask();
    } catch (fault) {
      this.#asking -= 1;
      this.#lookWhenDue(clock, signal);
      throw fault;
    }
    this.#asking -= 1;
    return await new Promise((resolve, reject) => {
      this.#waiting.push({ id, resolve, reject });
      this.#lookWhenDue(clock, signal);
    });
  }

  /** At once when nobody else is being asked for, else when a moment has gone by. */
  #lookWhenDue(clock: Clock, signal: AbortSignal | undefined): void {
    if (this.#waiting.length === 0 || this.#isLooking) return;
    if (this.#asking === 0) {
      this.#gathering?.abort();
      void this.#look(clock, signal);
    } else if (this.#gathering === undefined) void this.#gather(clock, signal);
  }

  async #gather(clock: Clock, signal: AbortSignal | undefined): Promise<void> {
    const gathering = new AbortController();
    this.#gathering = gathering;
    try {
      await clock.sleep(GATHER_MS, signal ? AbortSignal.any([signal, gathering.signal]) : gathering.signal);
    } catch {
      // Stopped, by the look that it waited for or with the whole step: the look itself tells
      // which.
    }
    this.#gathering = undefined;
    if (!gathering.signal.aborted && !this.#isLooking) await this.#look(clock, signal);
  }

  async #look(clock: Clock, signal: AbortSignal | undefined): Promise<void> {
    const waiters = this.#waiting;
    this.#waiting = [];
    this.#isLooking = true;
    try {
      signal?.throwIfAborted();
      const alive = await this.#alive([...new Set(waiters.map(({ id }) => id))], signal);
      for (const { id, resolve } of waiters) resolve(!alive.has(id));
    } catch (fault) {
      for (const { reject } of waiters) reject(fault);
    } finally {
      this.#isLooking = false;
      this.#lookWhenDue(clock, signal);
    }
  }

  /** Which of them the service shows. */
  async #alive(ids: readonly number[], signal: AbortSignal | undefined): Promise<Set<number>> {
    if (ids.length > 1) {
      try {
        return new Set((await this.#service.listInstances(signal)).map(({ id }) => id));
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof UserError)) throw error;
        // A list that is too long, or that has a row that can't be read, says nothing of these.
      }
    }
    const shown = await Promise.all(ids.map((id) => this.#service.getInstance(id, signal)));
    return new Set(shown.flatMap((instance) => (instance === undefined ? [] : [instance.id])));
  }
}
