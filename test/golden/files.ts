import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Transcript } from "./transcript.ts";

/** The transcripts of a file of scenarios, by the names of its tests. */
export type Transcripts = Readonly<Record<string, readonly Partial<Transcript>[]>>;

interface Recorded {
  /** What stands in the file several times, by the beginning of its hash. */
  readonly shared: Readonly<Record<string, unknown>>;
  readonly tests: unknown;
}

const BODY = /\{".*\}/;
const LEAST_LENGTH = 60;

/** Reads recorded transcripts; none where nothing was recorded. */
export function readTranscripts(file: string): Transcripts {
  if (!existsSync(file)) return {};
  const { shared, tests } = JSON.parse(readFileSync(file, "utf8")) as Recorded;
  const expand = (value: unknown): unknown => {
    if (typeof value !== "string") return value;
    const mark = /#[0-9a-f]{6}$/.exec(value)?.[0] ?? "";
    if (!(mark in shared)) return value;
    const found = mapLeaves(shared[mark], expand);
    return typeof found === "string" ? value.replace(mark, () => found) : found;
  };
  return mapLeaves(tests, expand) as Transcripts;
}

/** Writes transcripts, sorted by name, so that two recordings of the same are the same file. */
export function writeTranscripts(file: string, transcripts: Transcripts): void {
  const bodies = new Sharing();
  const lists = new Sharing();
  const withBodies = (mark: (text: string) => string) => (leaf: unknown) =>
    typeof leaf === "string" ? leaf.replace(BODY, mark) : leaf;
  // The first pass counts, the second one replaces what occurred more than once.
  mapLeaves(transcripts, withBodies(bodies.count));
  const shortened = mapLeaves(byName(transcripts), withBodies(bodies.replace));
  mapLists(shortened, lists.count);
  const tests = mapLists(shortened, lists.replace);
  const shared = byName({ ...bodies.found, ...lists.found });
  writeFileSync(file, `${JSON.stringify({ shared, tests }, undefined, 1)}\n`);
}

/** Finds what occurs more than once and is long. */
class Sharing {
  readonly found: Record<string, unknown> = {};
  readonly #times = new Map<string, number>();

  readonly count = <T>(value: T): T => {
    const text = JSON.stringify(value);
    this.#times.set(text, (this.#times.get(text) ?? 0) + 1);
    return value;
  };

  readonly replace = <T>(value: T): T | string => {
    const text = JSON.stringify(value);
    if (text.length < LEAST_LENGTH || (this.#times.get(text) ?? 0) < 2) return value;
    const mark = `#${createHash("sha256").update(text).digest("hex").slice(0, 6)}`;
    this.found[mark] = value;
    return mark;
  };
}

function byName<T>(values: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Replaces every value that is neither a list nor an object; keys stay. */
function mapLeaves(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => mapLeaves(each, change));
  if (typeof value !== "object" || value === null) return change(value);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapLeaves(each, change)]));
}

/** Replaces every list of texts. */
function mapLists(value: unknown, change: (list: unknown) => unknown): unknown {
  if (Array.isArray(value)) {
    return value.every((each) => typeof each === "string")
      ? change(value)
      : value.map((each) => mapLists(each, change));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapLists(each, change)]));
}
