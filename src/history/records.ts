import { hkdfSync } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "zod";
import { HOUR_MS } from "../shared/duration.ts";
import { readJson } from "../shared/json.ts";
import { sign, verified } from "../shared/signature.ts";
import { type History, isMachineId, readMachine } from "./hosts.ts";
import { type DaySum, type KeptFacts, mergeFacts, NO_FACTS, sumsOf } from "./kept-facts.ts";
import { type PastRun, readRuns } from "./past-runs.ts";

// A history as lines of a job's log. Each line is a record of its own, so that a line that is spoilt
// costs itself alone. Whoever has no api-key can't write one.

/** The workflow that a history is of. Records of another one do not fit. */
export interface Scope {
  apiKey: string;
  repositoryId: number;
  /** The path of its file. */
  workflow: string;
}

/** What a run says of its history. */
export interface Head {
  run: number;
  attempt: number;
  /** When it was written, in milliseconds since the epoch. */
  at: number;
  /** True if what came before this run is in it. */
  isWhole: boolean;
}

/** What the records of a log come to. */
export interface ReadRecords {
  facts: KeptFacts;
  head: Head | undefined;
  /** How many lines could be used, and how many looked like records and could not. */
  used: number;
  lost: number;
}

/** The form of the rows; another one has another key. */
const VERSION = 1;
/** Before each record. */
const MARK = "known-";
const RECORD = /^(?:\S+Z )?known-(\S{40,1000})$/gm;
const LONGEST_LINE = 1000;
/** More than the rows of one line ever are, unpacked. */
const LONGEST_ROWS = 8192;
/** Characters for runs and for machines. */
const ROOM = { runs: 12_000, machines: 34_000 };
/** How much of a log's end is looked through, and how much may be unpacked in all. */
export const LOG_END_BYTES = 160_000;
const MOST_UNPACKED = 800_000;
/** A clock that is ahead of ours by more is wrong: its times say nothing. */
const AHEAD_AT_MOST_MS = HOUR_MS;

/** Derives the key that signs the records of a workflow. */
export function recordKey({ apiKey, repositoryId, workflow }: Scope): Buffer {
  const info = JSON.stringify(["history", VERSION, repositoryId, workflow]);
  return Buffer.from(hkdfSync("sha256", apiKey, "", info, 32));
}

/** Writes a history as lines: numbers and marks alone, no secret and no text of others. Newest facts first. */
export function recordLines(facts: KeptFacts, head: Head, key: Buffer): string[] {
  const runs = packed("runs", facts.runs.toReversed().map(rowOfRun), key, ROOM.runs);
  const dropped = facts.runs.slice(0, facts.runs.length - runs.rows);
  const days = [...sumsOf(facts.days, dropped)].map(([day, sum]) => [day, sum.runs, roundedUsd(sum.usd)]);
  const machines = packed("machines", [...facts.machines].map(rowOfMachine), key, ROOM.machines);
  const unread = [...facts.unread].slice(-MOST_UNREAD).map(([run, at]) => [run, seconds(at)]);
  const one = (kind: Kind, rows: readonly unknown[]) => packed(kind, rows, key, LONGEST_LINE).lines;
  return [
    ...one("head", [[head.run, head.attempt, seconds(head.at), Number(head.isWhole)]]),
    ...[...one("unread", unread), ...one("days", days)],
    ...[...runs.lines, ...machines.lines],
  ];
}

/** Writes what a run cost as a line, which says nothing else of its history. */
export function costLine(run: PastRun, key: Buffer): string[] {
  return packed("runs", [rowOfRun(run)], key, LONGEST_LINE).lines;
}

const MOST_UNREAD = 40;

type Kind = "head" | "unread" | "days" | "runs" | "machines";

/** Packs rows into as few lines as there is room for. Returns them, and how many rows they hold. */
function packed(kind: Kind, rows: readonly unknown[], key: Buffer, room: number): { lines: string[]; rows: number } {
  const lines: string[] = [];
  let left = room;
  let from = 0;
  for (;;) {
    const next = fullLine(kind, rows.slice(from), key);
    if (next === undefined || next.line.length > left) return { lines, rows: from };
    lines.push(next.line);
    left -= next.line.length;
    from += next.rows;
  }
}

/** Makes a line of as many of the first rows as it can hold. Undefined: there is none, or the first is too long. */
function fullLine(kind: Kind, rows: readonly unknown[], key: Buffer): { line: string; rows: number } | undefined {
  let full: { line: string; rows: number } | undefined;
  for (let count = 1; count <= rows.length; count += 1) {
    const line = lineOf(kind, rows.slice(0, count), key);
    if (line === undefined) break;
    full = { line, rows: count };
  }
  return full;
}

/** Writes one record. Undefined: it would be too long. */
function lineOf(kind: Kind, rows: readonly unknown[], key: Buffer): string | undefined {
  const text = JSON.stringify([kind, ...rows]);
  if (text.length > LONGEST_ROWS) return undefined;
  const line = `${MARK}${sign(key, "record", deflateRawSync(text, { level: 9 }).toString("base64url"))}`;
  return line.length > LONGEST_LINE ? undefined : line;
}

/** Reads the records at the end of a log. Nothing of a line counts whose signature does not hold. Never throws. */
export function readRecords(log: string, key: Buffer, now: number): ReadRecords {
  const newest = now + AHEAD_AT_MOST_MS;
  const read: ReadRecords = { facts: NO_FACTS, head: undefined, used: 0, lost: 0 };
  let left = MOST_UNPACKED;
  for (const [, text = ""] of log.slice(-LOG_END_BYTES).matchAll(RECORD)) {
    const signed = verified(key, "record", text);
    const rows = signed === undefined ? undefined : unpacked(signed, Math.min(LONGEST_ROWS, left));
    const found = rows === undefined ? undefined : readRows(readJson(rows), newest);
    left -= rows?.length ?? 0;
    if (found === undefined) {
      read.lost += 1;
      continue;
    }
    read.used += 1;
    read.facts = mergeFacts(read.facts, { ...NO_FACTS, ...found.facts });
    read.head = found.head ?? read.head;
  }
  return read;
}

function unpacked(text: string, most: number): string | undefined {
  try {
    return inflateRawSync(Buffer.from(text, "base64url"), { maxOutputLength: Math.max(1, most) }).toString();
  } catch {
    // Longer than any record, or none: the caller counts the line as lost.
    return undefined;
  }
}

interface FoundRows {
  facts?: Partial<KeptFacts>;
  head?: Head;
}

/** Reads one record's rows. One fault refuses all of them: the rest may be wrong. */
function readRows(value: unknown, newest: number): FoundRows | undefined {
  const [kind, ...rows]: unknown[] = Array.isArray(value) ? value : [];
  switch (kind) {
    case "machines":
      return factOf("machines", machinesOf(rows, newest));
    case "runs":
      return factOf("runs", readRuns(rows.map(runOf), newest));
    case "days":
      return factOf("days", daysOf(rows));
    case "unread":
      return factOf("unread", unreadOf(rows, newest));
    case "head":
      return headOf(rows, newest);
    default:
      return undefined;
  }
}

function factOf<Name extends keyof KeptFacts>(name: Name, fact: KeptFacts[Name] | undefined): FoundRows | undefined {
  return fact && { facts: { [name]: fact } };
}

const HEAD = z.tuple([z.tuple([z.int().positive(), z.int().positive(), z.int().positive(), z.literal([0, 1])])]);

function headOf(rows: unknown, newest: number): FoundRows | undefined {
  const [[run, attempt, at, isWhole] = []] = HEAD.safeParse(rows).data ?? [];
  if (run === undefined || attempt === undefined || at === undefined || at * 1000 > newest) return undefined;
  return { head: { run, attempt, at: at * 1000, isWhole: isWhole === 1 } };
}

const DAYS = z.array(z.tuple([z.int().min(0).max(1e5), z.int().min(1).max(1e5), z.number().min(0).max(1e6)]));

function daysOf(rows: unknown): KeptFacts["days"] | undefined {
  const days = DAYS.safeParse(rows).data?.map(([day, runs, usd]): [number, DaySum] => [day, { runs, usd }]);
  return days && new Map(days);
}

const UNREAD = z.array(z.tuple([z.int().positive(), z.int().positive()]));

function unreadOf(rows: unknown, newest: number): KeptFacts["unread"] | undefined {
  const unread = UNREAD.safeParse(rows).data?.map(([run, at]): [number, number] => [run, at * 1000]);
  return unread?.every(([, at]) => at <= newest) ? new Map(unread) : undefined;
}

// Rows have no names, as names would take half of a line: their fields stand in this order, and the list last.
const MACHINE = ["failedAt", "servedAt"] as const;
const BOOT = ["at", "image", "estimateMs", "actualMs"] as const;
const RUN = ["run", "attempt", "at", "usd", "bytesUsd", "waitSeconds", "bootSeconds", "use"] as const;
const KIND = [
  ...["kind", "machine", "samples", "useMedian", "usePeak"],
  ...["memoryPeakMib", "memoryTotalMib", "throttledPercent"],
] as const;
/** Fields in milliseconds, which are written in seconds. */
const IN_MS = new Set<string>(["at", "failedAt", "servedAt", "estimateMs", "actualMs"]);

function rowOfMachine([id, { boots, ...times }]: [number, NonNullable<ReturnType<History["get"]>>]): unknown[] {
  return [id, ...valuesOf(MACHINE, times), boots.map((boot) => valuesOf(BOOT, boot))];
}

function rowOfRun({ kinds, ...run }: PastRun): unknown[] {
  return [...valuesOf(RUN, run), kinds.map((kind) => valuesOf(KIND, kind))];
}

function valuesOf(fields: readonly string[], given: object): unknown[] {
  const value = (field: string) => (given as Record<string, unknown>)[field] ?? null;
  return fields.map((field) => (IN_MS.has(field) ? seconds(value(field)) : value(field)));
}

function seconds(value: unknown): number | null {
  return typeof value === "number" ? Math.ceil(value / 1000) : null;
}

function roundedUsd(usd: number): number {
  return Math.round(usd * 1e4) / 1e4;
}

function machinesOf(rows: readonly unknown[], newest: number): History | undefined {
  const machines = rows.map((row) => {
    const [id, failedAt, servedAt, boots] = Array.isArray(row) ? row : [];
    const listed = Array.isArray(boots) ? boots.map((boot) => objectOf(BOOT, boot)) : undefined;
    const machine = readMachine({ ...objectOf(MACHINE, [failedAt, servedAt]), boots: listed }, newest);
    return isMachineId(id) && machine !== undefined ? ([id, machine] as const) : undefined;
  });
  const known = machines.filter((machine) => machine !== undefined);
  return known.length === machines.length ? new Map(known) : undefined;
}

function runOf(row: unknown): unknown {
  const values = Array.isArray(row) ? row : [];
  const kinds: unknown = values.at(-1);
  const listed = Array.isArray(kinds) ? kinds.map((kind) => objectOf(KIND, kind)) : undefined;
  return { ...objectOf(RUN, values), kinds: listed };
}

/** Names the values of a row; null is none. */
function objectOf(fields: readonly string[], row: unknown): Record<string, unknown> {
  const values: unknown[] = Array.isArray(row) ? row : [];
  const named = fields.map((field, index) => {
    const value = values[index];
    return [field, typeof value === "number" && IN_MS.has(field) ? value * 1000 : value] as const;
  });
  return Object.fromEntries(named.filter(([, value]) => value !== null && value !== undefined));
}
