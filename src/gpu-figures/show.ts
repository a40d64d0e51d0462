import { formatDuration } from "../shared/duration.ts";
import { type Table, textTable } from "../shared/text.ts";
import type { JobFigures } from "./read.ts";

/** How GPUs' sizes are named: one of 24 GB has 24,564 MiB. */
const MIB_PER_GB = 1024;

/** A machine as far as figures are concerned; times in milliseconds since the epoch. */
interface Measured {
  at: { created?: number | undefined; running?: number | undefined };
  jobs?: readonly { name: string; figures?: JobFigures | undefined }[] | undefined;
  traffic?: { downGb: number; upGb: number } | undefined;
}

interface Served extends Measured {
  instanceId: number;
  offer: { machineId?: number | undefined };
}

/** Makes the receipt's part on what a machine did (docs/gpu-figures.md). Undefined: not reported, never 0. */
export function machineFigures({ at, jobs = [], traffic }: Measured) {
  const reported = jobs.flatMap(({ figures }) => figures ?? []);
  const isReported = reported.some(({ usePeak, memoryPeakMib }) => (usePeak ?? memoryPeakMib) !== undefined);
  return {
    source: isReported ? "machine" : undefined,
    gpu: gpuFigures(isReported ? reported : [{}]),
    downGb: traffic?.downGb,
    upGb: traffic?.upGb,
    seconds: {
      boot: secondsBetween(at.created, at.running),
      setup: known(reported, "setupSeconds")[0],
      idle: sum(known(reported, "idleSeconds")),
      work: sum(known(reported, "workSeconds")),
    },
  };
}

type MachineFigures = ReturnType<typeof machineFigures>;

/** Merges the figures of all jobs of a machine. The median is that of the job with the most samples. */
function gpuFigures(reported: readonly JobFigures[]) {
  const most = reported.reduce((one, other) => ((other.samples ?? 0) > (one.samples ?? 0) ? other : one));
  const memory = reported.reduce((one, other) =>
    (other.memoryPeakMib ?? -1) > (one.memoryPeakMib ?? -1) ? other : one,
  );
  return {
    medianPercent: most.useMedian,
    peakPercent: peak(reported, "usePeak"),
    memoryPeakGb: gbOfMib(memory.memoryPeakMib),
    /** Of the GPU that held the most. */
    memoryTotalGb: gbOfMib(memory.memoryTotalMib),
    peakCelsius: peak(reported, "temperaturePeak"),
    peakWatts: peak(reported, "powerPeak"),
    throttledPercent: peak(reported, "throttledPercent"),
  };
}

function known(reported: readonly JobFigures[], field: keyof JobFigures): number[] {
  return reported.flatMap((figures) => figures[field] ?? []);
}

function peak(reported: readonly JobFigures[], field: keyof JobFigures): number | undefined {
  const figures = known(reported, field);
  return figures.length === 0 ? undefined : Math.max(...figures);
}

function sum(figures: readonly number[]): number | undefined {
  return figures.length === 0 ? undefined : figures.reduce((all, each) => all + each, 0);
}

function gbOfMib(mib: number | undefined): number | undefined {
  return mib === undefined ? undefined : Math.round((mib / MIB_PER_GB) * 10) / 10;
}

/** Counts whole seconds from one moment to another; undefined if one of them is not known. */
export function secondsBetween(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : Math.max(0, Math.round((to - from) / 1000));
}

/** Makes the receipt's part on one job, from the figures in its log; undefined: not reported. */
export function jobFigures(figures: JobFigures | undefined) {
  if (figures === undefined) return undefined;
  const { samples, idleSeconds, workSeconds } = figures;
  return { ...gpuFigures([figures]), samples, idleSeconds, workSeconds };
}

/** Writes figures as JSON. What is not known is null there, and never left out. */
export function figuresJson(figures: object, indent?: number): string {
  return JSON.stringify(figures, (_name, value) => (value === undefined ? null : value), indent);
}

/** Makes the output `gpu-figures`, for each machine on which a job ran. */
export function figuresOutput(records: readonly Served[]): string {
  const served = records.filter(({ jobs = [] }) => jobs.length > 0);
  return figuresJson(
    served.map((record) => ({
      instanceId: record.instanceId,
      machineId: record.offer.machineId,
      ...machineFigures(record),
      jobs: (record.jobs ?? []).map(({ name, figures }) => ({ name, figures: jobFigures(figures) })),
    })),
  );
}

const BAR_WIDTH = 20;
/** The words for a figure that is missing. */
export const NOT_REPORTED = "not reported";

/** Draws a chart in text: how much of its GPU each machine used while jobs ran on it. */
export function figureChart(machines: readonly { machineNo: number; record: Measured }[]): string[] {
  const charts = machines
    .filter(({ record }) => record.jobs?.length)
    .map(({ machineNo, record }) => ({ machineNo, figures: machineFigures(record) }));
  if (charts.length === 0) return [];
  if (charts.every(({ figures }) => figures.source === undefined)) return [`What the GPUs did: ${NOT_REPORTED}.`];
  return textTable(charts.flatMap(({ figures, machineNo }) => rowsOf(`machine ${machineNo}`, figures)));
}

function rowsOf(name: string, figures: MachineFigures): Table {
  const { medianPercent, memoryPeakGb, memoryTotalGb, peakPercent } = figures.gpu;
  return [
    [
      name,
      "GPU",
      barOf(medianPercent ?? peakPercent, 100),
      joined(
        told(medianPercent, (use) => `${use}% median`),
        told(peakPercent, (use) => `${use}% peak`),
      ),
    ],
    ["", "memory", barOf(memoryPeakGb, memoryTotalGb), joined(partOf(memoryPeakGb, memoryTotalGb))],
    ["", "other", "", joined(...others(figures))],
    ["", "source", "", figures.source === undefined ? NOT_REPORTED : "the machine's own driver"],
  ];
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(", ") || NOT_REPORTED;
}

/** Puts a figure into words; undefined if it is not known. */
function told(figure: number | undefined, words: (figure: number) => string): string | undefined {
  return figure === undefined ? undefined : words(figure);
}

function others({ downGb, gpu, seconds, upGb = 0 }: MachineFigures): (string | undefined)[] {
  const { peakCelsius, peakWatts, throttledPercent } = gpu;
  const stages = ["boot", "setup", "idle", "work"] as const;
  return [
    told(peakCelsius, (celsius) => `${celsius} °C`),
    told(peakWatts, (watts) => `${watts} W`),
    told(throttledPercent, (part) => (part === 0 ? "not throttled" : `throttled for ${part}% of the time`)),
    told(downGb, (down) => `${down.toFixed(1)} GB down, ${upGb.toFixed(1)} GB up`),
    ...stages.map((stage) => told(seconds[stage], (length) => `${stage} ${formatDuration(length * 1000)}`)),
  ];
}

function partOf(figure: number | undefined, whole: number | undefined): string | undefined {
  return figure === undefined || whole === undefined ? undefined : `${figure.toFixed(1)} of ${whole.toFixed(1)} GB`;
}

/** Draws a bar for a part of a whole; empty if one of them is not known. */
function barOf(figure: number | undefined, whole: number | undefined): string {
  if (figure === undefined || !whole) return "";
  const full = Math.min(BAR_WIDTH, Math.round((figure / whole) * BAR_WIDTH));
  return "█".repeat(full) + "░".repeat(BAR_WIDTH - full);
}
