import type { SimClock } from "../../clock/sim-clock.ts";
import type { InstanceRecord } from "../rentals/instance-record.ts";
import { phaseAt } from "../rentals/lifecycle.ts";
import type { MachineHost, MachineStart } from "./machine-host.ts";

interface ContainersOptions {
  clock: SimClock;
  host: MachineHost;
  /** Describes a container at each of its starts. */
  describe: (record: InstanceRecord) => MachineStart;
  log: (line: string) => void;
}

/**
 * Makes the machine host follow the instances' states: a container starts with running, ends when
 * that is left, and goes with the instance. The state is never kept here; it is computed anew.
 */
export class Containers implements AsyncDisposable {
  readonly #options: ContainersOptions;
  readonly #up: Set<number> = new Set();
  readonly #known: Set<number> = new Set();
  readonly #timers: Map<number, () => void> = new Map();
  readonly #queues: Map<number, Promise<void>> = new Map();
  #closed = false;

  constructor(options: ContainersOptions) {
    this.#options = options;
  }

  /** Follows an instance's state now and at each later change. Call after each event. */
  follow(record: InstanceRecord): void {
    if (this.#closed) return;
    this.#timers.get(record.id)?.();
    this.#timers.delete(record.id);
    const now = this.#options.clock.now();
    const phase = phaseAt(record, now);
    if (phase) this.#switch(record, phase.containerUp);
    else this.#destroy(record.id);
    if (phase && Number.isFinite(phase.to)) {
      this.#timers.set(
        record.id,
        this.#options.clock.after(phase.to - now, () => this.follow(record)),
      );
    }
  }

  /** Stops following and waits until calls to the host have ended; ends no container. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const cancel of this.#timers.values()) cancel();
    await Promise.all(this.#queues.values());
  }

  #switch(record: InstanceRecord, up: boolean): void {
    const { host, describe } = this.#options;
    if (up === this.#up.has(record.id)) return;
    if (up) {
      this.#up.add(record.id);
      this.#known.add(record.id);
      this.#enqueue(record.id, "start", async () => host.start(describe(record)));
    } else {
      this.#up.delete(record.id);
      this.#enqueue(record.id, "stop", () => host.stop(record.id));
    }
  }

  #destroy(id: number): void {
    this.#up.delete(id);
    // A container that never started has no disk to remove.
    if (this.#known.delete(id)) this.#enqueue(id, "destroy", () => this.#options.host.destroy(id));
  }

  #enqueue(id: number, what: string, call: () => Promise<void>): void {
    const previous = this.#queues.get(id) ?? Promise.resolve();
    const report = (fault: unknown) =>
      this.#options.log(`instance ${id}: the machine host failed to ${what}: ${fault}`);
    this.#queues.set(id, previous.then(call).catch(report));
  }
}
