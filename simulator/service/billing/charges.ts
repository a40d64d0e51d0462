import { z } from "zod";
import type { SimClock } from "../../clock/sim-clock.ts";
import type { Volumes } from "../catalog/volumes.ts";
import { destruction, type InstanceRecord } from "../rentals/instance-record.ts";
import type { Rentals } from "../rentals/rentals.ts";
import { Refusal } from "../traffic/refusal.ts";
import type { Bill, Books } from "./books.ts";

/** One contract's charge as listed. Times in seconds since the epoch, money in USD. */
export interface ChargeRow {
  readonly start: number;
  readonly end: number;
  readonly type: "instance" | "volume";
  readonly source: string;
  readonly description: string;
  readonly amount: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly items: readonly unknown[];
}

const Filters = z.object({
  day: z.object({ gte: z.coerce.number(), lte: z.coerce.number() }),
  type: z.object({ in: z.array(z.string()) }).optional(),
});

/** Whose charges they are. */
export interface Charged {
  readonly clock: Pick<SimClock, "now">;
  readonly rentals: Rentals;
  readonly books: Books;
  readonly volumes: Volumes;
}

/** Which charges are asked for. */
export type ChargeQuery = z.output<typeof Filters>;

/** Reads `select_filters`; throws the published 400 for one without a range of days. */
export function readChargeQuery(text: string | null): ChargeQuery {
  const read = Filters.safeParse(parsed(text ?? "{}"));
  if (read.success) return read.data;
  const msg = "Must provide both 'day' gte and lte filters for instance charges";
  throw new Refusal(400, { error: "invalid_args", msg });
}

/**
 * The charges of contracts in the range, newest first. SPEC-SILENT: a contract counts whole once a
 * part of it is in the range.
 */
export function chargeRows({ day, type }: ChargeQuery, world: Charged): ChargeRow[] {
  const rows = [...instanceRows(world), ...volumeRows(world)];
  return rows
    .filter(({ start, end }) => end >= day.gte && start <= day.lte)
    .filter((row) => type === undefined || type.in.includes(row.type))
    .toSorted((one, other) => other.start - one.start || other.source.localeCompare(one.source));
}

function instanceRows({ rentals, books, clock }: Charged): ChargeRow[] {
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

function itemsOf(bill: Bill, span: Span) {
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

function volumeRows({ volumes, clock }: Charged): ChargeRow[] {
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
