import type { HoldingDeps } from "../fleet/holding-ports.ts";

/** The token's requests are shared by all workflows of the repository: below so many left, we ask more seldom. */
const FEW_REQUESTS = 100;
const SLOWER_BY = 4;

/** So long between two looks at the jobs, in milliseconds: the usual time, or four times that while few requests are left. */
export function paced(usualMs: number, { requestsLeft }: Pick<HoldingDeps, "requestsLeft">): number {
  return isShort(requestsLeft?.()) ? usualMs * SLOWER_BY : usualMs;
}

/** The sentence for the log while few requests are left. */
export function shortageOf({ requestsLeft }: Pick<HoldingDeps, "requestsLeft">): string | undefined {
  const left = requestsLeft?.();
  if (!isShort(left)) return undefined;
  return `Fewer than ${FEW_REQUESTS} requests of job-token are left in this hour: the jobs are looked at more seldom.`;
}

function isShort(left: number | undefined): boolean {
  return left !== undefined && left < FEW_REQUESTS;
}
