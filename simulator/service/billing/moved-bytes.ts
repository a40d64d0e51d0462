import type { InstanceRecord } from "../rentals/instance-record.ts";
import { phases } from "../rentals/lifecycle.ts";

/** Bytes that an instance has moved so far, in GB. */
export interface MovedBytes {
  readonly downGb: number;
  readonly upGb: number;
}

const HOUR_MS = 3_600_000;
/** Observed: `inet_down_billed` counts KB. SPEC-SILENT: of 1000 bytes; 1000 million for a GB. */
const KB_PER_GB = 1e6;

/** Counts moved bytes until a time: the image once the container is up, own traffic while it is. */
export function movedBytes(record: InstanceRecord, now: number): MovedBytes {
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
