import type { JobFigures } from "../gpu-figures/read.ts";
import type { AdviceFacts } from "../history/advice.ts";
import { type HistoryPort, type HostFate, imageMark, markOf } from "../history/hosts.ts";
import { MOST_KINDS, type PastKind, type PastRun } from "../history/past-runs.ts";
import type { MachineRecord } from "../machine/record.ts";
import { totalCost } from "../money/cost.ts";
import { HOUR_MS } from "../shared/duration.ts";
import { expectedBootMs, type ImageFacts } from "../timing/boot.ts";
import type { FleetRequest } from "./options.ts";
import { recordsOf } from "./recording/records.ts";
import { followsOf, hasServedSince, refusedRunners } from "./renting/failures.ts";
import { type Machine, machineFacts } from "./stage.ts";
import type { Fleet } from "./state.ts";

/** Makes a function that adds to the history what became of each machine, each thing once. */
export function rememberer(history: HistoryPort, { image }: FleetRequest): (fleet: Fleet) => void {
  const mark = imageMark(image);
  const noted = new Set<string>();
  const note = (machine: Machine, fate: HostFate) => {
    const key = `${machine.machineNo} ${fate.kind}`;
    if (!noted.has(key)) history.note(fate);
    noted.add(key);
  };
  return (fleet) => {
    for (const each of fleet.machines) for (const fate of fatesOf(each, fleet, { image, mark })) note(each, fate);
  };
}

function fatesOf(machine: Machine, fleet: Fleet, { image, mark }: { image: ImageFacts; mark: string }): HostFate[] {
  const { candidate, ending, slots } = machine;
  const { machineId: id } = candidate.offer;
  const { foundAt, runningAt: at } = machineFacts(machine).instance ?? {};
  if (id === undefined) return [];
  const served = slots.find(({ job, onlineAt }) => job !== undefined && onlineAt !== undefined);
  // The history learns the ratio to the time of a host of which nothing is known.
  const estimateMs = candidate.expected?.hasImage ? undefined : expectedBootMs(image, candidate.offer);
  const fates: HostFate[] = [];
  if (at !== undefined && foundAt !== undefined)
    fates.push({ kind: "booted", machine: id, at, image: mark, estimateMs, actualMs: at - foundAt });
  if (served?.onlineAt !== undefined) fates.push({ kind: "served", machine: id, at: served.onlineAt });
  if (ending !== undefined && followsOf(machine).history && isKnownFault(machine, fleet))
    fates.push({ kind: "failed", machine: id, at: ending.since });
  return fates;
}

/**
 * True if the host is known to be at fault. A runner's exit message, or that no job came to it, may be about GitHub
 * until another runner gets a job, and the log is read before the machine is destroyed.
 */
function isKnownFault(machine: Machine, fleet: Fleet): boolean {
  const { ending, words } = machine;
  const { alive, runningAt } = machineFacts(machine);
  const isLogDue = ending?.kind === "failed" || ending?.kind === "dropped";
  const maySay = isLogDue && runningAt !== undefined && alive.length > 0;
  const hasServed = hasServedSince(fleet, ending?.since ?? 0);
  if (ending?.cause === "passed-over") return hasServed;
  if (words === undefined) return !maySay;
  return words.by === "script" || (hasServed && !refusedRunners(fleet).includes(machine));
}

/** What the fleet does not know of its run. `prefix`: how the run's labels begin. */
interface RunOfFleet {
  runId: number;
  attempt: number;
  prefix: string;
  now: number;
}

/** Makes the history's entry for this run. Undefined: no job ran, so there is nothing to learn. */
export function pastRunOf(fleet: Fleet, { attempt, now, prefix, runId }: RunOfFleet): PastRun | undefined {
  const records = recordsOf(fleet);
  if (!records.some(({ jobs = [] }) => jobs.length > 0)) return undefined;
  const { bytes, total } = totalCost(records, now);
  const first = fleet.machines
    .filter(({ readyAt }) => readyAt !== undefined)
    .toSorted((one, other) => (one.readyAt ?? 0) - (other.readyAt ?? 0))[0];
  const [instance] = first?.instances ?? [];
  return {
    ...{ run: runId, attempt, at: now, usd: rounded(total), use: markOf(prefix) },
    bytesUsd: bytes === undefined ? undefined : rounded(bytes),
    waitSeconds: secondsFrom(fleet.firstWantedAt ?? fleet.startedAt, first?.readyAt),
    bootSeconds: secondsFrom(instance?.createdAt, instance?.runningAt),
    kinds: kindsOf(records),
  };
}

function rounded(usd: number): number {
  return Math.round(Math.max(0, usd) * 1e6) / 1e6;
}

function secondsFrom(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined || to < from ? undefined : Math.round((to - from) / 1000);
}

const KEPT_FIGURES = [
  ...(["seconds", "samples", "useMedian", "usePeak"] as const),
  ...(["memoryPeakMib", "memoryTotalMib", "throttledPercent"] as const),
];

/** Returns the first eight kinds of job, each with the highest figures of its jobs. */
function kindsOf(records: readonly MachineRecord[]): PastKind[] {
  const kinds = new Map<string, PastKind>();
  for (const { jobs = [], offer } of records)
    for (const { conclusion, figures, name, seconds } of jobs) {
      const kind = markOf(name);
      // A job that failed may have ended before it needed what others need.
      const known = conclusion === "success" ? { ...figures, seconds } : {};
      kinds.set(kind, most(kinds.get(kind) ?? { kind }, known, offer.machineId));
    }
  return [...kinds.values()].slice(0, MOST_KINDS);
}

/** Adds a job's figures to those of its kind, where they are higher. The machine is the one that was throttled most. */
function most(kind: PastKind, known: JobFigures & Pick<PastKind, "seconds">, machine: number | undefined): PastKind {
  const isSlower = (known.throttledPercent ?? -1) >= (kind.throttledPercent ?? -1);
  const higher = { ...kind, machine: (isSlower ? machine : kind.machine) ?? kind.machine };
  for (const field of KEPT_FIGURES) {
    const figure = known[field];
    if (figure !== undefined) higher[field] = Math.max(figure, kind[field] ?? 0);
  }
  return higher;
}

/** Returns the facts that advice is drawn from. `runs`: the history's, this run last. */
export function adviceFacts(fleet: Fleet, { now, runs }: { now: number; runs: readonly PastRun[] }): AdviceFacts {
  const records = recordsOf(fleet).filter(({ jobs = [] }) => jobs.length > 0);
  const hours = records.reduce((sum, { at }) => sum + hoursOf(at, now), 0);
  const downGb = records.reduce((sum, { traffic }) => sum + (traffic?.downGb ?? 0), 0);
  const imageGb = records.reduce((sum, { estimate }) => sum + (estimate?.bytes.imageGb ?? 0), 0);
  const isImageKnown = records.every(({ estimate }) => estimate?.bytes.imageGb !== undefined);
  return {
    runs,
    perHour: Math.min(...records.map(({ price }) => price.total)),
    hours,
    offers: fleet.market?.candidates ?? [],
    imagePart: isImageKnown && imageGb > 0 ? Math.min(1, imageGb / Math.max(downGb, imageGb)) : undefined,
  };
}

function hoursOf({ gone, running }: MachineRecord["at"], now: number): number {
  return running === undefined ? 0 : Math.max(0, (gone ?? now) - running) / HOUR_MS;
}
