import { z } from "zod";

/** A number that may be missing, in what main writes down for post. */
export const optionalNumber = z.number().optional();

/** The figures, each with its name in the sentence (onstart/README.md) and the most that it can be. */
const FIELDS = {
  /** How long the machine took until its first runner was started. */
  setupSeconds: ["setup", 86_400],
  idleSeconds: ["idle", 86_400],
  workSeconds: ["work", 604_800],
  /** How many answers of the driver were read: one for each GPU every 5 s. */
  samples: ["samples", 9_999_999],
  useMedian: ["median use", 100],
  usePeak: ["peak use", 100],
  /** The peak of memory in use on one GPU, and all the memory of that GPU. */
  memoryPeakMib: ["peak memory", 9_999_999],
  memoryTotalMib: ["memory", 9_999_999],
  temperaturePeak: ["peak temperature", 150],
  powerPeak: ["peak power", 5000],
  /** The share of samples in which heat, or a lack of power, had slowed the clocks down. */
  throttledPercent: ["throttled", 100],
} as const;

type FigureName = keyof typeof FIELDS;

const shape = Object.fromEntries(Object.keys(FIELDS).map((field) => [field, optionalNumber]));

/** What the GPUs did during one job: per cent, MiB of one GPU, °C, W, seconds. Undefined: not reported, never 0. */
export const jobFiguresSchema = z.object(shape as Record<FigureName, typeof optionalNumber>);

export type JobFigures = z.infer<typeof jobFiguresSchema>;

/** What is known of a job from elsewhere. A line that contradicts it was not written by the job's machine. */
export interface KnownOfJob {
  instanceIds: readonly number[];
  /** How long the job took by GitHub; undefined if GitHub does not show both moments. */
  seconds: number | undefined;
  /** The setup time by an earlier job's line. All lines of one machine say the same. */
  setupSeconds: number | undefined;
}

/** Matches the sentence on the GPUs. GitHub puts a time before each line of a stored log. */
const LINE = /^(?:\uFEFF?\d{4}-\d{2}-\d{2}T[\d:.]{8,18}Z )?The GPUs of (.{0,500})$/gm;
const CONTENT = /^instance (\d{1,15}) during this job: (.+)\.\r?$/;
const FIGURE = /^([a-z ]{1,20}) (\d{1,15})(?:%| (?:s|MiB|°C|W))?$/;

/** How much longer a job may seem on the machine than at GitHub: their clocks differ, and the runner has hooks. */
const CLOCKS_DIFFER_S = 60;

/**
 * Reads what a machine's script says of its GPUs in a job's log. Anybody may have printed such a line: the last one
 * counts, only numbers are taken, and what can't be true is left out.
 */
export function readFigures(log: string, known: KnownOfJob): JobFigures | undefined {
  const last = [...log.matchAll(LINE)].at(-1)?.[1] ?? "";
  const [, instance, parts] = CONTENT.exec(last) ?? [];
  const written = figuresOf(parts);
  // A line about another machine is not believed.
  if (written === undefined || !known.instanceIds.includes(Number(instance))) return undefined;
  const figures = Object.entries(FIELDS).flatMap(([field, [name, most]]) => {
    const figure = Number(written.get(name) ?? Number.NaN);
    return figure <= most ? [[field, figure]] : [];
  });
  return possible(Object.fromEntries(figures), known);
}

/** Splits a sentence into digits by their names; undefined if it has another form, or a name twice. */
function figuresOf(parts = ""): ReadonlyMap<string, string> | undefined {
  const pairs = parts.split(", ").map((part) => FIGURE.exec(part));
  const written = new Map(pairs.flatMap((pair) => (pair === null ? [] : [[pair[1] ?? "", pair[2] ?? ""]])));
  return written.size < pairs.length ? undefined : written;
}

/** Rules for figures: the fields of a rule are believed only if the rule holds. */
const PLAUSIBLE: readonly [fields: readonly FigureName[], holds: (all: JobFigures, known: KnownOfJob) => boolean][] = [
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

/** Leaves out the figures that contradict the rest of the line, GitHub, or an earlier line. */
function possible(figures: JobFigures, known: KnownOfJob): JobFigures {
  const wrong = PLAUSIBLE.flatMap(([fields, holds]) => (holds(figures, known) ? [] : fields));
  return Object.fromEntries(Object.entries(figures).filter(([field]) => !wrong.includes(field as FigureName)));
}
