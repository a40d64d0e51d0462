import type { Price } from "../marketplace/marketplace.ts";

/** Half of the last decimal that is shown: what is less would read as 0. */
const UNSHOWN_USD = 0.00005;

/** Formats a price in USD: two decimals, four for prices below 0.10. One that is not 0 never reads as 0. */
export function formatPrice(usd: number): string {
  if (isUnshown(usd)) return "less than 0.0001 USD";
  return `${usd >= 0.1 || usd === 0 ? usd.toFixed(2) : usd.toFixed(4)} USD`;
}

/** Formats an estimated sum: `about 0.34 USD`, `less than 0.0001 USD`, or `nothing` for 0. */
export function formatAbout(usd: number): string {
  if (usd === 0) return "nothing";
  return isUnshown(usd) ? formatPrice(usd) : `about ${formatPrice(usd)}`;
}

function isUnshown(usd: number): boolean {
  return usd > 0 && usd < UNSHOWN_USD;
}

/** Formats a price that is compared with another one, with as many decimals as it takes to tell them apart. */
export function formatBeside(usd: number, other: number): string {
  if (usd === other || formatPrice(usd) !== formatPrice(other)) return formatPrice(usd);
  const decimals = DECIMALS.find((count) => usd.toFixed(count) !== other.toFixed(count));
  return decimals === undefined ? `${usd} USD` : `${usd.toFixed(decimals)} USD`;
}

const DECIMALS = [3, 4, 5, 6];

/** Formats a limit with all its decimals: different limits must not read the same. */
export function formatLimit(usd: number): string {
  return Number(usd.toFixed(2)) === usd ? formatPrice(usd) : `${usd} USD`;
}

/** GitHub's price of the smallest Linux runner, in USD per minute, from its public pages in 2026. */
export const HOSTED_RUNNER_USD_PER_MINUTE = 0.006;

/** Describes a price: `0.34 USD per hour`, and the bid in it. */
export function describePrice({ total, bid }: Price): string {
  const perHour = `${formatPrice(total)} per hour`;
  return bid === undefined ? perHour : `${perHour} (interruptible, at a bid of ${formatPrice(bid)} for the GPUs)`;
}
