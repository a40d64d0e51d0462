import { z } from "zod";
import type { SimClock } from "../../clock/sim-clock.ts";
import { parseJson } from "../../http/read-body.ts";
import { storagePerHour, sum, type Volumes } from "../catalog/volumes.ts";
import { destruction, type InstanceRecord } from "../rentals/instance-record.ts";
import { type Phase, phaseAt, phases } from "../rentals/lifecycle.ts";
import type { Rentals } from "../rentals/rentals.ts";
import { type Dialect, invalidArgs } from "../traffic/refusal.ts";

const HOUR_MS = 3_600_000;
/** Observed: `inet_down_billed` counts KB. SPEC-SILENT: of 1000 bytes; 1000 million for a GB. */
const KB_PER_GB = 1e6;

/** Counts moved bytes until a time: the image once the container is up, own traffic while it is. */
function movedBytes(record: InstanceRecord, now: number) {
  const { traffic } = record;
  const up = phases(record).filter(({ containerUp, from }) => containerUp && from <= now);
  if (traffic === undefined || up.length === 0) return { downGb: 0, upGb: 0 };
  const hours = sum(up.map(secondsUntil(now))) / 3600;
  return { downGb: traffic.imageGb + traffic.downGbPerHour * hours, upGb: traffic.upGbPerHour * hours };
}

/** The columns that show it, as observed. */
export function billedColumns(record: InstanceRecord, now: number) {
  if (record.traffic === undefined) return { inet_down_billed: null, inet_up_billed: null };
  const { downGb, upGb } = movedBytes(record, now);
  return { inet_down_billed: Math.round(downGb * KB_PER_GB), inet_up_billed: Math.round(upGb * KB_PER_GB) };
}

/** USD per hour for the GPUs while the container is up: the latest bid, or the offer's price. */
export function gpuPerHour({ offer, bids }: Pick<InstanceRecord, "offer" | "bids">): number {
  return bids.at(-1)?.price ?? offer.dph_base;
}

/**
 * The service's charges: storage from creation to destruction, GPUs while the container is up, by
 * the second; and bytes, whatever the state.
 */
export type Books = ReturnType<typeof openBooks>;

/** Opens the books over the instances and the volumes of a service. Money is USD. */
export function openBooks({ rentals, clock, volumes, dialect }: Omit<Charged, "books"> & { dialect: Dialect }) {
  const now = () => clock.now();
  const bills = () => rentals.records.map((record) => billFor(record, now(), dialect));
  return {
    /** One bill for each instance there ever was. */
    bills,
    bill: (id: number) => bills().find((bill) => bill.id === id),
    /** The sum of all bills, volumes included. */
    total: () => sum(bills().map(({ total }) => total)) + volumes.total(),
    /** The bills of the account's volumes, which outlive the instances that use them. */
    volumesNow: () => volumes.billingNow(),
    /**
     * Every instance that is not destroyed, and what it bills per hour: an empty list means that nothing
     * can bill any more. With offline ones: as observed they bill nothing while they are away, but may
     * come back.
     */
    billingNow: () => rentals.records.flatMap((record) => billingOf(record, phaseAt(record, now()), dialect)),
  };
}

/** One instance's cost up to now; seconds are simulated and counted in full. */
function billFor(record: InstanceRecord, now: number, dialect: Dialect) {
  const { id, label, offer, order, bids } = record;
  const lived = phases(record);
  const count = (counts: (phase: Phase) => boolean) => Math.ceil(sum(lived.filter(counts).map(secondsUntil(now))));
  const gpuSeconds = count((phase) => phase.containerUp);
  const storageSeconds = count((phase) => billsStorage(phase, dialect));
  const gpu = bids.length > 1 ? gpuOfBids(record, now) : (gpuSeconds / 3600) * gpuPerHour(record);
  const storage = (storageSeconds / 3600) * storagePerHour(offer, order.disk);
  const { downGb, upGb } = movedBytes(record, now);
  const bytes = downGb * offer.inet_down_cost + upGb * offer.inet_up_cost;
  return { id, label, gpuSeconds, storageSeconds, gpu, storage, bytes, total: gpu + storage + bytes };
}

/** A bid that was changed: each stretch of the container's time at its own. */
function gpuOfBids({ bids, ...life }: InstanceRecord, now: number): number {
  const up = phases(life).filter(({ containerUp }) => containerUp);
  const parts = bids.flatMap(({ at, price }, index) => {
    const end = Math.min(bids[index + 1]?.at ?? now, now);
    return up.map(({ from, to }) => (Math.max(0, Math.min(to, end) - Math.max(from, at)) / HOUR_MS) * price);
  });
  return sum(parts);
}

function secondsUntil(now: number): (phase: Phase) => number {
  return ({ from, to }) => Math.max(0, Math.min(to, now) - from) / 1000;
}

function billsStorage({ actual_status }: Phase, dialect: Dialect): boolean {
  // Seed: disks bill on in exited, unknown and offline. Observed: not while the host is offline.
  return dialect === "seed" || actual_status !== "offline";
}

function billingOf(record: InstanceRecord, phase: Phase | undefined, dialect: Dialect) {
  if (!phase) return [];
  const { id, label, offer, order } = record;
  return [
    {
      ...{ id, label, actual_status: phase.actual_status },
      gpuPerHour: phase.containerUp ? gpuPerHour(record) : 0,
      storagePerHour: billsStorage(phase, dialect) ? storagePerHour(offer, order.disk) : 0,
    },
  ];
}

const Filters = z.object({
  day: z.object({ gte: z.coerce.number(), lte: z.coerce.number() }),
  type: z.object({ in: z.array(z.string()) }).optional(),
});

/** Whose charges they are. */
interface Charged {
  readonly clock: Pick<SimClock, "now">;
  readonly rentals: Rentals;
  readonly books: Books;
  readonly volumes: Volumes;
}

/** Which charges are asked for. */
type ChargeQuery = z.output<typeof Filters>;

/** Reads `select_filters`; throws the published 400 for one without a range of days. */
export function readChargeQuery(text: string | null): ChargeQuery {
  const read = Filters.safeParse(parseJson(text ?? "{}"));
  if (read.success) return read.data;
  throw invalidArgs("Must provide both 'day' gte and lte filters for instance charges");
}

/**
 * The charges of contracts in the range, newest first. SPEC-SILENT: a contract counts whole once a
 * part of it is in the range.
 */
export function chargeRows({ day, type }: ChargeQuery, { rentals, books, volumes, clock }: Charged) {
  const spanOf = (createdAt: number, endedAt = clock.now()) => ({
    start: Math.floor(createdAt / 1000),
    end: Math.ceil(endedAt / 1000),
  });
  const ofInstances = rentals.records.map((record) => {
    const { id, label, createdAt, order } = record;
    const bill = books.bill(id);
    const span = spanOf(createdAt, destruction(record)?.at);
    const metadata = { ...(order.template && { template_id: order.template.id }), ...(label !== null && { label }) };
    return chargeRow("instance", id, {
      ...span,
      amount: bill?.total ?? 0,
      metadata,
      items: bill ? itemsOf(bill, span) : [],
    });
  });
  const ofVolumes = volumes.records.map((volume) => {
    const span = spanOf(volume.createdAt, volume.deletedAt);
    return chargeRow("volume", volume.id, { ...span, amount: volumes.cost(volume), metadata: {}, items: [] });
  });
  return [...ofInstances, ...ofVolumes]
    .filter(({ start, end }) => end >= day.gte && start <= day.lte)
    .filter((row) => type === undefined || type.in.includes(row.type))
    .toSorted((one, other) => other.start - one.start || other.source.localeCompare(one.source));
}

/** From when to when, in whole seconds since the epoch. */
type Span = Readonly<Record<"start" | "end", number>>;

/** What a contract came to. Published: three decimals. */
function chargeRow(
  type: "instance" | "volume",
  id: number,
  { amount, ...charge }: Span & { amount: number; metadata: object; items: readonly object[] },
) {
  const days = Math.max(1, Math.ceil((charge.end - charge.start) / 86_400));
  const kind = type === "instance" ? "Instance" : "Volume";
  const description = `${kind} ${id} Charges - ${days} ${days === 1 ? "day" : "days"}`;
  return { ...charge, type, source: `${type}-${id}`, description, amount: rounded(amount) };
}

function itemsOf(bill: ReturnType<typeof billFor>, span: Span) {
  const hours = (seconds: number) => (seconds / 3600).toFixed(3);
  const parts = [
    { type: "gpu", amount: bill.gpu, description: `${hours(bill.gpuSeconds)} hours of GPU` },
    { type: "disk", amount: bill.storage, description: `${hours(bill.storageSeconds)} hours of disk` },
    { type: "bwd", amount: bill.bytes, description: "Bandwidth" },
  ];
  const none = { source: null, metadata: {}, items: [] };
  return parts
    .filter(({ amount }) => amount > 0)
    .map((part) => ({ ...span, ...part, ...none, amount: rounded(part.amount) }));
}

function rounded(usd: number): number {
  return Math.round(usd * 1000) / 1000;
}
