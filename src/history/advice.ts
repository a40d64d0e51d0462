import type { Offer, Price } from "../marketplace/marketplace.ts";
import { formatPrice } from "../money/price.ts";
import { oneLine } from "../shared/foreign-text.ts";
import type { PastKind, PastRun } from "./past-runs.ts";

// What a run teaches for the next one; docs/internals/adr/0024 has the reasons for each figure here.
// False advice is worse than none: where a figure is missing there is none.

/** The facts that advice is based on. The last of `runs` is this run. */
export interface AdviceFacts {
  runs: readonly PastRun[];
  /** What this run's machines cost per hour in USD, and how many hours they ran together. */
  perHour: number;
  hours: number;
  /** The offers of the last search that fit all inputs. */
  offers: readonly SeenOffer[];
  /** The image's part of the traffic to the machine, 0 to 1, by its compressed size. */
  imagePart: number | undefined;
}

/** An offer that main saw, at its price. */
export interface SeenOffer {
  offer: Partial<Pick<Offer, "gpuRamMb" | "machineId">> & Pick<Offer, "gpuName">;
  price: Pick<Price, "total">;
}

const EVIDENCE = {
  runs: 3,
  /** Samples come every 5 s for each GPU: nothing is concluded from a job with fewer. */
  samples: 12,
  samplesOfOne: 60,
  /** A margin, because a peak between two samples is missed, and the next commit may need more. */
  memoryMargin: 1.3,
  memoryBesideMib: 1024,
  /** Smaller GPUs are slower: they are advised only for jobs that use at most this much of the time, in per cent. */
  useMedian: 40,
  /** What makes one run alone enough. */
  farOff: { memoryPart: 0.25, usePeak: 25, throttled: 40, bytesPart: 0.8 },
  worthPart: 0.8,
  throttled: 25,
  bytesPart: 0.5,
} as const;

/** The nominal sizes of GPUs. A driver shows a little less than the nominal GB of 1024 MiB. */
const SIZES_GB = [4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 80];

/** Gives advice: lines that each name the input to change. Mostly there is none. */
export function adviceOf(facts: AdviceFacts): string[] {
  return [throttledHost(facts), smallerGpu(facts), manyBytes(facts)].filter((line) => line !== undefined);
}

function smallerGpu({ hours, offers, perHour, runs }: AdviceFacts): string | undefined {
  const alike = runsOfTheseKinds(runs);
  const peaks = alike.flatMap((run) => run.kinds.flatMap(({ memoryPeakMib }) => memoryPeakMib ?? []));
  const last = runs.at(-1);
  if (peaks.length === 0 || last === undefined || !isWhole(last)) return undefined;
  const peak = Math.max(...peaks);
  const needed = Math.ceil(peak * EVIDENCE.memoryMargin) + EVIDENCE.memoryBesideMib;
  // A run of which something is not reported, such as of a job that failed, is no evidence.
  if (!isMostlyIdle(alike.filter(isWhole), needed)) return undefined;
  const totals = last.kinds.flatMap(({ memoryTotalMib }) => memoryTotalMib ?? []);
  const has = Math.min(...totals);
  const use = Math.max(...last.kinds.map(({ useMedian = 0 }) => useMedian));
  const what = smallerOf({ has, hours, needed, offers, perHour });
  return what && `Peak memory ${gb(peak)} of ${gb(has)} GB, use ${use}%: ${what}`;
}

/** Names the cheapest smaller GPU that was seen and suffices; else the size alone. `needed` and `has` in MiB. */
function smallerOf(
  given: Omit<AdviceFacts, "imagePart" | "runs"> & { has: number; needed: number },
): string | undefined {
  const { has, hours, needed, offers, perHour } = given;
  const most = EVIDENCE.worthPart * has;
  const isBetter = ({ offer: { gpuRamMb = 0 }, price }: SeenOffer) =>
    gpuRamMb >= needed && gpuRamMb < most && price.total < EVIDENCE.worthPart * perHour;
  const [best] = offers.filter(isBetter).toSorted((one, other) => one.price.total - other.price.total);
  const size = SIZES_GB.find((each) => each * 1000 >= needed && each * 1024 < most);
  if (best === undefined)
    return size === undefined
      ? undefined
      : `a GPU of ${size} GB would do. Change gpu-name; with check: true its price is shown.`;
  const name = `${oneLine(best.offer.gpuName, 40)} (${Math.round((best.offer.gpuRamMb ?? 0) / 1024)} GB)`;
  const saved = formatPrice((perHour - best.price.total) * hours);
  return `${/^[AHLR]/.test(name) ? "an" : "a"} ${name} would do; from ${formatPrice(best.price.total)} an hour now, about ${saved} a run less. Change gpu-name.`;
}

/** Keeps the runs that had a kind of job in common with the last run. */
function runsOfTheseKinds(runs: readonly PastRun[]): PastRun[] {
  const kinds = new Set(runs.at(-1)?.kinds.map(({ kind }) => kind));
  return runs.filter((run) => run.kinds.some(({ kind }) => kinds.has(kind)));
}

/** True if every kind of job in the run reported its figures, with enough samples. */
function isWhole({ kinds }: PastRun): boolean {
  const isKnown = ({ memoryPeakMib, memoryTotalMib, useMedian }: PastKind) =>
    ![memoryPeakMib, memoryTotalMib, useMedian].includes(undefined);
  return kinds.every((kind) => isKnown(kind) && (kind.samples ?? 0) >= EVIDENCE.samples);
}

/** True if the GPU was mostly idle in three runs, or in one run by far. */
function isMostlyIdle(runs: readonly PastRun[], needed: number): boolean {
  const kinds = runs.flatMap((run) => run.kinds);
  if (!kinds.every(({ useMedian = 100 }) => useMedian <= EVIDENCE.useMedian)) return false;
  if (runs.length >= EVIDENCE.runs) return true;
  return kinds.every(({ memoryTotalMib = 0, samples = 0, usePeak = 100 }) => {
    const isFarOff = needed <= EVIDENCE.farOff.memoryPart * memoryTotalMib && usePeak <= EVIDENCE.farOff.usePeak;
    return isFarOff && samples >= EVIDENCE.samplesOfOne;
  });
}

function gb(mib: number): string {
  return (mib / 1024).toFixed(1).replace(/\.0$/, "");
}

function throttledHost({ offers, runs }: AdviceFacts): string | undefined {
  const isSlowed = ({ throttledPercent = 0 }: PastKind) => throttledPercent >= EVIDENCE.throttled;
  const slowed = runs.at(-1)?.kinds.filter(isSlowed) ?? [];
  for (const { machine, samples = 0, throttledPercent = 0 } of slowed) {
    // Where no other machine is to be had, one that is slow is better than none.
    const hasOther = offers.some(({ offer }) => offer.machineId !== undefined && offer.machineId !== machine);
    if (machine === undefined || !hasOther) continue;
    const isFarOff = throttledPercent >= EVIDENCE.farOff.throttled && samples >= EVIDENCE.samplesOfOne;
    const isEvidence = (kind: PastKind) =>
      kind.machine === machine && isSlowed(kind) && (kind.samples ?? 0) >= EVIDENCE.samples;
    if (isFarOff || runs.filter(({ kinds }) => kinds.some(isEvidence)).length >= EVIDENCE.runs)
      return `Throttled for ${throttledPercent}% of the time: put ${machine} into exclude-machines.`;
  }
  return undefined;
}

function manyBytes({ imagePart = 0, runs }: AdviceFacts): string | undefined {
  const parts = runs.slice(-EVIDENCE.runs).map(({ bytesUsd, usd }) => (usd > 0 ? (bytesUsd ?? 0) / usd : 0));
  const last = parts.at(-1) ?? 0;
  const isOften = parts.length >= EVIDENCE.runs && parts.every((part) => part >= EVIDENCE.bytesPart);
  // Only the image's own part counts. A job may download as much.
  if (imagePart < 0.5 || !(isOften || last >= EVIDENCE.farOff.bytesPart)) return undefined;
  return `${Math.round(100 * last)}% of the cost is traffic: a smaller image saves more than a cheaper GPU. Change image.`;
}
