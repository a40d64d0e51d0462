import type { Offer } from "../service/schemas/offer.ts";
import { formatDuration } from "../time/duration.ts";
import type { Limits } from "./lifetime.ts";

/** What is known of the image, and whether `boot-timeout: auto` leaves each machine's limit to it. */
export interface ImageFacts {
  /** As it is downloaded, compressed; undefined where its registry did not tell. */
  bytes: number | undefined;
  /** Its tag says devel: such images are several times as big as others. */
  isDevel: boolean;
  /** `boot-timeout: auto`. */
  decidesBoot: boolean;
}

type Speed = Pick<Offer, "inet_down">;

/** A host's line as its last test saw it, alone on it; a pull shares it with other guests, and a registry sends one client less. */
const SHARE_OF_LINE = 0.5;
/** Mbit/s of a host that does not tell: what `min-inet-down-mbps` asks for by default. */
const UNTOLD_MBPS = 200;
/** Layers are unpacked one after the other, by one core, onto a disk that others use, too. Seconds per compressed GB (10^9 bytes). */
const UNPACK_SECONDS_PER_GB = 20;
/** Provisioning, creation and start of the container; seen to take 1 to 2 minutes without any image. */
const BASE_MS = 180_000;
/** An estimate is no promise: a machine is given up only when it takes a multiple of it. */
const PATIENCE = 3;
const SHORTEST_MS = 10 * 60_000;
const LONGEST_MS = 40 * 60_000;
/** Where the size is not known. */
const UNKNOWN_MS = { usual: SHORTEST_MS, devel: 20 * 60_000 };

/** About how long a host takes to download and unpack so many bytes of an image, in milliseconds. */
export function pullMs(bytes: number, offer: Speed): number {
  const seconds = (bytes * 8) / (speedOf(offer) * SHARE_OF_LINE * 1e6) + (bytes / 1e9) * UNPACK_SECONDS_PER_GB;
  return seconds * 1000;
}

function speedOf({ inet_down }: Speed): number {
  return inet_down !== undefined && inet_down > 0 ? inet_down : UNTOLD_MBPS;
}

/** The limits of a machine made of this offer: with `boot-timeout: auto` its own time to boot, which `ready-timeout` cuts. */
export function limitsFor({ image, limits }: { image: ImageFacts; limits: Limits }, offer: Speed): Limits {
  return image.decidesBoot ? { ...limits, bootMs: Math.min(autoBootMs(image, offer), limits.readyMs) } : limits;
}

function autoBootMs({ bytes, isDevel }: ImageFacts, offer: Speed): number {
  if (bytes === undefined) return UNKNOWN_MS[isDevel ? "devel" : "usual"];
  const minutes = Math.ceil((PATIENCE * pullMs(bytes, offer) + BASE_MS) / 60_000);
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, minutes * 60_000));
}

/** The longest that any offer can make of `boot-timeout: auto`, in milliseconds. */
export function longestAutoBootMs(image: Pick<ImageFacts, "bytes" | "isDevel">): number {
  return image.bytes === undefined ? UNKNOWN_MS[image.isDevel ? "devel" : "usual"] : LONGEST_MS;
}

/** What is expected of a machine made of this offer, for the log. */
export function describeBoot(request: { image: ImageFacts; limits: Limits }, offer: Speed): string {
  const { image } = request;
  const { bootMs } = limitsFor(request, offer);
  const isCut = image.decidesBoot && bootMs < autoBootMs(image, offer);
  const limit = `It has ${formatDuration(bootMs)} to boot${isCut ? ", cut by ready-timeout" : ""}`;
  return image.bytes === undefined ? `${limit}.` : `${limit}; ${describePull(image.bytes, offer)}.`;
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
