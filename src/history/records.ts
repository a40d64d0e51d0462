import { hkdfSync } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "zod";
import { HOUR_MS } from "../shared/duration.ts";
import { sign, verified } from "../shared/signature.ts";
import { machineIdField, machineSchema } from "./hosts.ts";
import { daySchema, type KeptFacts, mergeFacts, NO_FACTS, sumsOf } from "./kept-facts.ts";
import { type PastRun, pastRunSchema } from "./past-runs.ts";

// A history as lines of a job's log. Each line is a record of its own, so that a line that is spoilt
// costs itself alone. Whoever has no api-key can't write one.

/** The workflow that a history is of. Records of another one do not fit. */
export interface Scope {
  apiKey: string;
  repositoryId: number;
  /** The path of its file. */
  workflow: string;
}

const headSchema = z.strictObject({
  run: z.int().positive(),
  attempt: z.int().positive(),
  /** When it was written, in milliseconds since the epoch. */
  at: z.int().positive(),
  /** True if what came before this run is in it. */
  isWhole: z.boolean(),
});

/** What a run says of its history. */
export type Head = z.infer<typeof headSchema>;

const recordSchema = z
  .strictObject({
    head: z.array(headSchema),
    unread: z.array(z.strictObject({ run: z.int().positive(), at: z.int().positive() })),
    days: z.array(z.tuple([z.int().min(0).max(1e5), daySchema])),
    runs: z.array(pastRunSchema),
    machines: z.array(z.tuple([machineIdField, machineSchema])),
  })
  .partial();
type Kind = keyof z.infer<typeof recordSchema>;

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
const RECORD_MARK = "known-";
const RECORD = /^(?:\S+Z )?known-(\S{40,1000})$/gm;
const LONGEST_LINE = 1000;
/** More than the rows of one line ever are, unpacked. */
const MOST_OF_LINE = 16_384;
/** Characters for runs and for machines. */
const ROOM = { runs: 12_000, machines: 34_000 };
const MOST_UNREAD = 40;
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
export function recordLines({ days, machines, runs, unread }: KeptFacts, head: Head, key: Buffer): string[] {
  const ofRuns = packedRows("runs", runs.toReversed(), key, ROOM.runs);
  const sums = sumsOf(days, runs.slice(0, runs.length - ofRuns.rows));
  const gaps = [...unread].slice(-MOST_UNREAD).map(([run, at]) => ({ run, at }));
  return [
    ...packedRows("head", [head], key).lines,
    ...packedRows("unread", gaps, key).lines,
    ...packedRows("days", [...sums], key).lines,
    ...ofRuns.lines,
    ...packedRows("machines", [...machines], key, ROOM.machines).lines,
  ];
}

/** Writes what a run cost as a line, which says nothing else of its history. */
export function recordOfCost(run: PastRun, key: Buffer): string[] {
  return packedRows("runs", [run], key).lines;
}

/** Packs rows into as few lines as there is room for. Returns them, and how many rows they hold. */
function packedRows(kind: Kind, rows: readonly unknown[], key: Buffer, room = LONGEST_LINE) {
  const lines: string[] = [];
  let left = room;
  let from = 0;
  for (;;) {
    let full: { line: string; to: number } | undefined;
    for (let to = from + 1; to <= rows.length; to += 1) {
      const line = recordLine({ [kind]: rows.slice(from, to) }, key);
      if (line === undefined) break;
      full = { line, to };
    }
    if (full === undefined || full.line.length > left) return { lines, rows: from };
    lines.push(full.line);
    left -= full.line.length;
    from = full.to;
  }
}

/** Fields in milliseconds, which are written in seconds: a line holds more of them. */
const IN_MS = /^at$|At$|Ms$/;

/** Writes one record. Undefined: it would be too long. */
function recordLine(record: object, key: Buffer): string | undefined {
  const isTime = (name: string, value: unknown) => IN_MS.test(name) && value !== undefined;
  const text = JSON.stringify(record, (name, value) => (isTime(name, value) ? Math.ceil(value / 1000) : value));
  const line = `${RECORD_MARK}${sign(key, "record", deflateRawSync(text, { level: 9 }).toString("base64url"))}`;
  return text.length > MOST_OF_LINE || line.length > LONGEST_LINE ? undefined : line;
}

/** Reads the records at the end of a log. Nothing of a line counts whose signature does not hold. Never throws. */
export function readRecords(log: string, key: Buffer, now: number): ReadRecords {
  const read: ReadRecords = { facts: NO_FACTS, head: undefined, used: 0, lost: 0 };
  let left = MOST_UNPACKED;
  for (const [, line = ""] of log.slice(-LOG_END_BYTES).matchAll(RECORD)) {
    const signed = verified(key, "record", line);
    const text = signed === undefined ? "" : unpacked(signed, Math.min(MOST_OF_LINE, left));
    left -= text.length;
    const record = recordSchema.safeParse(parsed(text, now)).data;
    if (record === undefined) {
      read.lost += 1;
      continue;
    }
    const { days, head, machines, runs = [], unread = [] } = record;
    const gaps = new Map(unread.map(({ run, at }) => [run, at]));
    read.used += 1;
    read.head = head?.[0] ?? read.head;
    read.facts = mergeFacts(read.facts, { machines: new Map(machines), runs, days: new Map(days), unread: gaps });
  }
  return read;
}

/** Unpacks a record; empty if it is none, or longer than any. */
function unpacked(text: string, most: number): string {
  try {
    return inflateRawSync(Buffer.from(text, "base64url"), { maxOutputLength: Math.max(1, most) }).toString();
  } catch {
    return "";
  }
}

/** Reads JSON without times that are to come. Undefined: it is none. */
function parsed(text: string, now: number): unknown {
  const inMs = (value: number) => (value * 1000 > now + AHEAD_AT_MOST_MS ? undefined : value * 1000);
  try {
    return JSON.parse(text, (name, value) => (IN_MS.test(name) ? inMs(value) : value));
  } catch {
    return undefined;
  }
}
