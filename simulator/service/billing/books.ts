import { storagePerHour } from "../catalog/storage-price.ts";
import type { VolumeBilling, Volumes } from "../catalog/volumes.ts";
import type { InstanceRecord } from "../rentals/instance-record.ts";
import { type Phase, phaseAt, phases } from "../rentals/lifecycle.ts";
import type { Dialect } from "../traffic/dialect.ts";
import { movedBytes } from "./moved-bytes.ts";
import { bytesPrice, gpuPerHour, gpuUsd } from "./prices.ts";

/** One instance's cost up to now. Seconds are simulated and counted in full; money is USD. */
export interface Bill {
  readonly id: number;
  readonly label: string | null;
  readonly gpuSeconds: number;
  readonly storageSeconds: number;
  readonly gpu: number;
  readonly storage: number;
  /** For what it moved over its host's line. */
  readonly bytes: number;
  readonly total: number;
}

/** An instance that exists, and what it bills right now in USD per hour. */
export interface Billing {
  readonly id: number;
  readonly label: string | null;
  readonly actual_status: string | null;
  readonly gpuPerHour: number;
  readonly storagePerHour: number;
}

/**
 * The service's charges: storage from creation to destruction, GPUs while the container is up, by
 * the second; and bytes, whatever the state.
 */
export interface Books {
  /**
   * Every instance that is not destroyed: an empty list means that nothing can bill any more. With
   * offline ones: as observed they bill nothing while they are away, but may come back.
   */
  billingNow(): Billing[];
  /** One bill for each instance there ever was. */
  bills(): Bill[];
  bill(id: number): Bill | undefined;
  /** The bills of the account's volumes, which outlive the instances that use them. */
  volumesNow(): VolumeBilling[];
  /** The sum of all bills in USD, volumes included. */
  total(): number;
}

interface BooksOptions {
  records: () => readonly InstanceRecord[];
  now: () => number;
  dialect: Dialect;
  volumes: Volumes;
}

/** Opens the books over the instances of a service. */
export function openBooks({ records, now, dialect, volumes }: BooksOptions): Books {
  const bills = () => records().map((record) => billFor(record, now(), dialect));
  return {
    bills,
    bill: (id) => bills().find((bill) => bill.id === id),
    total: () => bills().reduce((sum, bill) => sum + bill.total, volumes.total()),
    volumesNow: () => volumes.billingNow(),
    billingNow: () => records().flatMap((record) => billingOf(record, phaseAt(record, now()), dialect)),
  };
}

function billFor(record: InstanceRecord, now: number, dialect: Dialect): Bill {
  const lived = phases(record).map((phase) => ({ ...phase, seconds: secondsOf(phase, now) }));
  const sum = (counts: (phase: Phase) => boolean) =>
    Math.ceil(lived.filter(counts).reduce((total, { seconds }) => total + seconds, 0));
  const gpuSeconds = sum((phase) => phase.containerUp);
  const storageSeconds = sum((phase) => billsStorage(phase, dialect));
  const gpu = record.bids.length > 1 ? gpuOfBids(record, now) : (gpuSeconds / 3600) * gpuPerHour(record);
  const storage = (storageSeconds / 3600) * storagePerHour(record.offer, record.order.disk);
  const bytes = bytesPrice(record.offer, movedBytes(record, now));
  const total = gpu + storage + bytes;
  return { id: record.id, label: record.label, gpuSeconds, storageSeconds, gpu, storage, bytes, total };
}

/** A bid that was changed: each stretch at its own. */
function gpuOfBids(record: InstanceRecord, now: number): number {
  const up = phases(record).filter(({ containerUp }) => containerUp);
  return up.reduce((sum, phase) => sum + gpuUsd(record, phase.from, secondsOf(phase, now)), 0);
}

function secondsOf({ from, to }: Phase, now: number): number {
  return Math.max(0, Math.min(to, now) - from) / 1000;
}

function billsStorage({ actual_status }: Phase, dialect: Dialect): boolean {
  // Seed: disks bill on in exited, unknown and offline. Observed: not while the host is offline.
  return dialect === "seed" || actual_status !== "offline";
}

function billingOf(record: InstanceRecord, phase: Phase | undefined, dialect: Dialect): Billing[] {
  if (!phase) return [];
  return [
    {
      id: record.id,
      label: record.label,
      actual_status: phase.actual_status,
      gpuPerHour: phase.containerUp ? gpuPerHour(record) : 0,
      storagePerHour: billsStorage(phase, dialect) ? storagePerHour(record.offer, record.order.disk) : 0,
    },
  ];
}
