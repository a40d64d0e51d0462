import type { InstanceRecord } from "../rentals/instance-record.ts";
import { phases } from "../rentals/lifecycle.ts";

/** Observed: 0 and -1, not null, where the host did not report; null as the vendor's examples have it. */
const NOT_REPORTED = {
  ...{ gpu_util: 0, gpu_temp: 0, cpu_util: 0, disk_usage: -1 },
  ...{ mem_usage: null, mem_limit: null, vmem_usage: null },
};

/** The columns of what an instance does, as its host last reported while its container was up. */
export function usageColumns(record: InstanceRecord, now: number): Record<string, unknown> {
  const since = phases(record).find(({ containerUp }) => containerUp)?.from ?? Number.POSITIVE_INFINITY;
  const { after: _since, ...shown } = record.usage.findLast(({ after }) => since + after * 1000 <= now) ?? { after: 0 };
  return { ...NOT_REPORTED, ...shown };
}
