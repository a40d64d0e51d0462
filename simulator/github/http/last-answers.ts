import type { SimClock } from "../../clock/sim-clock.ts";
import type { Answer } from "../../http/deliver.ts";
import { findFault } from "../../http/faults.ts";
import { isLacking } from "../../scenario/fault.ts";
import type { Fault } from "../faults.ts";

/** Remembers the answers to each read, for lists that lag behind. */
export function lastAnswers(clock: SimClock) {
  const answers = new Map<string, { at: number; answer: Answer }[]>();
  /** The fresh answer, which is remembered; under a `stale` fault a remembered one. */
  return (
    { path, query }: { path: string; query: URLSearchParams },
    fresh: Answer,
    faults: readonly Fault[],
  ): Answer => {
    const name = `${path}?${query}`;
    const now = clock.now();
    const before = answers.get(name) ?? [];
    const stale = findFault(faults, "stale");
    if (stale) {
      const { seconds } = stale;
      const old = seconds === undefined ? before.at(-1) : before.find(({ at }) => at >= now - seconds * 1000);
      return old?.answer ?? fresh;
    }
    answers.set(name, [...before, { at: now, answer: fresh }]);
    const short = findFault(faults, "short-list");
    return short ? shortened(fresh, short) : fresh;
  };
}

/** A page of a list without some of its rows; any other answer stays as it is. */
function shortened(answer: Answer, { lacks, total }: Extract<Fault, { kind: "short-list" }>): Answer {
  const { total_count: all, ...lists } = (answer.body ?? {}) as { total_count?: number };
  const [[name, rows] = []] = Object.entries(lists) as [string, unknown[]][];
  if (all === undefined || name === undefined || rows === undefined) return answer;
  const shown = rows.filter((_, index) => !isLacking(lacks, index));
  return { ...answer, body: { total_count: total === "all" ? all : all - rows.length + shown.length, [name]: shown } };
}
