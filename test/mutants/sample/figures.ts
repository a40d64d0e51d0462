import { COMPILER, isNoticed, missedIds, NO_CODE, type Result, triedIds } from "./results.ts";

/** A mutant as the figures need it. */
interface Named {
  readonly id: string;
  readonly name: string;
  readonly fileName: string;
}

/** Where a mutant that nobody notices costs money or a job: it is named. */
const NAMED = /^src\/(?:money|release)\/|^src\/fleet\/lifecycle\//;

/** What is committed of a run. */
export interface Figures {
  readonly commit: string;
  readonly seed: number;
  readonly drawn: number;
  /** Those that each of the kinds has tried, without those that do not compile. */
  readonly tried: number;
  readonly noCode: number;
  readonly hang: number;
  readonly exhaustMemory: number;
  /** In per cent of those tried, by any kind and by each. */
  readonly caught: Readonly<Record<string, number>>;
  readonly rooms: Readonly<Record<string, { tried: number; caught: number }>>;
  /** Of those that no kind notices: how many were played against each other kind, and how many it caught. */
  readonly played: Readonly<Record<string, { tried: number; caught: number }>>;
  /** Those of money, release and evidence that nothing caught. */
  readonly survivors: readonly string[];
}

type Run = Pick<Figures, "commit" | "seed"> & { kinds: readonly string[]; others: readonly string[] };

/** Counts what a run has shown so far. */
export function figuresOf(sample: readonly Named[], results: readonly Result[], run: Run): Figures {
  const { commit, seed, kinds, others } = run;
  const drawn = new Map(sample.map((mutant) => [mutant.id, mutant]));
  const known = results.filter(({ id }) => drawn.has(id));
  const tried = triedIds(known, kinds);
  const missed = new Set(missedIds(known, kinds));
  const ends = (end: string) => new Set(known.filter((each) => each.end === end).map(({ id }) => id)).size;
  const caughtBy = (kind: string) =>
    tried.filter((id) => known.some((each) => each.id === id && each.kind === kind && isNoticed(each))).length;
  const share = (count: number) => (tried.length === 0 ? 0 : Math.round((count / tried.length) * 1000) / 10);
  const elsewhere = new Set(known.filter((each) => others.includes(each.kind) && isNoticed(each)).map(({ id }) => id));
  const byRoom = Object.entries(Object.groupBy(tried, (id) => roomOf(drawn.get(id)?.fileName ?? "")));
  return {
    ...{ commit, seed, drawn: sample.length, tried: tried.length, noCode: ends(NO_CODE) },
    ...{ hang: ends("hangs"), exhaustMemory: ends("exhausts memory") },
    caught: {
      any: share(tried.length - missed.size),
      ...Object.fromEntries(kinds.map((kind) => [kind, share(caughtBy(kind))])),
    },
    rooms: Object.fromEntries(
      byRoom
        .map(
          ([room, ids = []]) =>
            [room, { tried: ids.length, caught: ids.filter((id) => !missed.has(id)).length }] as const,
        )
        .toSorted(([one], [other]) => (one < other ? -1 : 1)),
    ),
    played: Object.fromEntries(others.map((kind) => [kind, playedBy(known, kind)])),
    survivors: sample
      .filter(({ id, fileName }) => missed.has(id) && !elsewhere.has(id) && NAMED.test(fileName))
      .map(({ name }) => name)
      .toSorted(),
  };
}

function playedBy(known: readonly Result[], kind: string): { tried: number; caught: number } {
  const of = known.filter((each) => each.kind === kind);
  return { tried: of.length, caught: of.filter(isNoticed).length };
}

function roomOf(fileName: string): string {
  return fileName.split("/").slice(1, -1)[0] ?? "src";
}

/** The missed ones that are to be played elsewhere, in the sample's order; those that the compiler was not asked about wait. */
export function toPlay<One extends Named>(
  sample: readonly One[],
  results: readonly Result[],
  kinds: readonly string[],
): One[] {
  const missed = new Set(missedIds(results, kinds));
  const judged = new Set(results.filter(({ kind }) => kind === COMPILER).map(({ id }) => id));
  return sample.filter(({ id }) => missed.has(id) && judged.has(id));
}
