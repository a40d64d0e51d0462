import type { Instance } from "../vast/schemas/instance.ts";
import type { MachineRecord } from "./machine-record.ts";

/** The service counts in KB. SPEC-SILENT: of how many bytes; 1000 bills the most. */
const KB_PER_GB = 1e6;
/** Growth below this is not worth writing down. */
const WORTH_NOTING_GB = 0.05;

/** Prices that differ by less are the same, rounded in another way. */
const SAME_PRICE = 1.01;

/**
 * Takes over what the service shows of a machine's bill: since when it exists, its price and its
 * bytes. True when the report changed.
 */
export function noteFigures(report: MachineRecord, instance: Instance): boolean {
  const isOlder = noteCreation(report, instance);
  const hasRisen = notePrice(report, instance);
  return noteTraffic(report, instance) || hasRisen || isOlder;
}

/** True for a price that is more than another one, by more than how it is rounded. */
export function isDearer(price: number, than: number): boolean {
  return price > than * SAME_PRICE;
}

/**
 * It is charged at this price; its offer's may have changed by the time of the create.
 * SPEC-SILENT: whether the price has anything in it that the offer's has not, such as a volume.
 */
function notePrice(report: MachineRecord, { dph_total }: Instance): boolean {
  if (dph_total === undefined || !isDearer(dph_total, report.price.total)) return false;
  report.price = { ...report.price, total: dph_total };
  return true;
}

/**
 * `start_date` is when the service made the instance. Taken only when it lies between our request
 * and its answer: else its clock and ours differ, or it means something else.
 */
function noteCreation({ at }: MachineRecord, { start_date }: Instance): boolean {
  const start = (start_date ?? Number.NaN) * 1000;
  if (!(start >= at.asked && start < (at.created ?? start))) return false;
  at.created = start;
  return true;
}

/** The figures are cumulative: a smaller one is not believed. */
function noteTraffic(report: MachineRecord, { inet_down_billed: down, inet_up_billed: up }: Instance): boolean {
  if (down === undefined && up === undefined) return false;
  const before = report.traffic;
  const downGb = Math.max(before?.downGb ?? 0, (down ?? 0) / KB_PER_GB);
  const upGb = Math.max(before?.upGb ?? 0, (up ?? 0) / KB_PER_GB);
  const growth = downGb + upGb - (before ? before.downGb + before.upGb : 0);
  if (before !== undefined && growth < WORTH_NOTING_GB) return false;
  report.traffic = { downGb, upGb };
  return true;
}
