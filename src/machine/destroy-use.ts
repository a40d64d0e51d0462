import { KnownError } from "../known-error.ts";
import { done, type Look, PENDING, poll } from "../time/poll.ts";
import { type Destroying, type Doomed, destroyInstance } from "./destroy.ts";
import { hasPrefix } from "./label.ts";
import { InstanceNotDestroyedError } from "./provisioning-errors.ts";

/** What a use may have left behind. */
export interface UseRemains {
  prefix: string;
  /** Instances that are known to have been created, the most urgent first. */
  known: readonly Doomed[];
  /** True when a create was announced and its outcome was never written down: an instance may still turn up. */
  isUncertain: boolean;
}

/** What came of it. `undestroyed` names what may still bill, in words. */
export interface UseDestroyed {
  /** Instances that were still there and are gone now; not those that had given themselves back. */
  destroyed: readonly number[];
  undestroyed: readonly string[];
  /** When an instance was seen to be gone, in milliseconds since the epoch; of those, too, that had given themselves back. */
  goneAt?: ReadonlyMap<number, number>;
}

const LOOK_PAUSE_MS = 5000;
/** A create that gave no answer may come true so much later. SPEC-SILENT: the service names no figure. */
const LATE_CREATE_MS = 40_000;

/**
 * Destroys every instance of a use: the known ones at once, and beside them whatever carries the prefix, until a look finds none. After an
 * uncertain create it goes on looking for 40 s, because a fresh instance may be listed late.
 */
export async function destroyUse(destroying: Destroying, remains: UseRemains): Promise<UseDestroyed> {
  const { clock, signal, until } = destroying;
  const settledAt = clock.now() + (remains.isUncertain ? LATE_CREATE_MS : 0);
  const destructions = new Destructions(destroying);
  for (const doomed of remains.known) destructions.start(doomed);
  let isBlind = true;
  const look = async (): Promise<Look<true>> => {
    const listed = await listOurs(destroying, remains.prefix);
    isBlind = listed === undefined;
    // A listed instance is visible: it need not be a minute old for "there is none" to count.
    for (const id of listed ?? []) destructions.start({ id, createdAt: 0 });
    destructions.startRefusedAgain();
    return listed?.length === 0 && destructions.areOver && clock.now() >= settledAt ? done(true) : PENDING;
  };
  const isClean = await poll(look, { clock, intervalMs: LOOK_PAUSE_MS, until, ...(signal ? { signal } : {}) });
  const { destroyed, undestroyed, goneAt } = await destructions.outcome();
  if (isBlind || (!isClean && undestroyed.length === 0)) undestroyed.push(`whatever is labelled ${remains.prefix}.…`);
  return { destroyed, undestroyed, goneAt };
}

interface Destruction {
  doomed: Doomed;
  state: "running" | "destroyed" | "was-gone" | "refused";
  end: Promise<void>;
  goneAt?: number;
}

/** Destructions, one an instance: a stubborn one keeps neither the others nor the looks waiting. */
class Destructions {
  readonly #destroying: Destroying;
  readonly #all = new Map<number, Destruction>();

  constructor(destroying: Destroying) {
    this.#destroying = destroying;
  }

  start(doomed: Doomed): void {
    if (this.#all.has(doomed.id)) return;
    const destruction: Destruction = { doomed, state: "running", end: Promise.resolve() };
    destruction.end = this.#destroy(destruction);
    this.#all.set(doomed.id, destruction);
  }

  /** What was refused for good a moment ago is asked for again, listed or not: there is time, and it costs money. */
  startRefusedAgain(): void {
    for (const { doomed } of this.#in("refused")) {
      this.#all.delete(doomed.id);
      this.start(doomed);
    }
  }

  /** True when every one of them ended with an instance that is gone. */
  get areOver(): boolean {
    return this.#in("destroyed").length + this.#in("was-gone").length === this.#all.size;
  }

  async outcome(): Promise<{ destroyed: number[]; undestroyed: string[]; goneAt: Map<number, number> }> {
    await Promise.all([...this.#all.values()].map(({ end }) => end));
    const ends = [...this.#all.values()].flatMap(({ doomed, goneAt }): [number, number][] =>
      goneAt === undefined ? [] : [[doomed.id, goneAt]],
    );
    const destroyed = this.#in("destroyed").map(({ doomed }) => doomed.id);
    const undestroyed = this.#in("refused").map(({ doomed }) => `instance ${doomed.id}`);
    return { destroyed, undestroyed, goneAt: new Map(ends) };
  }

  #in(state: Destruction["state"]): Destruction[] {
    return [...this.#all.values()].filter((destruction) => destruction.state === state);
  }

  async #destroy(destruction: Destruction): Promise<void> {
    const { clock, log, signal } = this.#destroying;
    const { id } = destruction.doomed;
    try {
      destruction.state = await destroyInstance(this.#destroying, destruction.doomed);
      destruction.goneAt = clock.now();
      log.info(`Instance ${id} ${destruction.state === "destroyed" ? "is destroyed" : "had given itself back"}.`);
    } catch (error) {
      // Whatever went wrong, it may still bill: that is what counts, and post names it.
      destruction.state = "refused";
      if (!(error instanceof InstanceNotDestroyedError || signal?.aborted)) log.warning(`Instance ${id}: ${error}`);
    }
  }
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
