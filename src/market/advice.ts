import type { Price } from "../marketplace/marketplace.ts";
import { formatPrice } from "../money/price.ts";
import { oneLine } from "../shared/foreign-text.ts";
import type { PastKind, PastRun } from "./past-runs.ts";

// What a run teaches for the next one; docs/internals/adr/0024 has the reasons for each figure here.
// False advice is worse than none: where a figure is missing there is none.

/** All that advice is taken from. The last of `runs` is this one. */
export interface AdviceFacts {
  runs: readonly PastRun[];
  /** What this run's machines were: USD per hour, hours of all of them together. */
  perHour: number;
  hours: number;
  /** What the last search showed that fits all inputs, with its price. */
  offers: readonly SeenOffer[];
  /** By the image's compressed size the part of the downloaded bytes that is the image's, 0 to 1. */
  imagePart: number | undefined;
}

/** An offer that main saw. */
export interface SeenOffer {
  machineId?: number | undefined;
  gpuName: string;
  gpuRamMb?: number | undefined;
  price: Pick<Price, "total">;
}

/** What is needed for a piece of advice. */
const EVIDENCE = {
  runs: 3,
  /** Samples come every 5 s for each GPU: of a job that took less nothing is concluded. */
  samples: 12,
  samplesOfOne: 60,
  /** The driver was asked every 5 s, so that the peak may be missed; and the next commit needs more. */
  memoryMargin: 1.3,
  memoryBesideMib: 1024,
  /** A smaller GPU is slower: only for jobs that leave most of it idle. */
  useMedian: 40,
  /** One run alone, where it is far off. */
  farOff: { memoryPart: 0.25, usePeak: 25, throttled: 40, bytesPart: 0.8 },
  worthPart: 0.8,
  throttled: 25,
  bytesPart: 0.5,
} as const;

/** The nominal sizes of GPUs. A driver shows a little less than the nominal GB of 1024 MiB. */
const SIZES_GB = [4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 80];

/** Advice in lines, each of which names the input to change; mostly none. */
export function adviceOf(facts: AdviceFacts): string[] {
  return [throttledHost(facts), smallerGpu(facts), manyBytes(facts)].filter((line) => line !== undefined);
}

/** MiB of one GPU that suffice for all that these runs did, with the margin; undefined: not known. */
function neededMib(runs: readonly PastRun[]): number | undefined {
  const kinds = runs.flatMap((run) => run.kinds);
  const peaks = kinds.flatMap(({ memoryPeakMib }) => memoryPeakMib ?? []);
  if (peaks.length === 0) return undefined;
  return Math.ceil(Math.max(...peaks) * EVIDENCE.memoryMargin) + EVIDENCE.memoryBesideMib;
}

function smallerGpu({ hours, offers, perHour, runs }: AdviceFacts): string | undefined {
  const alike = runsOfTheseKinds(runs);
  const needed = neededMib(alike);
  const last = runs.at(-1);
  if (needed === undefined || last === undefined || !isWhole(last)) return undefined;
  // A run of which something is not reported, such as of a job that failed, is no evidence.
  if (!isIdle(alike.filter(isWhole), needed)) return undefined;
  const totals = last.kinds.flatMap(({ memoryTotalMib }) => memoryTotalMib ?? []);
  const has = Math.min(...totals);
  const peak = Math.max(...alike.flatMap((run) => run.kinds.map(({ memoryPeakMib = 0 }) => memoryPeakMib)));
  const use = Math.max(...last.kinds.map(({ useMedian = 0 }) => useMedian));
  const what = smallerOf({ has, hours, needed, offers, perHour });
  return what && `Peak memory ${gb(peak)} of ${gb(has)} GB, use ${use}%: ${what}`;
}

/** The cheapest one that was seen and suffices; else its size alone. `needed`, `has`: MiB. */
function smallerOf(
  given: Omit<AdviceFacts, "imagePart" | "runs"> & { has: number; needed: number },
): string | undefined {
  const { has, hours, needed, offers, perHour } = given;
  const most = EVIDENCE.worthPart * has;
  const [best] = offers
    .filter(
      ({ gpuRamMb = 0, price }) => gpuRamMb >= needed && gpuRamMb < most && price.total < EVIDENCE.worthPart * perHour,
    )
    .toSorted((one, other) => one.price.total - other.price.total);
  const size = SIZES_GB.find((each) => each * 1000 >= needed && each * 1024 < most);
  if (best === undefined)
    return size === undefined
      ? undefined
      : `a GPU of ${size} GB would do. Change gpu-name; with check: true its price is shown.`;
  const name = `${oneLine(best.gpuName, 40)} (${Math.round((best.gpuRamMb ?? 0) / 1024)} GB)`;
  const saved = formatPrice((perHour - best.price.total) * hours);
  return `${/^[AHLR]/.test(name) ? "an" : "a"} ${name} would do; from ${formatPrice(best.price.total)} an hour now, about ${saved} a run less. Change gpu-name.`;
}

/** The runs that had no other kinds of job than the last one: of others it can't be known. */
function runsOfTheseKinds(runs: readonly PastRun[]): PastRun[] {
  const kinds = new Set(runs.at(-1)?.kinds.map(({ kind }) => kind));
  return runs.filter((run) => run.kinds.some(({ kind }) => kinds.has(kind)));
}

/** All that ran in it was reported, for long enough. */
function isWhole({ kinds }: PastRun): boolean {
  return kinds.every(
    ({ memoryPeakMib, memoryTotalMib, samples = 0, useMedian }) =>
      memoryPeakMib !== undefined &&
      memoryTotalMib !== undefined &&
      useMedian !== undefined &&
      samples >= EVIDENCE.samples,
  );
}

/** Most of the GPU had nothing to do, in three runs, or in one by far. */
function isIdle(runs: readonly PastRun[], needed: number): boolean {
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
  const slowed = runs.at(-1)?.kinds.filter(({ throttledPercent = 0 }) => throttledPercent >= EVIDENCE.throttled) ?? [];
  for (const { machine, samples = 0, throttledPercent = 0 } of slowed) {
    // Where no other machine is to be had, one that is slow is better than none.
    const hasOther = offers.some(({ machineId }) => machineId !== undefined && machineId !== machine);
    if (machine === undefined || !hasOther) continue;
    const isFarOff = throttledPercent >= EVIDENCE.farOff.throttled && samples >= EVIDENCE.samplesOfOne;
    if (isFarOff || timesThrottled(runs, machine) >= EVIDENCE.runs)
      return `Throttled for ${throttledPercent}% of the time: put ${machine} into exclude-machines.`;
  }
  return undefined;
}

function timesThrottled(runs: readonly PastRun[], machine: number): number {
  const isSlowed = (kind: PastKind) =>
    kind.machine === machine &&
    (kind.samples ?? 0) >= EVIDENCE.samples &&
    (kind.throttledPercent ?? 0) >= EVIDENCE.throttled;
  return runs.filter(({ kinds }) => kinds.some(isSlowed)).length;
}

function manyBytes({ imagePart = 0, runs }: AdviceFacts): string | undefined {
  const parts = runs.slice(-EVIDENCE.runs).map(({ bytesUsd, usd }) => (usd > 0 ? (bytesUsd ?? 0) / usd : 0));
  const last = parts.at(-1) ?? 0;
  const isOften = parts.length >= EVIDENCE.runs && parts.every((part) => part >= EVIDENCE.bytesPart);
  // What the job itself loads is no image's.
  if (imagePart < 0.5 || !(isOften || last >= EVIDENCE.farOff.bytesPart)) return undefined;
  return `${Math.round(100 * last)}% of the cost is bytes: a smaller image saves more than a cheaper GPU. Change image.`;
}
