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
