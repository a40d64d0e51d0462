import type { SimClock } from "../../clock/sim-clock.ts";
import type { CompleteScenario } from "../../scenario/scenario.ts";
import type { Stall } from "../catalog/market.ts";
import { newKey } from "../catalog/store.ts";
import type { VolumeRecord } from "../catalog/volumes.ts";
import type { InstanceOrder } from "../requests/create-body.ts";
import type { Dialect } from "../traffic/refusal.ts";
import { type BootScenario, bootOf, restartSteps } from "./boot-plan.ts";
import { destruction, type InstanceRecord, missingInstance, type SshKey } from "./instance-record.ts";
import { type Actor, type InstanceEvent, phaseAt } from "./lifecycle.ts";

/** A test's act on an instance behind the service's back. */
export type InstanceChange =
  /** A higher bid, or credit at zero: the service stops it, and it bills its disk on. */
  | "outbid"
  /** The machine's owner removes it. */
  | "destroyed"
  /** It shows this status from now on, until the next change. */
  | { actual_status: string | null; status_msg?: string | null | undefined };

interface RentalsOptions {
  clock: SimClock;
  dialect: Dialect;
  scenario: BootScenario & Pick<CompleteScenario, "visibilityLagSeconds">;
  /** The account's keys for SSH, which each new instance gets. */
  sshKeys: readonly SshKey[];
  /** Where the machine of an instance answers by SSH. */
  sshHost: (instanceId: number) => string | undefined;
  /** Called after every event of an instance. */
  onChange: (record: InstanceRecord) => void;
}

/** Settled at a creation, too. */
interface Making {
  lagSeconds?: number | undefined;
  /** It comes of a create that made another one, too. */
  isTwin?: boolean;
  volume?: VolumeRecord | undefined;
}

/** Every instance there ever was, and the only hand that writes their events. */
export class Rentals {
  readonly records: InstanceRecord[] = [];
  readonly #options: RentalsOptions;

  constructor(options: RentalsOptions) {
    this.#options = options;
  }

  /** The instance, if it exists; whether reads show it yet is another question. */
  find(id: number): InstanceRecord | undefined {
    return this.records.find((record) => record.id === id && !destruction(record));
  }

  /** The same; throws the 404 for one that does not exist. */
  need(id: number): InstanceRecord {
    const record = this.find(id);
    if (!record) throw missingInstance(id, this.#options.dialect);
    return record;
  }

  /** Those that list and get show now, or showed at another time. */
  shown(at: number = this.#options.clock.now()): InstanceRecord[] {
    const isGone = (record: InstanceRecord) => (destruction(record)?.at ?? Number.POSITIVE_INFINITY) <= at;
    return this.records.filter((record) => !isGone(record) && record.visibleAt <= at);
  }

  /** Whether an instance of ours holds this offer; made in the last so many seconds, if they are given. */
  holds(offerId: number, withinSeconds = Number.POSITIVE_INFINITY): boolean {
    const from = this.#options.clock.now() - withinSeconds * 1000;
    return this.records.some(
      (record) => record.offer.id === offerId && !destruction(record) && record.createdAt >= from,
    );
  }

  create(stall: Stall, order: InstanceOrder, making: Making = {}): InstanceRecord {
    const record = this.#newRecord(stall, order, making);
    this.records.push(record);
    this.#options.onChange(record);
    const { outbidAfter } = stall.simulate;
    // Someone bids more; only interruptible ones care.
    if (outbidAfter !== undefined && record.bids.length > 0)
      this.#options.clock.after(outbidAfter * 1000, () => {
        if (!destruction(record)) this.stop(record, "owner");
      });
    return record;
  }

  /** With keys of its own. */
  #newRecord(stall: Stall, order: InstanceOrder, { isTwin = false, lagSeconds = 0, volume }: Making): InstanceRecord {
    const { clock, dialect, scenario, sshKeys, sshHost } = this.#options;
    const { machine = {}, traffic, instanceKey = "valid" } = stall.simulate;
    const isSecond = this.holds(stall.offer.id) && !isTwin;
    const nth = this.records.length;
    const [id, at, apiKey] = [7_001_001 + nth, clock.now(), newKey()];
    const stoppedStatus = dialect === "seed" ? "stopped" : "exited";
    const containerKeys = { valid: apiKey, missing: undefined, wrong: newKey() };
    return {
      ...{ id, offer: stall.offer, order, label: order.label, apiKey, volume, machine, traffic },
      boot: bootOf(stall, order, { dialect, scenario, isSecond }),
      createdAt: at,
      visibleAt: at + 1000 * Math.max(scenario.visibilityLagSeconds, lagSeconds),
      events: [{ at, kind: "create", target: order.target_state }],
      restart: restartSteps(stoppedStatus, order.image),
      stoppedStatus,
      containerApiKey: containerKeys[instanceKey],
      hostPort: 41_000 + nth,
      sshHost: order.runtype === "args" ? undefined : sshHost(id),
      sshKeys: [...sshKeys],
      bids: order.price === null ? [] : [{ at, price: order.price }],
      jupyterToken: newKey(),
    };
  }

  /** Starts a stopped or exited instance; one that is on its way or running stays as it is. */
  start(record: InstanceRecord): void {
    const { at, phase } = this.#now(record);
    if (phase?.intended_status === "stopped" || phase?.actual_status === "exited")
      this.#add(record, { at, kind: "start" });
  }

  /** Ends and starts the container of an instance that runs; any other stays as it is. */
  reboot(record: InstanceRecord): void {
    const { at, phase } = this.#now(record);
    if (phase?.containerUp) this.#add(record, { at, kind: "reboot" });
  }

  /** From now on the instance bids this, in USD per hour. */
  bid(record: InstanceRecord, price: number): void {
    record.bids.push({ at: this.#options.clock.now(), price });
    this.#options.onChange(record);
  }

  /** The instances that use a volume. */
  using(volumeId: number): number[] {
    return this.records.filter((record) => record.volume?.id === volumeId && !destruction(record)).map(({ id }) => id);
  }

  /** Stops an instance; one that is stopped stays as it is. */
  stop(record: InstanceRecord, by: Actor): void {
    const { at, phase } = this.#now(record);
    if (phase?.intended_status === "running") this.#add(record, { at, kind: "stop", by });
  }

  destroy(record: InstanceRecord, by: Actor): void {
    this.#add(record, { at: this.#now(record).at, kind: "destroy", by });
  }

  /** A test's hand; throws when there is no such instance. */
  update(id: number, change: InstanceChange): void {
    const record = this.find(id);
    if (!record) throw new Error(`There is no instance ${id} to update.`);
    if (change === "outbid") this.stop(record, "owner");
    else if (change === "destroyed") this.destroy(record, "owner");
    else {
      const { actual_status, status_msg = null } = change;
      this.#add(record, { actual_status, status_msg, at: this.#now(record).at, kind: "status" });
    }
  }

  #now(record: InstanceRecord) {
    const at = this.#options.clock.now();
    return { at, phase: phaseAt(record, at) };
  }

  #add(record: InstanceRecord, event: InstanceEvent): void {
    record.events.push(event);
    this.#options.onChange(record);
  }
}
