import { type History, isBootTime, type KnownBoot, type MachineHistory } from "./history.ts";

/** The form of the file. Another one is not read: it says other things by the same words. */
const VERSION = 1;
/** Several times the most that is kept: 500 machines of 8 boots each. */
export const MOST_HISTORY_BYTES = 1_000_000;

/** A clock that is ahead by more says nothing of when things were. */
const CLOCKS_DIFFER_MS = 3_600_000;

/** Writes a history: numbers and marks alone, no secret and no text of others. */
export function historyText(history: History): string {
  return `${JSON.stringify({ version: VERSION, machines: Object.fromEntries(history) })}\n`;
}

/** Reads a history; a text says why it can't be. One fault refuses all: the rest may be wrong. */
export function readHistoryText(text: string, now: number): History | string {
  if (text.length > MOST_HISTORY_BYTES) return `it has more than ${MOST_HISTORY_BYTES / 1e6} MB`;
  const read = parse(text);
  if (!isRecord(read)) return "it is not a JSON object";
  if (read.version !== VERSION) return `its version is not ${VERSION}`;
  if (!isRecord(read.machines)) return "it has no machines";
  const entries = Object.entries(read.machines).map(([id, entry]) => [id, readMachine(entry, now)] as const);
  const wrong = entries.findIndex(([id, entry]) => !/^[1-9]\d{0,14}$/.test(id) || entry === undefined);
  if (wrong >= 0) return `its machine number ${wrong + 1} can't be read`;
  return new Map(entries.flatMap(([id, entry]) => (entry ? [[Number(id), entry]] : [])));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whatever it is, it is no history: that is all that is said of it.
    return undefined;
  }
}

function readMachine(entry: unknown, now: number): MachineHistory | undefined {
  if (!isRecord(entry) || !hasOnly(entry, ["failedAt", "servedAt", "boots"]) || !Array.isArray(entry.boots))
    return undefined;
  const { failedAt, servedAt } = entry;
  const boots = entry.boots.map((boot) => readBoot(boot, now));
  const isRight = [failedAt, servedAt].every((at) => at === undefined || isTime(at, now));
  if (!isRight || boots.includes(undefined)) return undefined;
  return {
    ...(typeof failedAt === "number" ? { failedAt } : {}),
    ...(typeof servedAt === "number" ? { servedAt } : {}),
    boots: boots.flatMap((boot) => boot ?? []),
  };
}

function readBoot(boot: unknown, now: number): KnownBoot | undefined {
  if (!isRecord(boot) || !hasOnly(boot, ["at", "image", "estimateMs", "actualMs"])) return undefined;
  const { at, image, estimateMs, actualMs } = boot;
  if (typeof image !== "string" || !/^[0-9a-f]{16}$/.test(image)) return undefined;
  if (!isTime(at, now) || !isLength(actualMs)) return undefined;
  if (estimateMs === undefined) return { at, image, actualMs };
  return isLength(estimateMs) ? { at, image, estimateMs, actualMs } : undefined;
}

function isTime(value: unknown, now: number): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= now + CLOCKS_DIFFER_MS;
}

function isLength(value: unknown): value is number {
  return Number.isSafeInteger(value) && isBootTime(value);
}

function hasOnly(record: Record<string, unknown>, names: readonly string[]): boolean {
  return Object.keys(record).every((name) => names.includes(name));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
