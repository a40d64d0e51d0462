/** What the inputs ask of an offer. */
export interface OfferWishes {
  /** Undefined: any GPU. */
  gpuName: string | undefined;
  numGpus: number;
  /** USD per hour, storage included. */
  maxPrice: number;
  /** 0 to 1. */
  minReliability: number;
  diskGb: number;
  durationSeconds: number;
}

/** The wishes in words, for messages: `1 × RTX 4090, at most 0.60 USD per hour, …`. */
export function describeWishes(wishes: OfferWishes): string {
  const gpu = `${wishes.numGpus} × ${wishes.gpuName ?? "any GPU"}`;
  return `${gpu}, at most ${formatPrice(wishes.maxPrice)} per hour, reliability ${wishes.minReliability} or more, ${wishes.diskGb} GB of disk`;
}

/** A price in USD: two decimals, more for prices below a cent. */
export function formatPrice(usd: number): string {
  return `${usd >= 0.1 || usd === 0 ? usd.toFixed(2) : usd.toFixed(4)} USD`;
}
