/** How a pause grows: each time by this factor, up to the longest. In milliseconds. */
export interface Growth {
  firstMs: number;
  by: number;
  mostMs: number;
}

/** At most so much longer, as a share of the pause, so that several clients don't come back in step. */
const JITTER = 0.3;

/** Returns the pause after so many times in a row, in milliseconds. `jitter`: from 0 to 1. */
export function pauseMs({ by, firstMs, mostMs }: Growth, times: number, jitter = 0): number {
  const pause = Math.max(firstMs, Math.min(firstMs * by ** (times - 1), mostMs));
  return Math.round(pause * (1 + jitter * JITTER));
}
