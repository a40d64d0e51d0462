import { AuthenticationError, PermissionError, RequestRejectedError } from "../marketplace/errors.ts";
import type { Marketplace } from "../marketplace/marketplace.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { poll } from "../shared/poll.ts";
import { UserError } from "../shared/user-error.ts";
import { InstanceNotDestroyedError } from "./errors.ts";

/** How long the first of several waits for the others to be asked for, in milliseconds. */
const GATHER_MS = 10_000;

/**
 * What the service said of a destruction. Once it took it, a list that lacks the instance is the
 * second word, and enough. Where it denies then that there is one, a list that shows one is old.
 */
type Word = "took it" | "denies it" | undefined;

interface Waiter {
  id: number;
  word: Word;
  resolve(isGone: boolean): void;
  reject(fault: unknown): void;
}

/** Looks whether destroyed instances are gone: one look answers for all that wait. */
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

  /** The ones of a client: whoever destroys with it shares them. */
  static of(service: Marketplace): GoneLooks {
    const looks = GoneLooks.#all.get(service) ?? new GoneLooks(service);
    GoneLooks.#all.set(service, looks);
    return looks;
  }

  /**
   * Asks, and then looks whether the instance is gone, in a look that begins after the answer. `ask`
   * brings the service's word; of one that it did not take, or denies, a list is no proof.
   * Throws what asking throws, and what the look throws: no evidence either way. `signal` ends the
   * look; those who share one are stopped together.
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
      const alive = await this.#alive(waiters, signal);
      for (const { id, resolve } of waiters) resolve(!alive.has(id));
    } catch (fault) {
      for (const { reject } of waiters) reject(fault);
    } finally {
      this.#isLooking = false;
      this.#lookWhenDue(clock, signal);
    }
  }

  /** Which of them the service shows. Where a list is no proof, it is asked by the id. */
  async #alive(waiters: readonly Waiter[], signal: AbortSignal | undefined): Promise<Set<number>> {
    const ids = new Set(waiters.map(({ id }) => id));
    const listed = ids.size > 1 ? await this.#listed(signal) : undefined;
    const isProven = ({ id, word }: Waiter) => (listed?.has(id) ? word !== "denies it" : listed && word === "took it");
    const doubtful = new Set(waiters.filter((waiter) => !isProven(waiter)).map(({ id }) => id));
    const shown = await Promise.all([...doubtful].map((id) => this.#service.get(id, signal)));
    const known = [...(listed ?? [])].filter((id) => !doubtful.has(id));
    return new Set([...known, ...shown.flatMap((instance) => (instance === "gone" ? [] : [instance.id]))]);
  }

  /** Undefined: the list could not be read. */
  async #listed(signal: AbortSignal | undefined): Promise<Set<number> | undefined> {
    try {
      return new Set((await this.#service.list(signal)).map(({ id }) => id));
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof UserError)) throw error;
      // A list that is too long, or that has a row that can't be read, says nothing of these.
      return undefined;
    }
  }
}

/** The tools of a destruction, given up at `until` (milliseconds since the epoch). */
export interface Destroying {
  service: Marketplace;
  clock: Clock;
  log: Log;
  until: number;
  signal?: AbortSignal;
}

const PAUSE_MS = 3000;

/** The instance to destroy. */
export interface Doomed {
  id: number;
  /** In milliseconds since the epoch; undefined: not known. */
  createdAt: number | undefined;
  /** The service showed it once: an answer without it is then no answer that came too early. */
  wasListed?: boolean;
}

/** A fresh instance may be missing from every answer for a while. SPEC-SILENT: for how long. */
const VISIBLE_AFTER_MS = 60_000;

/**
 * Destroys an instance and sees that it is gone. The service's word that it was destroyed is not
 * enough: it is looked at again, and asked again while it is still there. One that was never listed
 * is missing from every answer at first: it counts as gone once the service took the request and,
 * asked again, knows none, or once it is a minute old. `was-gone`: the service knew none from the
 * first. Many may run side by side: one client sends their requests at the service's pace, in the
 * order of the calls, and looks for all of them at once. Throws InstanceNotDestroyedError when
 * `until` comes first; no refusal ends it before.
 */
export async function destroyInstance(destroying: Destroying, doomed: Doomed): Promise<"destroyed" | "was-gone"> {
  const { clock, signal, until } = destroying;
  const visibleAt = (doomed.createdAt ?? clock.now()) + VISIBLE_AFTER_MS;
  const course: Course = {
    lastFault: undefined,
    told: "",
    isToAsk: true,
    wasAsked: false,
    isDenied: false,
    wasListed: doomed.wasListed === true,
    mayBeOurs: false,
  };
  const look = async () =>
    (await isAbsent(destroying, doomed.id, course)) &&
    (course.wasListed || course.isDenied || clock.now() >= visibleAt);
  if (!(await poll(look, { clock, intervalMs: PAUSE_MS, until, signal })))
    throw notDestroyed(doomed.id, course.lastFault);
  return course.wasAsked || course.mayBeOurs ? "destroyed" : "was-gone";
}

/** How far one destruction is. */
interface Course {
  lastFault: unknown;
  /** The last reason that people were told for its taking so long. */
  told: string;
  /** False while the request is answered, and only the look at its effect is missing. */
  isToAsk: boolean;
  /** The service took the request once. */
  wasAsked: boolean;
  /** The service showed it, then or before. */
  wasListed: boolean;
  /** The service took the request once, and knew no such instance when it was asked again. */
  isDenied: boolean;
  /**
   * An answer was no clear yes, and we may have destroyed it all the same: no proof of that, nor
   * that another did. A key that is refused destroys nothing.
   */
  mayBeOurs: boolean;
}

/** Asks to destroy, where that is due, and looks whether there is none (any more). */
async function isAbsent(destroying: Destroying, id: number, course: Course): Promise<boolean> {
  const { clock, service, signal } = destroying;
  try {
    const isGone = await GoneLooks.of(service).isGone(id, () => ask(destroying, id, course), clock, signal);
    course.isToAsk = true;
    course.wasListed ||= !isGone;
    return isGone;
  } catch (error) {
    signal?.throwIfAborted();
    noteFault(destroying, id, course, error);
    return false;
  }
}

/**
 * A key that is refused is asked with again, too: the service was seen to refuse good ones for a
 * while, and it costs money.
 */
async function ask(destroying: Destroying, id: number, course: Course): Promise<Word> {
  const { service, signal } = destroying;
  if (!course.isToAsk) return wordOf(course);
  try {
    const isKnown = (await service.destroy(id, signal)) === "asked";
    course.isDenied = course.wasAsked && !isKnown;
    course.wasAsked ||= isKnown;
    course.isToAsk = false;
  } catch (error) {
    if (!isKeyRefusal(error)) course.mayBeOurs = true;
    // SPEC-SILENT: the answer for one that is gone. It may be such a "no": the look decides.
    if (!(error instanceof RequestRejectedError)) throw error;
    noteFault(destroying, id, course, error);
  }
  return wordOf(course);
}

function wordOf({ isDenied, wasAsked }: Course): Word {
  if (!wasAsked) return undefined;
  return isDenied ? "denies it" : "took it";
}

function isKeyRefusal(error: unknown): boolean {
  return error instanceof AuthenticationError || error instanceof PermissionError;
}

/** Each reason is told once. */
function noteFault({ log }: Destroying, id: number, course: Course, fault: unknown): void {
  const reason = reasonOf(fault);
  course.lastFault = fault;
  if (course.told === reason) return;
  course.told = reason;
  log.info(`Instance ${id} is not destroyed yet (${reason}); asking again.`);
}

function notDestroyed(id: number, fault: unknown): InstanceNotDestroyedError {
  return new InstanceNotDestroyedError(
    `Instance ${id}`,
    fault === undefined ? "it is still listed" : reasonOf(fault),
    fault,
  );
}

function reasonOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
