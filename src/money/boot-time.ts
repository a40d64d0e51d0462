import type { Offer } from "../vast/schemas/offer.ts";

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

type Speed = Pick<Offer, "inet_down">;

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

function speedOf({ inet_down }: Speed): number {
  return inet_down !== undefined && inet_down > 0 ? inet_down : UNTOLD_MBPS;
}

/** `about 2 min to pull 3.2 GB at 840 Mbit/s` */
export function describePull(bytes: number, offer: Speed): string {
  const minutes = Math.max(1, Math.round(pullMs(bytes, offer) / 60_000));
  const speed = offer.inet_down ? `${Math.round(offer.inet_down)} Mbit/s` : "an unknown speed";
  return `about ${minutes} min to pull ${formatSize(bytes)} at ${speed}`;
}

function formatSize(bytes: number): string {
  return bytes >= 1e8 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.max(1, Math.round(bytes / 1e6))} MB`;
}
