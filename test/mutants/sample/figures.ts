import { execFileSync } from "node:child_process";
import { ROOT } from "../copy.ts";
import type { DrawnMutant } from "./draw-sample.ts";
import { isNoticed, isTried, KINDS, NO_CODE, OTHER_KINDS, type Results } from "./results.ts";

/** Where a mutant that nobody notices costs money or a job: it is named. */
const NAMED = /^src\/(?:money|release)\/|^src\/fleet\/lifecycle\//;

/** How many were tried, and how many of them were caught. */
interface Tally {
  readonly tried: number;
  readonly caught: number;
}

/** What is committed of a run. */
interface Figures {
  readonly commit: string;
  readonly seed: number;
  readonly drawn: number;
  /** Those of which it is known whether a kind in process notices them, without those that do not compile. */
  readonly tried: number;
  readonly noCode: number;
  readonly hang: number;
  readonly exhaustMemory: number;
  /** In per cent of those tried, by any kind in process, and by each what none before it noticed. */
  readonly caught: Readonly<Record<string, number>>;
  readonly rooms: Readonly<Record<string, Tally>>;
  /** Of those that no kind in process notices: what came of them in the other kinds. */
  readonly played: Readonly<Record<string, Tally>>;
  /** Those of money, release and evidence that nothing caught. */
  readonly survivors: readonly string[];
}

/** Counts what a run has shown so far. */
export function figuresOf(sample: readonly DrawnMutant[], seed: number, results: Results): Figures {
  const commit = execFileSync("git", ["rev-parse", "--short=8", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim();
  const endsOf = results.read();
  const all = sample.map((mutant) => ({ mutant, ends: endsOf(mutant.id) }));
  const tried = all.filter(({ ends }) => isTried(ends));
  const count = (end: string) => all.filter(({ ends }) => [...ends.values()].includes(end)).length;
  const tally = (of: typeof all, kinds: readonly string[]): Tally => ({
    tried: of.length,
    caught: of.filter(({ ends }) => isNoticed(ends, kinds)).length,
  });
  const share = (kinds: readonly string[]) =>
    Math.round((tally(tried, kinds).caught / (tried.length || 1)) * 1000) / 10;
  const rooms = Object.groupBy(tried, ({ mutant }) => mutant.fileName.split("/").slice(1, -1)[0] ?? "src");
  const played = (kind: string) => all.filter(({ ends }) => ends.has(kind));
  return {
    ...{ commit, seed, drawn: sample.length, tried: tried.length },
    ...{ noCode: count(NO_CODE), hang: count("hangs"), exhaustMemory: count("exhausts memory") },
    caught: { any: share(KINDS), ...Object.fromEntries(KINDS.map((kind) => [kind, share([kind])])) },
    rooms: Object.fromEntries(
      Object.keys(rooms)
        .toSorted()
        .map((room) => [room, tally(rooms[room] ?? [], KINDS)]),
    ),
    played: Object.fromEntries(OTHER_KINDS.map((kind) => [kind, tally(played(kind), [kind])])),
    survivors: tried
      .filter(({ mutant, ends }) => NAMED.test(mutant.fileName) && !isNoticed(ends))
      .map(({ mutant }) => mutant.name)
      .toSorted(),
  };
}
