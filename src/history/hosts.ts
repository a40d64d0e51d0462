import { createHash } from "node:crypto";
import { z } from "zod";
import { HOUR_MS } from "../shared/duration.ts";
import type { ImageFacts } from "../timing/boot.ts";
import { TUNING } from "../timing/tuning.ts";

const MOST_BOOTS = 8;
const MOST_MACHINES = 500;
/** How long a fact counts. */
export const KEPT_MS = 30 * 24 * HOUR_MS;

const time = z.int().positive();
/** An id of the form that the service uses. */
export const machineIdField = time.lt(1e15);
/** What `markOf` writes. */
export const markField = z.string().regex(/^[0-9a-f]{16}$/);
/** A plausible length of a boot; others are neither kept nor read. */
const bootTime = z
  .number()
  .positive()
  .max(6 * HOUR_MS);

/** One boot that reached running. Times in milliseconds. */
const bootSchema = z.strictObject({
  /** When it ran, since the epoch. */
  at: time,
  /** Which image, as `imageMark` writes it. */
  image: markField,
  /** The boot time that we would expect of an unknown host; left out if the machine had the image. */
  estimateMs: bootTime.optional(),
  actualMs: bootTime,
});

/** The past of one machine. Times in milliseconds since the epoch. */
export const machineSchema = z.strictObject({
  failedAt: time.optional(),
  servedAt: time.optional(),
  /** Oldest first. */
  boots: z.array(bootSchema).max(MOST_BOOTS),
});

type KnownBoot = z.infer<typeof bootSchema>;
type MachineHistory = z.infer<typeof machineSchema>;

/** The past of machines, by their `machine_id`. */
export type History = ReadonlyMap<number, MachineHistory>;

/** The fate of a machine. */
export type HostFate =
  | { kind: "failed" | "served"; machine: number; at: number }
  | ({ kind: "booted"; machine: number } & KnownBoot);

/** The past of machines, in this session and in earlier ones as far as they are known. */
export interface HistoryPort {
  readonly known: History;
  /** Machines of earlier sessions are known. */
  readonly isKept: boolean;
  /** Ends once all is known that will be, some seconds after main began. Undefined: it is. */
  readonly ready?: Promise<unknown> | undefined;
  note(fate: HostFate): void;
  /** Returns how long a job of this name took in earlier runs, in milliseconds. Undefined: not known. */
  usualJobMs(name: string): number | undefined;
}

/** A history without any machine. */
export const NO_HISTORY: History = new Map();

/** Makes a mark that stands for a foreign text. */
export function markOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Makes a mark of an image. The size tells that a tag was moved to other content. */
export function imageMark({ bytes, name }: Pick<ImageFacts, "bytes" | "name">): string {
  return markOf(`${name} ${bytes ?? ""}`);
}

/** Adds what became of a machine. An odd id or length of a boot would spoil a written history. */
export function withFate(history: History, { at, kind, machine, ...boot }: HostFate): History {
  const isOdd = "image" in boot && ![boot.actualMs, boot.estimateMs ?? 1].every((ms) => bootTime.safeParse(ms).success);
  if (isOdd || !machineIdField.safeParse(machine).success) return history;
  const known = { [kind === "failed" ? "failedAt" : "servedAt"]: at, boots: [] };
  return merge(history, new Map([[machine, "image" in boot ? { boots: [{ at, ...boot }] } : known]]));
}

/** Merges two histories. */
export function merge(left: History, right: History): History {
  const merged = new Map(left);
  for (const [machine, entry] of right) merged.set(machine, joinedHistory(merged.get(machine) ?? { boots: [] }, entry));
  return merged;
}

function joinedHistory(left: MachineHistory, right: MachineHistory): MachineHistory {
  const boots = new Map([...left.boots, ...right.boots].map((boot) => [`${boot.at} ${boot.image}`, boot]));
  return {
    failedAt: latest(left.failedAt, right.failedAt),
    servedAt: latest(left.servedAt, right.servedAt),
    boots: [...boots.values()].sort((one, other) => one.at - other.at).slice(-MOST_BOOTS),
  };
}

function latest(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? (left ?? right) : Math.max(left, right);
}

/** Forgets what is older than 30 days, and all but the 500 machines with the newest entries. */
export function prune(history: History, now: number): History {
  const kept = [...history]
    .filter(([, entry]) => heardOf(entry) > now - KEPT_MS)
    .toSorted(([, left], [, right]) => heardOf(right) - heardOf(left));
  return new Map(kept.slice(0, MOST_MACHINES));
}

function heardOf({ failedAt = 0, servedAt = 0, boots }: MachineHistory): number {
  return Math.max(failedAt, servedAt, boots.at(-1)?.at ?? 0);
}

/** Looks up a machine that is to boot an image now. One without an id counts as not known. */
export function knownOf(history: History, machine: number | undefined, image: string, now: number) {
  const { failedAt, servedAt, boots } = history.get(machine ?? Number.NaN) ?? { boots: [] };
  const isProven = servedAt !== undefined && now - servedAt <= TUNING.history.provenForMs;
  const failedSince = failedAt !== undefined && failedAt > (servedAt ?? 0);
  return {
    /** It ran a job of ours lately. */
    isProven: isProven && !failedSince,
    /** It failed lately, and did not serve since. */
    failedLately: failedSince && now - failedAt <= TUNING.history.failedForMs,
    ownRatio: boots.map(ratioOf).findLast((ratio) => ratio !== undefined),
    hasImage: boots.some((boot) => boot.image === image),
  };
}

/** Lists the ratio of actual to estimated time of every known boot, newest last. */
export function ratiosOf(history: History): number[] {
  const boots = [...history.values()].flatMap((entry) => entry.boots).toSorted((left, right) => left.at - right.at);
  return boots.flatMap((boot) => ratioOf(boot) ?? []);
}

function ratioOf({ estimateMs, actualMs }: KnownBoot): number | undefined {
  return estimateMs === undefined ? undefined : actualMs / estimateMs;
}
