import { AuthenticationError, PermissionError } from "../marketplace/errors.ts";
import type { Marketplace } from "../marketplace/marketplace.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { poll } from "../shared/poll.ts";
import { UserError } from "../shared/user-error.ts";
import { InstanceNotDestroyedError } from "./errors.ts";

/** How long the first of several destroyed instances waits to share a look with the others, in milliseconds. */
const GATHER_MS = 10_000;

/**
 * What the service answered to the requests for one destruction. `took it`: a list that lacks the
 * instance is proof that it is gone. `denies it`: the service took a request and, when asked again,
 * knew no such instance. Then a list that still shows the instance is old.
 */
type Word = "took it" | "denies it" | undefined;

/** A destruction that waits for a look. */
interface Waiter {
  id: number;
  word: Word;
  resolve(isGone: boolean): void;
  reject(fault: unknown): void;
}

/** Looks whether destroyed instances are gone. One look answers for all destructions that wait. */
class GoneLooks {
  static readonly #all = new WeakMap<Marketplace, GoneLooks>();
  readonly #service: Marketplace;
  #asking = 0;
  #waiting: Waiter[] = [];
  #isLooking = false;
  #gathering: AbortController | undefined;

  constructor(service: Marketplace) {
    this.#service = service;
  }

  /** Returns the looks that all destructions of one client share. */
  static of(service: Marketplace): GoneLooks {
    const looks = GoneLooks.#all.get(service) ?? new GoneLooks(service);
    GoneLooks.#all.set(service, looks);
    return looks;
  }

  /**
   * Sends the request, then looks whether the instance is gone, in a look that begins after the
   * answer. Throws what the request or the look throws, which is no evidence either way. `signal`
   * ends the look for all who share it.
   */
  async isGone(id: number, ask: () => Promise<Word>, clock: Clock, signal?: AbortSignal): Promise<boolean> {
    this.#asking += 1;
    let word: Word;
    try {
      word = await ask();
    } catch (fault) {
      this.#asking -= 1;
      this.#lookWhenDue(clock, signal);
      throw fault;
    }
    this.#asking -= 1;
    return await new Promise((resolve, reject) => {
      this.#waiting.push({ id, word, resolve, reject });
      this.#lookWhenDue(clock, signal);
    });
  }

  /** Looks at once if no other destruction is being asked for, else after a moment. */
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
      // The pause was ended by a look, or by the signal. In the second case the look below throws its reason.
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
      const alive = await this.#alive(waiters, signal);
      for (const { id, resolve } of waiters) resolve(!alive.has(id));
    } catch (fault) {
      for (const { reject } of waiters) reject(fault);
    } finally {
      this.#isLooking = false;
      this.#lookWhenDue(clock, signal);
    }
  }

  /** Finds the instances that the service still shows. Where a list proves nothing, asks for the instance by its id. */
  async #alive(waiters: readonly Waiter[], signal: AbortSignal | undefined): Promise<Set<number>> {
    const ids = new Set(waiters.map(({ id }) => id));
    const listed = ids.size > 1 ? await this.#listed(signal) : undefined;
    const isProven = ({ id, word }: Waiter) => (listed?.has(id) ? word !== "denies it" : listed && word === "took it");
    const unproven = new Set(waiters.filter((waiter) => !isProven(waiter)).map(({ id }) => id));
    const shown = await Promise.all([...unproven].map((id) => this.#service.get(id, signal)));
    const known = [...(listed ?? [])].filter((id) => !unproven.has(id));
    return new Set([...known, ...shown.flatMap((instance) => (instance === "gone" ? [] : [instance.id]))]);
  }

  /** Lists the ids of all instances; undefined if the list can't be read. */
  async #listed(signal: AbortSignal | undefined): Promise<Set<number> | undefined> {
    try {
      return new Set((await this.#service.list(signal)).map(({ id }) => id));
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof UserError)) throw error;
      // A list that is too long, or has a row that can't be read, says nothing of these instances.
      return undefined;
    }
  }
}

/** The tools of a destruction, which ends at `until` (milliseconds since the epoch) at the latest. */
export interface Destroying {
  service: Marketplace;
  clock: Clock;
  log: Log;
  until: number;
  /** True once the instance is to stay. Then nothing more is asked, and the destruction counts as not done. */
  isCalledOff?: () => boolean;
  signal?: AbortSignal;
}

/** How long each story may take to destroy what it has to. What main leaves is post's, and what post leaves is the sweep's. */
export const DESTROY_WITHIN_MS = { main: 90_000, post: 210_000, sweep: 120_000 } as const;
const BETWEEN_LOOKS_MS = 3000;

/** An instance to destroy. */
export interface Doomed {
  id: number;
  /** In milliseconds since the epoch; undefined: not known. */
  createdAt: number | undefined;
  /** True if the service showed the instance once. Then an answer without it does not come too early. */
  wasListed?: boolean | undefined;
}

/** How long a fresh instance may be missing from every answer. SPEC-SILENT: no figure is named. */
export const VISIBLE_AFTER_MS = 60_000;

/**
 * Destroys an instance and confirms that it is gone: looks for it after each request, and asks again
 * while it is there. An instance that was never listed is missing from every answer at first. It
 * counts as gone once the service took the request and knows none when asked again, or once it is a
 * minute old. Returns `was-gone` if the service never knew it. Many destructions may run side by side:
 * one client sends their requests at the service's pace, in the order of the calls, and looks for all
 * of them at once. Throws InstanceNotDestroyedError when `until` comes first; no refusal ends it before.
 */
export async function destroyInstance(destroying: Destroying, doomed: Doomed): Promise<"destroyed" | "was-gone"> {
  const { clock, isCalledOff = () => false, signal, until } = destroying;
  const visibleAt = (doomed.createdAt ?? clock.now()) + VISIBLE_AFTER_MS;
  const course: Course = {
    lastFault: undefined,
    reasons: new Set(),
    isToAsk: true,
    word: undefined,
    wasListed: doomed.wasListed === true,
    mayBeOurs: false,
  };
  const look = async () =>
    (await looksGone(destroying, doomed.id, course)) &&
    (course.wasListed || course.word === "denies it" || clock.now() >= visibleAt);
  const isGone = await poll(async () => isCalledOff() || (await look()), {
    clock,
    intervalMs: BETWEEN_LOOKS_MS,
    until,
    signal,
  });
  if (!isGone || isCalledOff()) throw notDestroyed(doomed.id, course.lastFault);
  return course.word !== undefined || course.mayBeOurs ? "destroyed" : "was-gone";
}

/** The progress of one destruction. */
interface Course {
  /** Why the instance is not destroyed yet, for the error. */
  lastFault: unknown;
  /** The reasons that were logged. */
  reasons: Set<string>;
  /** True if the next step is a request; false if only the look after it is missing. */
  isToAsk: boolean;
  word: Word;
  /** True if the service ever showed the instance. */
  wasListed: boolean;
  /**
   * True if we may have destroyed the instance by a request whose answer was no clear yes. A request
   * whose key is refused destroys nothing.
   */
  mayBeOurs: boolean;
}

/** Asks to destroy, if that is due, and looks whether the instance is gone. */
async function looksGone(destroying: Destroying, id: number, course: Course): Promise<boolean> {
  const { clock, service, signal } = destroying;
  try {
    const isGone = await GoneLooks.of(service).isGone(id, () => askToDestroy(destroying, id, course), clock, signal);
    course.isToAsk = true;
    course.wasListed ||= !isGone;
    return isGone;
  } catch (error) {
    signal?.throwIfAborted();
    logFault(destroying, id, course, error);
    // The fault of a request says more of what must be mended than that of the look after it.
    if (!course.isToAsk) course.lastFault = error;
    return false;
  }
}

/**
 * Asks to destroy, if that is due; returns what the service answered so far. A refused key is tried
 * again, too: the service was seen to refuse good keys for a while, and the instance costs money.
 */
async function askToDestroy(destroying: Destroying, id: number, course: Course): Promise<Word> {
  const { service, signal } = destroying;
  if (!course.isToAsk) return course.word;
  try {
    const isKnown = (await service.destroy(id, signal)) === "asked";
    if (isKnown) course.word = "took it";
    else if (course.word !== undefined) course.word = "denies it";
    course.isToAsk = false;
  } catch (error) {
    if (!isKeyRefusal(error)) course.mayBeOurs = true;
    signal?.throwIfAborted();
    // SPEC-SILENT: the answer for an instance that is gone. It may be such a "no", and while the service
    // answers no request to destroy, the instance may end by itself: the look decides.
    course.lastFault = error;
    logFault(destroying, id, course, error);
  }
  return course.word;
}

function isKeyRefusal(error: unknown): boolean {
  return error instanceof AuthenticationError || error instanceof PermissionError;
}

/** Logs why an instance is not destroyed yet, each reason once. */
function logFault({ log }: Destroying, id: number, { reasons }: Course, fault: unknown): void {
  const reason = faultText(fault);
  if (reasons.has(reason)) return;
  reasons.add(reason);
  log.info(`Instance ${id} is not destroyed yet (${reason}); asking again.`);
}

function notDestroyed(id: number, fault: unknown): InstanceNotDestroyedError {
  return new InstanceNotDestroyedError(
    `Instance ${id}`,
    fault === undefined ? "it is still listed" : faultText(fault),
    fault,
  );
}

function faultText(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
