import type { SimClock } from "../../clock/sim-clock.ts";
import type { ImageLogin } from "../../scenario/scenario.ts";
import type { StatusStep } from "../../scenario/simulate.ts";
import type { Stall } from "../catalog/market.ts";
import type { VolumeRecord } from "../catalog/volumes.ts";
import type { Dialect } from "../traffic/refusal.ts";
import {
  type BootPlan,
  destruction,
  type InstanceOrder,
  type InstanceRecord,
  missingInstance,
  newRecord,
  planBoot,
  type SshKey,
} from "./instance-record.ts";
import { type Actor, type InstanceEvent, phaseAt, phases } from "./lifecycle.ts";

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
  /** The boot where the offer says nothing. */
  boot: readonly StatusStep[] | undefined;
  visibilityLagSeconds: number;
  /** Who may pull from private registries. */
  imageLogins: readonly ImageLogin[];
  /** The account's keys for SSH, which each new instance gets. */
  sshKeys: () => readonly SshKey[];
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
  readonly #queued = new Map<number, () => void>();

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

  create(stall: Stall, order: InstanceOrder, { isTwin = false, lagSeconds = 0, volume }: Making = {}): InstanceRecord {
    const { clock, dialect, visibilityLagSeconds, sshHost, sshKeys } = this.#options;
    const record = newRecord(stall, order, {
      nth: this.records.length,
      at: clock.now(),
      lagSeconds: Math.max(visibilityLagSeconds, lagSeconds),
      ...{ dialect, sshHost, volume },
      sshKeys: sshKeys(),
      plan: this.#plan(stall, order, isTwin),
    });
    this.records.push(record);
    this.#options.onChange(record);
    this.#outbidLater(record, stall.simulate.outbidAfter);
    return record;
  }

  /** Starts a stopped or exited instance; one that is on its way or running stays as it is. */
  start(record: InstanceRecord): void {
    const now = this.#options.clock.now();
    const phase = phaseAt(record, now);
    if (phase?.intended_status === "stopped" || phase?.actual_status === "exited") {
      this.#add(record, { at: now, kind: "start" });
    }
  }

  /** Starts an instance so many seconds later, unless it is stopped, or gone, before that. */
  startLater(record: InstanceRecord, afterSeconds: number): void {
    this.#queued.get(record.id)?.();
    const cancel = this.#options.clock.after(afterSeconds * 1000, () => {
      if (!destruction(record)) this.start(record);
    });
    this.#queued.set(record.id, cancel);
  }

  /** Ends and starts the container of an instance that runs; any other stays as it is. */
  reboot(record: InstanceRecord): void {
    const now = this.#options.clock.now();
    if (phaseAt(record, now)?.containerUp) this.#add(record, { at: now, kind: "reboot" });
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
    this.#queued.get(record.id)?.();
    const now = this.#options.clock.now();
    if (phaseAt(record, now)?.intended_status === "running") this.#add(record, { at: now, kind: "stop", by });
  }

  destroy(record: InstanceRecord, by: Actor): void {
    this.#add(record, { at: this.#options.clock.now(), kind: "destroy", by });
  }

  /** A test's hand; throws when there is no such instance. */
  update(id: number, change: InstanceChange): void {
    const record = this.find(id);
    if (!record) throw new Error(`There is no instance ${id} to update.`);
    if (change === "outbid") this.stop(record, "owner");
    else if (change === "destroyed") this.destroy(record, "owner");
    else {
      const { actual_status, status_msg = null } = change;
      this.#add(record, { actual_status, status_msg, at: this.#options.clock.now(), kind: "status" });
    }
  }

  /** Someone bids more, so many seconds after the creation; only interruptible ones care. */
  #outbidLater(record: InstanceRecord, afterSeconds: number | undefined): void {
    if (afterSeconds === undefined || record.bids.length === 0) return;
    this.#options.clock.after(afterSeconds * 1000, () => {
      if (!destruction(record)) this.stop(record, "owner");
    });
  }

  #plan({ offer, simulate }: Stall, order: InstanceOrder, isTwin: boolean): BootPlan {
    const { boot, dialect, imageLogins } = this.#options;
    const onMachine = this.records.filter((record) => record.offer.machine_id === offer.machine_id);
    const pulled = onMachine.filter(
      (record) => record.order.image === order.image && hasRun(record, this.#options.clock.now()),
    );
    return planBoot({ offer, simulate }, order, {
      ...{ boot, dialect, imageLogins },
      nth: onMachine.length + 1,
      hasImage: pulled.length > 0,
      isSecond: this.holds(offer.id) && !isTwin,
    });
  }

  #add(record: InstanceRecord, event: InstanceEvent): void {
    record.events.push(event);
    this.#options.onChange(record);
  }
}

function hasRun(record: InstanceRecord, now: number): boolean {
  return phases(record).some(({ containerUp, from }) => containerUp && from <= now);
}
