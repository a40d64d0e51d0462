import type { JobFigures } from "../create/gpu-figures.ts";
import type { MachineRecord } from "../create/machine-record.ts";
import { formatDuration } from "../shared/duration.ts";
import { type Table, textTable } from "../shared/text.ts";

/** How GPUs' sizes are named: one of 24 GB has 24,564 MiB. */
const MIB_PER_GB = 1024;

/**
 * Makes the receipt's part on what a machine did while its jobs ran; docs/gpu-figures.md has the
 * fields. Null means not reported, which is not 0. `source`: the machine's own driver, or the
 * service's list.
 */
export function machineFigures({ at, jobs = [], usage = {}, traffic }: MachineRecord) {
  const told = jobs.flatMap(({ figures }) => (figures === undefined ? [] : [figures]));
  const isOwn = told.some(({ usePeak, memoryPeakMib }) => usePeak !== undefined || memoryPeakMib !== undefined);
  const { cpuPercent, diskGb, ramGb, ramOfGb } = usage;
  return {
    source: sourceOf(isOwn, usage),
    gpu: isOwn ? ownFigures(told) : listedFigures(usage),
    cpuPeakPercent: cpuPercent ?? null,
    ramPeakGb: ramGb ?? null,
    ramTotalGb: (ramGb && ramOfGb) ?? null,
    diskPeakGb: diskGb ?? null,
    downGb: traffic?.downGb ?? null,
    upGb: traffic?.upGb ?? null,
    seconds: {
      boot: secondsBetween(at.created, at.running),
      setup: first(told, "setupSeconds"),
      idle: sum(told, "idleSeconds"),
      work: sum(told, "workSeconds"),
    },
  };
}

type MachineFigures = ReturnType<typeof machineFigures>;

function sourceOf(isOwn: boolean, usage: NonNullable<MachineRecord["usage"]>): "machine" | "list" | null {
  if (isOwn) return "machine";
  return Object.keys(usage).length > 0 ? "list" : null;
}

/** A GPU's doings; null is not reported. */
interface GpuDoings {
  medianPercent: number | null;
  peakPercent: number | null;
  /** The most that one GPU held, and what that one has. */
  memoryPeakGb: number | null;
  memoryTotalGb: number | null;
  peakCelsius: number | null;
  peakWatts: number | null;
  throttledPercent: number | null;
}

/** Merges the figures of all jobs of a machine. The median is that of the job with the most samples. */
function ownFigures(told: readonly JobFigures[]): GpuDoings {
  const most = told.reduce((one, other) => ((other.samples ?? 0) > (one.samples ?? 0) ? other : one));
  const memory = told.reduce((one, other) => ((other.memoryPeakMib ?? -1) > (one.memoryPeakMib ?? -1) ? other : one));
  return {
    medianPercent: most.useMedian ?? null,
    peakPercent: peak(told, "usePeak"),
    memoryPeakGb: gbOf(memory.memoryPeakMib),
    memoryTotalGb: gbOf(memory.memoryTotalMib),
    peakCelsius: peak(told, "temperaturePeak"),
    peakWatts: peak(told, "powerPeak"),
    throttledPercent: peak(told, "throttledPercent"),
  };
}

/** Takes the figures of the service's list, which has no median and no total, and is some time behind. */
function listedFigures({ gpuCelsius, gpuMemoryGb, gpuPercent }: NonNullable<MachineRecord["usage"]>): GpuDoings {
  return {
    medianPercent: null,
    peakPercent: gpuPercent ?? null,
    memoryPeakGb: gpuMemoryGb ?? null,
    memoryTotalGb: null,
    peakCelsius: gpuCelsius ?? null,
    peakWatts: null,
    throttledPercent: null,
  };
}

function known(told: readonly JobFigures[], field: keyof JobFigures): number[] {
  return told.flatMap((figures) => figures[field] ?? []);
}

function peak(told: readonly JobFigures[], field: keyof JobFigures): number | null {
  const figures = known(told, field);
  return figures.length === 0 ? null : Math.max(...figures);
}

function sum(told: readonly JobFigures[], field: keyof JobFigures): number | null {
  const figures = known(told, field);
  return figures.length === 0 ? null : figures.reduce((all, each) => all + each, 0);
}

function first(told: readonly JobFigures[], field: keyof JobFigures): number | null {
  return known(told, field)[0] ?? null;
}

function gbOf(mib: number | undefined): number | null {
  return mib === undefined ? null : Math.round((mib / MIB_PER_GB) * 10) / 10;
}

/** Counts whole seconds from one moment to another; null if one of them is not known. */
export function secondsBetween(from: number | undefined, to: number | undefined): number | null {
  return from === undefined || to === undefined ? null : Math.max(0, Math.round((to - from) / 1000));
}

/** Makes the receipt's part on one job, from the figures in its log; null: not reported. */
export function jobFigures(figures: JobFigures | undefined) {
  if (figures === undefined) return null;
  const { setupSeconds: _ofMachine, samples = null, idleSeconds = null, workSeconds = null } = figures;
  return { ...ownFigures([figures]), samples, idleSeconds, workSeconds };
}

/** Makes the output `gpu-figures`, for each machine on which a job ran. */
export function figuresOutput(reports: readonly MachineRecord[]): string {
  const served = reports.filter(({ jobs = [] }) => jobs.length > 0);
  return JSON.stringify(
    served.map((report) => ({
      instanceId: report.instanceId,
      machineId: report.offer.machineId ?? null,
      ...machineFigures(report),
      jobs: (report.jobs ?? []).map(({ name, figures }) => ({ name, figures: jobFigures(figures) })),
    })),
  );
}

const WIDTH = 20;
const NOT_REPORTED = "not reported";

/** Draws a chart in text: how much of its GPU each machine used while jobs ran on it. */
export function figureChart(machines: readonly { n: number; report: MachineRecord }[]): string[] {
  const served = machines.filter(({ report }) => report.jobs?.length);
  const charts = served.map(({ n, report }) => ({ n, figures: machineFigures(report) }));
  if (charts.every(({ figures }) => figures.source === null))
    return charts.length === 0 ? [] : [`What the GPUs did: ${NOT_REPORTED}.`];
  return textTable([["", "", "", ""], ...charts.flatMap(({ figures, n }) => rowsOf(`machine ${n}`, figures))]).slice(1);
}

function rowsOf(name: string, figures: MachineFigures): Table {
  const { cpuPeakPercent, gpu, ramPeakGb, ramTotalGb } = figures;
  const { medianPercent, memoryPeakGb, memoryTotalGb, peakPercent } = gpu;
  const use = [percent(medianPercent, "median"), percent(peakPercent, "peak")].filter((text) => text !== undefined);
  return [
    [name, "GPU", barOf(medianPercent ?? peakPercent, 100), told(use.join(", "))],
    ["", "memory", barOf(memoryPeakGb, memoryTotalGb), told(partOf(memoryPeakGb, memoryTotalGb))],
    ["", "CPU", barOf(cpuPeakPercent, 100), told(percent(cpuPeakPercent, "peak"))],
    ["", "RAM", barOf(ramPeakGb, ramTotalGb), told(partOf(ramPeakGb, ramTotalGb))],
    ["", "besides", "", told(besides(figures))],
    ["", "by", "", sourceSentence(figures)],
  ];
}

const SOURCES = {
  machine: "the machine's own driver",
  list: "the service's list alone: the machine told nothing",
  none: NOT_REPORTED,
};

/** Tells whose figures they are. What the machine does not measure is named only where it is shown. */
function sourceSentence({ cpuPeakPercent, ramPeakGb, source }: MachineFigures): string {
  const ofList = [...(cpuPeakPercent === null ? [] : ["CPU"]), ...(ramPeakGb === null ? [] : ["RAM"])];
  const isMixed = source === "machine" && ofList.length > 0;
  return `${SOURCES[source ?? "none"]}${isMixed ? `; ${ofList.join(" and ")} by the service's list` : ""}`;
}

function besides({ downGb, gpu, seconds, upGb }: MachineFigures): string {
  const { peakCelsius, peakWatts, throttledPercent } = gpu;
  const parts = [
    peakCelsius === null ? undefined : `${peakCelsius} °C`,
    peakWatts === null ? undefined : `${peakWatts} W`,
    throttledSentence(throttledPercent),
    downGb === null ? undefined : `${downGb.toFixed(1)} GB down, ${(upGb ?? 0).toFixed(1)} GB up`,
    ...(["boot", "setup", "idle", "work"] as const).map((stage) => {
      const length = seconds[stage];
      return length === null ? undefined : `${stage} ${formatDuration(length * 1000)}`;
    }),
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

function throttledSentence(throttled: number | null): string | undefined {
  if (throttled === null) return undefined;
  return throttled === 0 ? "not throttled" : `throttled for ${throttled}% of the time`;
}

function told(text: string | undefined): string {
  return text === undefined || text === "" ? NOT_REPORTED : text;
}

function percent(figure: number | null, what: string): string | undefined {
  return figure === null ? undefined : `${figure}% ${what}`;
}

function partOf(figure: number | null, whole: number | null): string | undefined {
  if (figure === null) return undefined;
  return whole === null ? `${figure.toFixed(1)} GB` : `${figure.toFixed(1)} of ${whole.toFixed(1)} GB`;
}

/** Draws a bar for a part of a whole; empty if one of them is not known. */
function barOf(figure: number | null, whole: number | null): string {
  if (figure === null || whole === null || whole === 0) return "";
  const full = Math.min(WIDTH, Math.round((figure / whole) * WIDTH));
  return "█".repeat(full) + "░".repeat(WIDTH - full);
}
