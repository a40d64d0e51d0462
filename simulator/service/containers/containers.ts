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
export function openContainers(options: ContainersOptions) {
  const { clock } = options;
  const followed = new Map<number, Followed>();
  let isClosed = false;
  /** Follows an instance's state now and at each later change. Call after each event. */
  const follow = (record: InstanceRecord) => {
    if (isClosed) return;
    const fresh = { isUp: false, hasDisk: false, cancel: () => {}, calls: Promise.resolve() };
    const one = followed.get(record.id) ?? fresh;
    followed.set(record.id, one);
    one.cancel();
    const now = clock.now();
    const phase = phaseAt(record, now);
    tellHost(record, phase?.containerUp, one, options);
    if (phase && Number.isFinite(phase.to)) one.cancel = clock.after(phase.to - now, () => follow(record));
  };
  /** Stops following and waits until calls to the host have ended; ends no container. */
  const end = async () => {
    isClosed = true;
    for (const { cancel } of followed.values()) cancel();
    await Promise.all(Array.from(followed.values(), ({ calls }) => calls));
  };
  return { follow, end };
}

/** `isUp` undefined: the instance is no more. */
function tellHost(record: InstanceRecord, isUp: boolean | undefined, one: Followed, options: ContainersOptions): void {
  const { host, describe, log } = options;
  const { id } = record;
  const enqueue = (what: string, call: () => Promise<void>) => {
    const report = (fault: unknown) => log(`instance ${id}: the machine host failed to ${what}: ${fault}`);
    one.calls = one.calls.then(call).catch(report);
  };
  if (isUp === undefined && one.hasDisk) enqueue("destroy", () => host.destroy(id));
  if (isUp === true && !one.isUp) enqueue("start", async () => host.start(describe(record)));
  if (isUp === false && one.isUp) enqueue("stop", () => host.stop(id));
  one.isUp = isUp ?? false;
  one.hasDisk = isUp !== undefined && (one.hasDisk || isUp);
}
