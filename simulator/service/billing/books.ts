import { z } from "zod";
import type { SimClock } from "../../clock/sim-clock.ts";
import { parseJson } from "../../http/read-body.ts";
import type { MarketOffer } from "../../scenario/scenario.ts";
import { storagePerHour, type Volumes } from "../catalog/volumes.ts";
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
  const hours = up.reduce((sum, { from, to }) => sum + (Math.min(to, now) - from) / HOUR_MS, 0);
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

/** USD for so many seconds of an instance's GPUs from a time on, at the bids that held in them. */
function gpuUsd({ offer, bids }: Pick<InstanceRecord, "offer" | "bids">, from: number, seconds: number): number {
  const to = from + seconds * 1000;
  const cuts = [from, ...bids.map(({ at }) => at).filter((at) => at > from && at < to), to];
  return cuts.slice(1).reduce((sum, end, index) => {
    const start = cuts[index] ?? from;
    const price = bids.findLast(({ at }) => at <= start)?.price ?? offer.dph_base;
    return sum + ((end - start) / 3_600_000) * price;
  }, 0);
}

/** USD for what was moved over the host's line, both ways, at the offer's prices per GB. */
function bytesPrice(
  offer: Pick<MarketOffer, "inet_down_cost" | "inet_up_cost">,
  moved: ReturnType<typeof movedBytes>,
): number {
  return moved.downGb * offer.inet_down_cost + moved.upGb * offer.inet_up_cost;
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
    total: () => bills().reduce((sum, bill) => sum + bill.total, volumes.total()),
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

function billingOf(record: InstanceRecord, phase: Phase | undefined, dialect: Dialect) {
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
export function chargeRows({ day, type }: ChargeQuery, world: Charged) {
  const rows = [...instanceRows(world), ...volumeRows(world)];
  return rows
    .filter(({ start, end }) => end >= day.gte && start <= day.lte)
    .filter((row) => type === undefined || type.in.includes(row.type))
    .toSorted((one, other) => other.start - one.start || other.source.localeCompare(one.source));
}

function instanceRows({ rentals, books, clock }: Charged) {
  return rentals.records.map((record) => {
    const bill = books.bill(record.id);
    const span = { start: record.createdAt / 1000, end: (destruction(record)?.at ?? clock.now()) / 1000 };
    return {
      ...wholeSeconds(span),
      type: "instance",
      source: `instance-${record.id}`,
      description: `Instance ${record.id} Charges - ${days(span)}`,
      amount: rounded(bill?.total ?? 0),
      metadata: { ...(record.order.template && { template_id: record.order.template.id }), ...labelOf(record) },
      items: bill ? itemsOf(bill, span) : [],
    };
  });
}

function labelOf({ label }: InstanceRecord) {
  return label === null ? {} : { label };
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
    .map((part) => ({ ...wholeSeconds(span), ...part, ...none, amount: rounded(part.amount) }));
}

function volumeRows({ volumes, clock }: Charged) {
  return volumes.records.map((volume) => {
    const span = { start: volume.createdAt / 1000, end: (volume.deletedAt ?? clock.now()) / 1000 };
    return {
      ...wholeSeconds(span),
      type: "volume",
      source: `volume-${volume.id}`,
      description: `Volume ${volume.id} Charges - ${days(span)}`,
      amount: rounded(volumes.cost(volume)),
      metadata: {},
      items: [],
    };
  });
}

/** Seconds since the epoch. */
interface Span {
  readonly start: number;
  readonly end: number;
}

function wholeSeconds({ start, end }: Span): Span {
  return { start: Math.floor(start), end: Math.ceil(end) };
}

function days({ start, end }: Span): string {
  const count = Math.max(1, Math.ceil((end - start) / 86_400));
  return `${count} ${count === 1 ? "day" : "days"}`;
}

/** Published: three decimals. */
function rounded(usd: number): number {
  return Math.round(usd * 1000) / 1000;
}
