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

/** What is known of an instance's container beside its state. */
interface Followed {
  isUp: boolean;
  /** It had one: only then there is a disk to remove. */
  hasDisk: boolean;
  /** Ends the wait for its next state. */
  cancel: () => void;
  /** The calls to the host, one after the other. */
  calls: Promise<void>;
}

/**
 * Makes the machine host follow the instances' states: a container starts with running, ends when
 * that is left, and goes with the instance. The state is never kept here; it is computed anew.
 */
export class Containers implements AsyncDisposable {
  readonly #options: ContainersOptions;
  readonly #followed = new Map<number, Followed>();
  #closed = false;

  constructor(options: ContainersOptions) {
    this.#options = options;
  }

  /** Follows an instance's state now and at each later change. Call after each event. */
  follow(record: InstanceRecord): void {
    if (this.#closed) return;
    const fresh = { isUp: false, hasDisk: false, cancel: () => {}, calls: Promise.resolve() };
    const followed = this.#followed.get(record.id) ?? fresh;
    this.#followed.set(record.id, followed);
    followed.cancel();
    const { clock } = this.#options;
    const now = clock.now();
    const phase = phaseAt(record, now);
    this.#switch(record, followed, phase?.containerUp);
    if (phase && Number.isFinite(phase.to)) followed.cancel = clock.after(phase.to - now, () => this.follow(record));
  }

  /** Stops following and waits until calls to the host have ended; ends no container. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const { cancel } of this.#followed.values()) cancel();
    await Promise.all(Array.from(this.#followed.values(), ({ calls }) => calls));
  }

  /** `isUp` undefined: the instance is no more. */
  #switch(record: InstanceRecord, followed: Followed, isUp: boolean | undefined): void {
    const { host, describe, log } = this.#options;
    const { id } = record;
    const enqueue = (what: string, call: () => Promise<void>) => {
      const report = (fault: unknown) => log(`instance ${id}: the machine host failed to ${what}: ${fault}`);
      followed.calls = followed.calls.then(call).catch(report);
    };
    if (isUp === undefined && followed.hasDisk) enqueue("destroy", () => host.destroy(id));
    if (isUp === true && !followed.isUp) enqueue("start", async () => host.start(describe(record)));
    if (isUp === false && followed.isUp) enqueue("stop", () => host.stop(id));
    followed.isUp = isUp ?? false;
    followed.hasDisk = isUp !== undefined && (followed.hasDisk || isUp);
  }
}
