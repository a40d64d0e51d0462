import { AuthenticationError, PermissionError } from "../marketplace/errors.ts";
import type { Marketplace } from "../marketplace/marketplace.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { UserError } from "../shared/user-error.ts";
import { InstanceNotDestroyedError } from "./errors.ts";

/** The tools of giving back. */
export interface Destroyer {
  service: Marketplace;
  clock: Clock;
  log: Log;
  signal?: AbortSignal;
}

/** How long each story may take to destroy what it has to. What main leaves is post's, and what post leaves is the sweep's. */
export const DESTROY_WITHIN_MS = { main: 90_000, post: 210_000, sweep: 120_000 } as const;

/** Until when a look is asked for again after a passing fault, so that the other instances don't wait for it. */
export const LOOK_WITHIN_MS = 15_000;

/** An instance to destroy. */
export interface Doomed {
  id: number;
  /** In milliseconds since the epoch; undefined: not known. */
  createdAt: number | undefined;
  /** True if the service showed the instance once. Then an answer without it does not come too early. */
  wasListed?: boolean | undefined;
  /** True if only its label can prove that it is ours. */
  isClaimed?: boolean;
}

/** How long a fresh instance may be missing from every answer. SPEC-SILENT: no figure is named. */
export const VISIBLE_AFTER_MS = 60_000;

/** How far the destruction of one instance is. `destroyOnce` alone writes it. */
export interface Course {
  readonly id: number;
  /** When it was first asked for, and from when on the service surely shows the instance. */
  readonly since: number;
  readonly visibleAt: number;
  readonly isClaimed: boolean;
  wasListed: boolean;
  /**
   * What the service answered to our requests. `unclear`: it may have carried one out. `took it`: it said so.
   * `denies it`: it said so, and when asked again knew no such instance.
   */
  word?: "unclear" | "took it" | "denies it";
  /** Why the last request and the look after it did not do. */
  fault?: unknown;
  /** When it was seen to be gone. */
  goneAt?: number | undefined;
  /** What was logged of it: each sentence once. */
  readonly told: Set<string>;
}

/** Begins to destroy an instance; nothing is asked yet. */
export function courseOf({ createdAt, id, isClaimed = false, wasListed = false }: Doomed, now: number): Course {
  return { id, isClaimed, since: now, visibleAt: (createdAt ?? now) + VISIBLE_AFTER_MS, wasListed, told: new Set() };
}

/** Says who ended an instance that is gone: we may have, or it gave itself back. */
export function howGone({ word }: Course): "destroyed" | "was-gone" {
  return word === undefined ? "was-gone" : "destroyed";
}

/**
 * Asks once to destroy an instance, and looks by its id whether it is gone. Returns true if it is: an instance that
 * was never listed is missing from every answer at first, so it counts as gone once the service took a request and
 * knows none when asked again, or once it is a minute old. `isMissing`: a list lacks it; if it was asked for before,
 * it is looked at first. Throws nothing but the signal's reason: who calls asks again, as long as it must go.
 */
export async function destroyOnce(destroyer: Destroyer, course: Course, isMissing = false): Promise<boolean> {
  course.fault = undefined;
  course.goneAt = undefined;
  if (isMissing && course.word !== undefined && (await isGone(destroyer, course))) return true;
  await ask(destroyer, course);
  return await isGone(destroyer, course);
}

async function ask(destroyer: Destroyer, course: Course): Promise<void> {
  const { service, signal } = destroyer;
  try {
    const answer = await service.destroy(course.id, signal);
    if (answer === "asked") course.word = "took it";
    else if (course.word === "took it") course.word = "denies it";
  } catch (fault) {
    // A refused key destroys nothing. SPEC-SILENT: any other "no" may be the answer for an instance that is gone.
    const isKeyRefused = fault instanceof AuthenticationError || fault instanceof PermissionError;
    if (!isKeyRefused) course.word ??= "unclear";
    tell(destroyer, course, fault);
    course.fault = fault;
  }
}

async function isGone(destroyer: Destroyer, course: Course): Promise<boolean> {
  const { clock, service, signal } = destroyer;
  try {
    const until = clock.now() + LOOK_WITHIN_MS;
    const isThere = (await service.get(course.id, { until, ...(signal && { signal }) })) !== "gone";
    course.wasListed ||= isThere;
    const isBelieved = course.wasListed || course.word === "denies it" || clock.now() >= course.visibleAt;
    if (!isThere && isBelieved) course.goneAt = clock.now();
  } catch (fault) {
    tell(destroyer, course, fault);
    // The fault of a request says more of what must be mended than that of a look.
    course.fault ??= fault;
  }
  return course.goneAt !== undefined;
}

/** Logs why an instance is not destroyed yet. Throws the signal's reason instead if that is why. */
function tell({ log, signal }: Destroyer, course: Course, fault: unknown): void {
  signal?.throwIfAborted();
  const text = `Instance ${course.id} is not destroyed yet (${faultText(fault)}); asking again.`;
  // What is no answer of the service is a bug, which may keep the instance from ever being destroyed.
  tellOnce(log, course, text, fault instanceof UserError ? "info" : "warning");
}

/** Logs a sentence of an instance, unless it was logged before. */
export function tellOnce(log: Log, { told }: Course, text: string, how: "info" | "warning" = "info"): void {
  if (!told.has(text)) log[how](text);
  told.add(text);
}

/** Makes the error for an instance that may still bill. */
export function notDestroyed({ fault, id }: Course): InstanceNotDestroyedError {
  if (fault instanceof InstanceNotDestroyedError) return fault;
  return new InstanceNotDestroyedError(
    `Instance ${id}`,
    fault === undefined ? "it is still listed" : faultText(fault),
    fault,
  );
}

function faultText(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
