import { z } from "zod";

/** A number that may be missing, in what main writes down for post. */
export const optionalNumber = z.number().optional();

/** What the GPUs did during one job: per cent, MiB of one GPU, °C, W, seconds. Undefined: not reported, never 0. */
export const jobFiguresSchema = z.object({
  /** How long the machine took until its first runner was started. */
  setupSeconds: optionalNumber,
  idleSeconds: optionalNumber,
  workSeconds: optionalNumber,
  /** How many answers of the driver were read: one for each GPU every 5 s. */
  samples: optionalNumber,
  useMedian: optionalNumber,
  usePeak: optionalNumber,
  /** The peak of memory in use on one GPU, and all the memory of that GPU. */
  memoryPeakMib: optionalNumber,
  memoryTotalMib: optionalNumber,
  temperaturePeak: optionalNumber,
  powerPeak: optionalNumber,
  /** The share of samples in which heat, or a lack of power, had slowed the clocks down. */
  throttledPercent: optionalNumber,
});

export type JobFigures = z.infer<typeof jobFiguresSchema>;

/** What is known of a job from elsewhere. A line that contradicts it was not written by the job's machine. */
export interface KnownOfJob {
  instanceIds: readonly number[];
  /** How long the job took by GitHub; undefined if GitHub does not show both moments. */
  seconds: number | undefined;
  /** The setup time by an earlier job's line. All lines of one machine say the same. */
  setupSeconds: number | undefined;
}

/** The names in the sentence (onstart/README.md), each with its field here and the most that it can be. */
const FIELDS: Readonly<Record<string, readonly [field: keyof JobFigures, most: number]>> = {
  setup: ["setupSeconds", 86_400],
  idle: ["idleSeconds", 86_400],
  work: ["workSeconds", 604_800],
  samples: ["samples", 9_999_999],
  "median use": ["useMedian", 100],
  "peak use": ["usePeak", 100],
  "peak memory": ["memoryPeakMib", 9_999_999],
  memory: ["memoryTotalMib", 9_999_999],
  "peak temperature": ["temperaturePeak", 150],
  "peak power": ["powerPeak", 5000],
  throttled: ["throttledPercent", 100],
};

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
  const written = pairsOf(parts);
  // A line about another machine is not believed.
  if (written === undefined || !known.instanceIds.includes(Number(instance))) return undefined;
  const figures: JobFigures = {};
  for (const [name, digits] of written) {
    const [field, most] = (Object.hasOwn(FIELDS, name) && FIELDS[name]) || [];
    if (field !== undefined && most !== undefined && Number(digits) <= most) figures[field] = Number(digits);
  }
  return possible(figures, known);
}

/** Splits a sentence into names and digits; undefined if it has another form, or a name twice. */
function pairsOf(parts: string | undefined): [name: string, digits: string][] | undefined {
  const pairs = (parts ?? "").split(", ").map((part) => FIGURE.exec(part));
  const written = pairs.flatMap((pair): [string, string][] => (pair === null ? [] : [[pair[1] ?? "", pair[2] ?? ""]]));
  return new Set(written.map(([name]) => name)).size < pairs.length ? undefined : written;
}

/** Rules for figures: the fields of a rule are believed only if the rule holds. */
const PLAUSIBLE: readonly [
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

/** Leaves out the figures that contradict the rest of the line, GitHub, or an earlier line. */
function possible(figures: JobFigures, known: KnownOfJob): JobFigures {
  const wrong = PLAUSIBLE.flatMap(([fields, holds]) => (holds(figures, known) ? [] : fields));
  return Object.fromEntries(Object.entries(figures).filter(([field]) => !wrong.includes(field as keyof JobFigures)));
}
