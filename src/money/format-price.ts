/** A price in USD: two decimals, more for prices below a cent. */
export function formatPrice(usd: number): string {
  return `${usd >= 0.1 || usd === 0 ? usd.toFixed(2) : usd.toFixed(4)} USD`;
}

/** A limit as it was given: two that decide otherwise must not read the same. */
export function formatLimit(usd: number): string {
  return Number(usd.toFixed(2)) === usd ? formatPrice(usd) : `${usd} USD`;
}
