import { KnownError } from "../known-error.ts";
import type { Log } from "../log.ts";
import { destroyInstance } from "../machine/destroy.ts";
import type { RunnerPort } from "../machine/ports.ts";
import type { Instance } from "../service/schemas/instance.ts";
import type { ServiceClient } from "../service/service-client.ts";
import type { Clock } from "../time/clock.ts";

/** What a fleet needs. */
export interface FleetOptions {
  service: ServiceClient;
  runners: RunnerPort;
  clock: Clock;
  log: Log;
}

/** How long a stray's destruction may take before the look goes on. */
const STRAY_DESTROY_MS = 30_000;

/**
 * The instances of this use. As long as a create that gave no answer may still come true, every look is a look at the list, and a
 * stray that turns up is destroyed, unless its runner has taken the job: then that is the machine.
 */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #strays = new Map<string, number>();
  #working: number | undefined;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  /** True while a create that gave no answer may still come true. */
  get mayGrow(): boolean {
    return this.#strays.size > 0;
  }

  /** From now on an instance with that label may turn up that nobody waits for. */
  expectStray(label: string, runnerId: number): void {
    this.#strays.set(label, runnerId);
  }

  /**
   * One instance; undefined when the service says that there is none. When it is gone and a stray has the job, that stray: it is what the
   * job runs on.
   */
  async look(id: number, signal: AbortSignal): Promise<Instance | undefined> {
    if (this.#strays.size === 0) return this.#options.service.getInstance(id, signal);
    const listed = await this.#options.service.listInstances(signal);
    for (const instance of listed) {
      const runnerId = instance.id === id ? undefined : this.#strays.get(instance.label ?? "");
      if (runnerId !== undefined) await this.#giveUpStray(instance, runnerId, signal);
    }
    return listed.find((instance) => instance.id === id) ?? listed.find((instance) => instance.id === this.#working);
  }

  async #giveUpStray(stray: Instance, runnerId: number, signal: AbortSignal): Promise<void> {
    const { clock, log, runners } = this.#options;
    // Money never outweighs a running job: first the runner, and the machine only when nobody can use it any more.
    const runner = await runners.remove(runnerId, signal);
    if (runner === "busy") this.#working = stray.id;
    if (runner !== "removed") return;
    log.info(`Instance ${stray.id} turned up late, from a create that gave no answer. It is not needed.`);
    try {
      const until = clock.now() + STRAY_DESTROY_MS;
      await destroyInstance({ ...this.#options, until, signal }, { id: stray.id, createdAt: 0 });
    } catch (error) {
      // The next look finds it again, and post destroys all of this use. It must not cost the machine that is waited for.
      if (!(error instanceof KnownError)) throw error;
      log.warning(error.message);
    }
  }
}
