import type { Price } from "../marketplace/marketplace.ts";

/** A price in USD: two decimals, more for prices below a cent. */
export function formatPrice(usd: number): string {
  return `${usd >= 0.1 || usd === 0 ? usd.toFixed(2) : usd.toFixed(4)} USD`;
}

/** A price beside another one: with the decimals that it takes to tell the two apart. */
export function formatBeside(usd: number, other: number): string {
  if (usd === other || formatPrice(usd) !== formatPrice(other)) return formatPrice(usd);
  const decimals = DECIMALS.find((count) => usd.toFixed(count) !== other.toFixed(count));
  return decimals === undefined ? `${usd} USD` : `${usd.toFixed(decimals)} USD`;
}

const DECIMALS = [3, 4, 5, 6];

/** A limit as it was given: two that decide otherwise must not read the same. */
export function formatLimit(usd: number): string {
  return Number(usd.toFixed(2)) === usd ? formatPrice(usd) : `${usd} USD`;
}

/**
 * GitHub's price for the job that holds the machine, in USD per minute, from its public pages in
 * 2026: the smallest standard Linux runner, 2 cores. Larger ones cost more; public repositories pay
 * nothing.
 */
export const HOLDER_USD_PER_MINUTE = 0.006;

/** A price in words: `0.34 USD per hour`, and what of it is a bid. */
export function describePrice({ total, bid }: Price): string {
  const perHour = `${formatPrice(total)} per hour`;
  return bid === undefined ? perHour : `${perHour} (interruptible, at a bid of ${formatPrice(bid)} for the GPUs)`;
}
