import type { Offer } from "../vast/schemas/offer.ts";
import { type ImageFacts, pullMs } from "./boot-time.ts";
import { TUNING } from "./tuning.ts";

const { baseMs, withImageMs, unknownGb, recentBoots, ratios } = TUNING.boot;

/** Earlier boots' lessons for a machine that is to boot now. Ratios: actual to estimate. */
export interface KnownBoots {
  /** The machine's own last ratio. */
  ownRatio?: number | undefined;
  /** Of all machines, newest last. */
  recentRatios: readonly number[];
  /** This machine pulled this image before. */
  hasImage: boolean;
}

/** Nothing is known. */
const NO_BOOTS: KnownBoots = { recentRatios: [], hasImage: false };

/** Time from creation to running, as expected, in milliseconds. DESIGN §1.2, `E`. */
export function expectedBootMs(
  image: Pick<ImageFacts, "bytes" | "isDevel">,
  offer: Pick<Offer, "inet_down">,
  known: KnownBoots = NO_BOOTS,
): number {
  if (known.hasImage) return withImageMs;
  return Math.round(baseMs + bootFactor(known) * pullMs(expectedBytes(image), offer));
}

/** The image's size as it is pulled, in bytes; a guess where nobody could tell. */
export function expectedBytes({ bytes, isDevel }: Pick<ImageFacts, "bytes" | "isDevel">): number {
  return bytes ?? unknownGb[isDevel ? "devel" : "usual"] * 1e9;
}

/** Actual to estimated pull time: of the host's last boot, else the recent median, else 1. */
export function bootFactor({ ownRatio, recentRatios }: KnownBoots): number {
  const factor = ownRatio ?? median(recentRatios.slice(-recentBoots)) ?? 1;
  return Math.min(ratios.most, Math.max(ratios.least, factor));
}

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}
