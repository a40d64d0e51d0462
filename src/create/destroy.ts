import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { poll } from "../shared/poll.ts";
import type { ServiceClient } from "../vast/service-client.ts";
import { AuthenticationError, PermissionError, RequestRejectedError } from "../vast/service-errors.ts";
import { InstanceNotDestroyedError } from "./destroy-errors.ts";
import { GoneLooks } from "./gone-looks.ts";

/** The tools of a destruction, given up at `until` (milliseconds since the epoch). */
export interface Destroying {
  service: ServiceClient;
  clock: Clock;
  log: Log;
  until: number;
  signal?: AbortSignal;
}

const PAUSE_MS = 3000;

/** The instance to destroy. `createdAt`: milliseconds since the epoch, where it is known. */
export interface Doomed {
  id: number;
  createdAt: number | undefined;
}

/** A fresh instance may be missing from every answer for a while. SPEC-SILENT: for how long. */
const VISIBLE_AFTER_MS = 60_000;

/**
 * Destroys an instance and sees that it is gone. The service's word that it was destroyed is not
 * enough: it is looked at again, and asked again while it is still there. "There is no such
 * instance" counts only for one that is a minute old. `was-gone`: the service knew none from the
 * first. Many may run side by side: one client sends their requests at the service's pace, in the
 * order of the calls, and looks for all of them at once. Throws InstanceNotDestroyedError when
 * `until` comes first; no refusal ends it before.
 */
export async function destroyInstance(destroying: Destroying, doomed: Doomed): Promise<"destroyed" | "was-gone"> {
  const { clock, signal, until } = destroying;
  const visibleAt = (doomed.createdAt ?? clock.now()) + VISIBLE_AFTER_MS;
  const course: Course = { lastFault: undefined, told: "", isToAsk: true, wasAsked: false, mayBeOurs: false };
  const look = async () =>
    (await isAbsent(destroying, doomed.id, course)) && (course.wasAsked || clock.now() >= visibleAt);
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
  /** The service took the request: what it does not show after that is gone. */
  wasAsked: boolean;
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
async function ask(destroying: Destroying, id: number, course: Course): Promise<void> {
  const { service, signal } = destroying;
  if (!course.isToAsk) return;
  try {
    if ((await service.destroyInstance(id, signal)) === "asked") course.wasAsked = true;
    course.isToAsk = false;
  } catch (error) {
    if (!isKeyRefusal(error)) course.mayBeOurs = true;
    // SPEC-SILENT: the answer for one that is gone. It may be such a "no": the look decides.
    if (!(error instanceof RequestRejectedError)) throw error;
    noteFault(destroying, id, course, error);
  }
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
