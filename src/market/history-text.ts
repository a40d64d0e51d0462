import { z } from "zod";
import { isRecord, readJson } from "../shared/json.ts";
import { type History, isBootTime, isMachineId, type MachineHistory } from "./history.ts";

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
  const read = readJson(text);
  if (!isRecord(read)) return "it is not a JSON object";
  if (read.version !== VERSION) return `its version is not ${VERSION}`;
  if (!isRecord(read.machines)) return "it has no machines";
  const machine = machineSchema(now);
  const entries = Object.entries(read.machines).map(([id, entry]) => [id, machine.safeParse(entry).data] as const);
  const wrong = entries.findIndex(
    ([id, entry]) => !(/^[1-9]\d*$/.test(id) && isMachineId(Number(id))) || entry === undefined,
  );
  if (wrong >= 0) return `its machine number ${wrong + 1} can't be read`;
  return new Map(entries.flatMap(([id, entry]) => (entry ? [[Number(id), entry]] : [])));
}

/** An entry with a field of others, or with a time that no clock tells, is refused. */
function machineSchema(now: number): z.ZodType<MachineHistory> {
  const time = z
    .int()
    .positive()
    .max(now + CLOCKS_DIFFER_MS);
  const length = z.int().refine(isBootTime);
  const image = z.string().regex(/^[0-9a-f]{16}$/);
  const boot = z.strictObject({ at: time, image, estimateMs: length.optional(), actualMs: length });
  return z.strictObject({ failedAt: time.optional(), servedAt: time.optional(), boots: z.array(boot) });
}
