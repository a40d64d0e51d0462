import type { Log } from "../log.ts";
import type { ServiceClient } from "../service/service-client.ts";
import { AuthenticationError, NoAnswerError, PermissionError, ServerError } from "../service/service-errors.ts";
import type { Clock } from "../time/clock.ts";
import { done, PENDING, poll } from "../time/poll.ts";
import { InstanceNotDestroyedError } from "./provisioning-errors.ts";

/** What a destruction needs. `until`: milliseconds since the epoch after which it is given up. */
export interface Destroying {
  service: ServiceClient;
  clock: Clock;
  log: Log;
  until: number;
  signal?: AbortSignal;
}

const PAUSE_MS = 3000;
const HOPELESS_TRIES = 4;

/** The instance to destroy. `createdAt`: milliseconds since the epoch, where it is known. */
export interface Doomed {
  id: number;
  createdAt: number | undefined;
}

/** A fresh instance may be missing from every answer for a while. SPEC-SILENT: for how long. */
const VISIBLE_AFTER_MS = 60_000;

/**
 * Destroys an instance and sees that it is gone. The service's word that it was destroyed is not enough: it is looked at again, and
 * asked again while it is still there. "There is no such instance" counts only for one that is a minute old. `was-gone`: the service
 * knew none from the first. Throws InstanceNotDestroyedError when that can't be had in time.
 */
export async function destroyInstance(
  destroying: Destroying,
  { id, createdAt }: Doomed,
): Promise<"destroyed" | "was-gone"> {
  const { clock, signal, until } = destroying;
  const visibleAt = (createdAt ?? clock.now()) + VISIBLE_AFTER_MS;
  const tries: Tries = { lastFault: undefined, hopeless: 0, wasAsked: false, mayBeOurs: false };
  const limits = { clock, intervalMs: PAUSE_MS, until, ...(signal ? { signal } : {}) };
  const look = async () =>
    (await isAbsent(destroying, id, tries)) && (tries.wasAsked || clock.now() >= visibleAt) ? done(true) : PENDING;
  if (!(await poll(look, limits))) throw notDestroyed(id, tries.lastFault);
  return tries.wasAsked || tries.mayBeOurs ? "destroyed" : "was-gone";
}

interface Tries {
  lastFault: unknown;
  /** Refusals in a row that no repetition mends. */
  hopeless: number;
  /** The service took the request: what it does not show after that is gone. */
  wasAsked: boolean;
  /** An answer was lost: it may have been carried out. No proof that it is gone, and none that somebody else did it. */
  mayBeOurs: boolean;
}

/** Asks to destroy, and looks whether there is none (any more). */
async function isAbsent(destroying: Destroying, id: number, tries: Tries): Promise<boolean> {
  const { log, service, signal } = destroying;
  try {
    await ask(destroying, id, tries);
    return (await service.getInstance(id, signal)) === undefined;
  } catch (error) {
    signal?.throwIfAborted();
    tries.lastFault = error;
    tries.hopeless = isHopeless(error) ? tries.hopeless + 1 : 0;
    if (tries.hopeless === HOPELESS_TRIES) throw notDestroyed(id, error);
    log.info(`Instance ${id} is not destroyed yet (${reasonOf(error)}); asking again.`);
    return false;
  }
}

async function ask({ service, signal }: Destroying, id: number, tries: Tries): Promise<void> {
  try {
    if ((await service.destroyInstance(id, signal)) === "asked") tries.wasAsked = true;
  } catch (error) {
    if (error instanceof NoAnswerError || error instanceof ServerError) tries.mayBeOurs = true;
    throw error;
  }
}

/** The key may not do it. Said once, it can be a passing fault of the service; said again and again, no repetition mends it. */
function isHopeless(error: unknown): boolean {
  return error instanceof AuthenticationError || error instanceof PermissionError;
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
