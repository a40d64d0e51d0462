import type { Offer } from "../marketplace/marketplace.ts";
import { TUNING } from "./tuning.ts";

/** The image's facts, and whether `boot-timeout: auto` leaves each machine's limit to them. */
export interface ImageFacts {
  /** Of the image, or the hash of the template that brings one which nobody could tell. */
  name: string;
  /** As it is downloaded, compressed; undefined where its registry did not tell. */
  bytes: number | undefined;
  /** Its tag says devel: such images are several times as big as others. */
  isDevel: boolean;
  /** `boot-timeout: auto`. */
  decidesBoot: boolean;
}

type Speed = Pick<Offer, "inetDownMbps">;

/** Its test had the host's line alone; a pull shares it, and a registry limits each client. */
const SHARE_OF_LINE = 0.5;
/** Mbit/s of a host that does not tell: what `min-inet-down-mbps` asks for by default. */
const UNTOLD_MBPS = 200;
/** One core unpacks layers in turn, onto a shared disk. Seconds per compressed GB (10^9 bytes). */
const UNPACK_SECONDS_PER_GB = 20;

/** Time for a host to download and unpack so many bytes of an image, in milliseconds. */
export function pullMs(bytes: number, offer: Speed): number {
  const seconds = (bytes * 8) / (speedOf(offer) * SHARE_OF_LINE * 1e6) + (bytes / 1e9) * UNPACK_SECONDS_PER_GB;
  return seconds * 1000;
}

function speedOf({ inetDownMbps = 0 }: Speed): number {
  return inetDownMbps > 0 ? inetDownMbps : UNTOLD_MBPS;
}

/** `about 2 min to pull 3.2 GB at 840 Mbit/s` */
export function describePull(bytes: number, offer: Speed): string {
  const minutes = Math.max(1, Math.round(pullMs(bytes, offer) / 60_000));
  const speed = offer.inetDownMbps ? `${Math.round(offer.inetDownMbps)} Mbit/s` : "an unknown speed";
  return `about ${minutes} min to pull ${formatSize(bytes)} at ${speed}`;
}

export function formatSize(bytes: number): string {
  return bytes >= 1e8 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.max(1, Math.round(bytes / 1e6))} MB`;
}

const { baseMs, withImageMs, unknownGb, recentBoots, ratios, spreadBoots } = TUNING.boot;

/** Earlier boots' lessons for a machine that is to boot now. Ratios: actual to estimate. */
interface KnownBoots {
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
  offer: Speed,
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

/** The middle half of recent boots, in times of what their median lets expect: 1 is as expected. */
export interface Spread {
  boots: number;
  least: number;
  most: number;
}

/** By how much boots were off; `recentRatios` newest last. Undefined: too few are known. */
export function spreadOf(recentRatios: readonly number[]): Spread | undefined {
  const sorted = recentRatios.slice(-recentBoots).toSorted((left, right) => left - right);
  const middle = median(sorted);
  if (sorted.length < spreadBoots || middle === undefined) return undefined;
  const quarter = Math.floor(sorted.length / 4);
  const [low = middle, high = middle] = [sorted[quarter], sorted[sorted.length - 1 - quarter]];
  return { boots: sorted.length, least: low / middle, most: high / middle };
}

/** `Half of the last 15 boots took 0.8 to 1.4 times what was expected.` */
export function describeSpread({ boots, least, most }: Spread): string {
  return `Half of the last ${boots} boots took ${least.toFixed(1)} to ${most.toFixed(1)} times what was expected.`;
}

const { leastMs, usual, unproven, proven, widest } = TUNING.late;

/** A machine's past: `none` where no history is kept. */
export type Standing = "none" | "unproven" | "proven";

const FACTORS: Readonly<Record<Standing, number>> = { none: usual, unproven, proven };

/**
 * A machine that does not run by then is late, in milliseconds since its create was asked for. Where
 * boots lie wider apart than the usual ones, by which the factors were set, it is late so much later.
 */
export function lateToRunMs(expectedMs: number, standing: Standing, spread?: Spread): number {
  const wider = Math.min(widest, Math.max(1, (spread?.most ?? usual) / usual));
  return Math.max(leastMs, FACTORS[standing] * expectedMs * wider);
}
