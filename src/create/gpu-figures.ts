import { z } from "zod";
import type { Usage } from "../marketplace/marketplace.ts";

const maybe = z.number().optional();

/**
 * What the GPUs did while one job ran, by their driver: per cent, MiB of one GPU, °C, W, seconds.
 * Undefined: not reported, which is never 0.
 */
export const jobFiguresSchema = z.object({
  /** Of the machine, until its first runner was started. */
  setupSeconds: maybe,
  idleSeconds: maybe,
  workSeconds: maybe,
  /** Answers of the driver, one for each GPU every 5 s. */
  samples: maybe,
  useMedian: maybe,
  usePeak: maybe,
  /** The most that one GPU held, and what that GPU has. */
  memoryPeakMib: maybe,
  memoryTotalMib: maybe,
  temperaturePeak: maybe,
  powerPeak: maybe,
  /** Part of the samples in which heat, or a lack of power, had slowed the clocks down. */
  throttledPercent: maybe,
});

export type JobFigures = z.infer<typeof jobFiguresSchema>;

/** The most that the marketplace's list showed at a time. Undefined: not reported. */
export const usagePeaksSchema = z.object({
  gpuPercent: maybe,
  gpuCelsius: maybe,
  gpuMemoryGb: maybe,
  cpuPercent: maybe,
  ramGb: maybe,
  ramOfGb: maybe,
  diskGb: maybe,
});

export type UsagePeaks = z.infer<typeof usagePeaksSchema>;

/** What is known of a job beside its log: a line that contradicts it is not its machine's. */
export interface KnownOfJob {
  instanceIds: readonly number[];
  /** By GitHub; undefined: it does not tell both moments. */
  seconds: number | undefined;
  /** Of an earlier job's line on this machine: all of them have the same. */
  setupSeconds: number | undefined;
}

/** The names of the line, each with its place here and the most that it can be. onstart/README.md. */
const FIELDS: Readonly<Record<string, readonly [field: keyof JobFigures, most: number]>> = {
  setup: ["setupSeconds", 86_400],
  idle: ["idleSeconds", 86_400],
  work: ["workSeconds", 604_800],
  samples: ["samples", 9_999_999],
  "use-median": ["useMedian", 100],
  "use-peak": ["usePeak", 100],
  "memory-peak": ["memoryPeakMib", 9_999_999],
  "memory-total": ["memoryTotalMib", 9_999_999],
  "temperature-peak": ["temperaturePeak", 150],
  "power-peak": ["powerPeak", 5000],
  throttled: ["throttledPercent", 100],
};

/** GitHub puts a moment before each line of a stored log. */
const LINE = /^(?:\uFEFF?\d{4}-\d{2}-\d{2}T[\d:.]{8,18}Z )?ghr-figures: (.{0,500})$/gm;
const CONTENT = /^v=1((?: [a-z-]{1,20}=\d{1,15}){1,20})\r?$/;

/** GitHub's clock, the machine's, and what the runner does around its hooks. */
const CLOCKS_DIFFER_S = 60;

/**
 * Reads what a machine's script says of its GPUs at the end of a job's log. Undefined: there is no
 * such line. The job itself, or the machine's owner, may have written one: numbers alone are taken,
 * and what can't be is not reported. A job can print such a line, too: the last one counts.
 */
export function readFigures(log: string, known: KnownOfJob): JobFigures | undefined {
  const last = [...log.matchAll(LINE)].at(-1)?.[1] ?? "";
  const pairs = CONTENT.exec(last)?.[1]?.trim().split(" ");
  if (pairs === undefined) return undefined;
  const written = pairs.map((pair) => pair.split("=") as [name: string, digits: string]);
  const names = written.map(([name]) => name);
  const instance = written.find(([name]) => name === "instance")?.[1];
  // Said twice, or of another machine: nothing of it is believed.
  if (new Set(names).size < names.length || !known.instanceIds.includes(Number(instance))) return undefined;
  const figures: JobFigures = {};
  for (const [name, digits] of written) {
    const [field, most] = (Object.hasOwn(FIELDS, name) && FIELDS[name]) || [];
    if (field !== undefined && most !== undefined && Number(digits) <= most) figures[field] = Number(digits);
  }
  return possible(figures, known);
}

/** Figures that are believed together, and what must hold for them. */
const RULES: readonly [
  fields: readonly (keyof JobFigures)[],
  holds: (all: JobFigures, known: KnownOfJob) => boolean,
][] = [
  [["setupSeconds"], (all, { setupSeconds: known }) => known === undefined || all.setupSeconds === known],
  [["workSeconds"], ({ workSeconds = 0 }, { seconds = workSeconds }) => workSeconds <= seconds + CLOCKS_DIFFER_S],
  [["useMedian", "usePeak"], ({ useMedian = 0, usePeak = -1 }) => useMedian <= usePeak],
  [
    ["memoryPeakMib", "memoryTotalMib"],
    ({ memoryPeakMib = 0, memoryTotalMib = -1 }) => memoryPeakMib <= memoryTotalMib,
  ],
  [
    ["useMedian", "usePeak", "memoryPeakMib", "memoryTotalMib", "temperaturePeak", "powerPeak", "throttledPercent"],
    ({ samples = 0 }) => samples > 0,
  ],
];

/** Takes out what contradicts the rest of the line, GitHub, or an earlier line. */
function possible(figures: JobFigures, known: KnownOfJob): JobFigures {
  const wrong = RULES.flatMap(([fields, holds]) => (holds(figures, known) ? [] : fields));
  return Object.fromEntries(Object.entries(figures).filter(([field]) => !wrong.includes(field as keyof JobFigures)));
}

/** Takes over the most of what the list shows by now. A figure that is not reported changes nothing. */
export function grownPeaks(before: UsagePeaks | undefined, shown: Usage | undefined): UsagePeaks | undefined {
  if (shown === undefined) return before;
  const grown: UsagePeaks = { ...before };
  for (const field of usagePeaksSchema.keyof().options) {
    const value = shown[field];
    if (value !== undefined && value > (grown[field] ?? 0)) grown[field] = value;
  }
  return Object.keys(grown).length === 0 ? before : grown;
}
