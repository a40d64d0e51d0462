import { KnownError } from "../known-error.ts";
import { done, type Look, PENDING, poll } from "../time/poll.ts";
import { type Destroying, destroyInstance } from "./destroy.ts";
import { hasPrefix } from "./label.ts";
import { InstanceNotDestroyedError } from "./provisioning-errors.ts";

/** What a use may have left behind. */
export interface UseRemains {
  prefix: string;
  /** Instances that are known to have been created. */
  known: readonly number[];
  /** True when a create was announced and its outcome was never written down: an instance may still turn up. */
  isUncertain: boolean;
}

/** What came of it. `undestroyed` names what may still bill, in words. */
export interface UseDestroyed {
  /** Instances that were still there and are gone now; not those that had given themselves back. */
  destroyed: readonly number[];
  undestroyed: readonly string[];
}

const LOOK_PAUSE_MS = 5000;
/** A create that gave no answer may come true so much later. SPEC-SILENT: the service names no figure. */
const LATE_CREATE_MS = 40_000;

/**
 * Destroys every instance of a use: the known ones at once, then whatever carries the prefix, until a look finds none. After an
 * uncertain create it goes on looking for 40 s, because a fresh instance may be listed late.
 */
export async function destroyUse(destroying: Destroying, remains: UseRemains): Promise<UseDestroyed> {
  const settledAt = destroying.clock.now() + (remains.isUncertain ? LATE_CREATE_MS : 0);
  const known = await destroyAll(destroying, remains.known);
  const all = await destroyListed(destroying, { prefix: remains.prefix, settledAt, known });
  const undestroyed = all.left.map((id) => `instance ${id}`);
  if (all.isBlind) undestroyed.push(`whatever is labelled ${remains.prefix}.…`);
  return { destroyed: [...new Set(all.gone)], undestroyed };
}

interface Outcome {
  gone: number[];
  left: number[];
}

/** All at once: the client keeps the service's interval between them, and a stubborn one must not keep the others waiting. */
async function destroyAll(destroying: Destroying, ids: readonly number[]): Promise<Outcome> {
  const outcome: Outcome = { gone: [], left: [] };
  await Promise.all(
    ids.map(async (id) => {
      try {
        const how = await destroyInstance(destroying, id);
        if (how === "destroyed") outcome.gone.push(id);
        destroying.log.info(
          how === "destroyed" ? `Instance ${id} is destroyed.` : `Instance ${id} had given itself back.`,
        );
      } catch (error) {
        if (!(error instanceof InstanceNotDestroyedError)) throw error;
        outcome.left.push(id);
      }
    }),
  );
  return outcome;
}

/** `isBlind`: no look at the list ended with knowing that nothing else is there. */
async function destroyListed(
  destroying: Destroying,
  { prefix, settledAt, known }: { prefix: string; settledAt: number; known: Outcome },
): Promise<Outcome & { isBlind: boolean }> {
  const { clock, until } = destroying;
  const all = { gone: [...known.gone], left: known.left, isBlind: false };
  const isClean = await poll(
    async (): Promise<Look<true>> => {
      const listed = await listOurs(destroying, prefix);
      // What was refused before is asked for again, listed or not: it may be destroyed, or have gone, by now.
      const ids = [...new Set([...all.left, ...(listed ?? [])])];
      const outcome = await destroyAll(destroying, ids);
      all.gone.push(...outcome.gone);
      all.left = outcome.left;
      all.isBlind = listed === undefined;
      return listed && ids.length === 0 && clock.now() >= settledAt ? done(true) : PENDING;
    },
    { clock, intervalMs: LOOK_PAUSE_MS, until },
  );
  all.isBlind ||= !isClean && all.left.length === 0;
  return all;
}

/** Undefined: the list could not be read. */
async function listOurs({ log, service }: Destroying, prefix: string): Promise<number[] | undefined> {
  try {
    const instances = await service.listInstances();
    return instances.filter((instance) => hasPrefix(instance.label, prefix)).map((instance) => instance.id);
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    log.info(`The instances could not be listed: ${error.message}`);
    return undefined;
  }
}
