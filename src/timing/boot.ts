import type { Offer } from "../marketplace/marketplace.ts";
import { TUNING } from "./tuning.ts";

/** What is known of the image. */
export interface ImageFacts {
  /** The image's name, or the template's hash if its image is not known. */
  name: string;
  /** Compressed size; undefined if not known. */
  bytes: number | undefined;
  /** Its tag says devel: such images are several times as big as others. */
  isDevel: boolean;
  /** True for `boot-timeout: auto`: the image's size and the host's line set each machine's limit. */
  decidesBoot: boolean;
}

type ImageSize = Pick<ImageFacts, "bytes" | "isDevel">;

/** The bytes of a GB as everybody counts them: registries, offers and bills. */
export const GB = 1e9;

/** What says how fast a host downloads. */
export type Speed = Pick<Offer, "inetDownMbps">;

/** A pull gets about half of the measured line: it shares the line, and registries limit each client. */
const SHARE_OF_LINE = 0.5;
/** Mbit/s that we assume of a host that does not show them: the default of `min-inet-down-mbps`. */
const ASSUMED_MBPS = 200;
/** Seconds to unpack a compressed GB (10^9 bytes): one core unpacks layer after layer onto a shared disk. */
const UNPACK_SECONDS_PER_GB = 20;

/** Estimates how long a host takes to download and unpack an image, in milliseconds. */
export function pullMs(bytes: number, { inetDownMbps = 0 }: Speed): number {
  const mbps = inetDownMbps > 0 ? inetDownMbps : ASSUMED_MBPS;
  return 1000 * ((bytes * 8) / (mbps * SHARE_OF_LINE * 1e6) + (bytes / GB) * UNPACK_SECONDS_PER_GB);
}

/** Describes a pull: `about 2 min to pull 3.2 GB at 840 Mbit/s`. */
export function describePull(bytes: number, offer: Speed): string {
  const minutes = Math.max(1, Math.round(pullMs(bytes, offer) / 60_000));
  const speed = offer.inetDownMbps ? `${Math.round(offer.inetDownMbps)} Mbit/s` : "an unknown speed";
  return `about ${minutes} min to pull ${formatSize(bytes)} at ${speed}`;
}

export function formatSize(bytes: number): string {
  return bytes >= 1e8 ? `${(bytes / GB).toFixed(1)} GB` : `${Math.max(1, Math.round(bytes / 1e6))} MB`;
}

const { baseMs, withImageMs, unknownGb, recentBoots, ratios } = TUNING.boot;

/** What earlier boots teach about the next one. Ratios are actual to estimated time. */
interface KnownBoots {
  /** The machine's own last ratio. */
  ownRatio?: number | undefined;
  /** Of all machines, newest last. */
  recentRatios: readonly number[];
  /** This machine pulled this image before. */
  hasImage: boolean;
}

const NO_BOOTS: KnownBoots = { recentRatios: [], hasImage: false };

/** Estimates the time from a machine's creation to running, in milliseconds (docs/internals/adr/0017). */
export function expectedBootMs(image: ImageSize, offer: Speed, known: KnownBoots = NO_BOOTS): number {
  if (known.hasImage) return withImageMs;
  return Math.round(baseMs + bootFactor(known) * pullMs(expectedBytes(image), offer));
}

/** Returns the image's compressed size in bytes; a guess if it is not known. */
export function expectedBytes({ bytes, isDevel }: ImageSize): number {
  return bytes ?? unknownGb[isDevel ? "devel" : "usual"] * GB;
}

/** Returns how much longer pulls take than estimated: as the host's last boot, else the recent median, else 1. */
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

const { leastMs, usual, withHistory } = TUNING.late;

/** A machine's past: `none` where nothing is known of earlier sessions. */
export type Standing = "none" | "unproven" | "proven";

/** Computes when a machine that does not run yet is late, in milliseconds since its create. */
export function lateToRunMs(expectedMs: number, standing: Standing): number {
  return Math.max(leastMs, (standing === "none" ? usual : withHistory) * expectedMs);
}
