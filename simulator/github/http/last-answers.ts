import type { SimClock } from "../../clock/sim-clock.ts";
import { isLacking } from "../../scenario/fault.ts";
import type { Fault } from "../faults.ts";
import type { Answer } from "./answer.ts";

/** The answers to each read, for lists that lag behind. */
export class LastAnswers {
  readonly #clock: SimClock;
  readonly #answers = new Map<string, { at: number; answer: Answer }[]>();

  constructor(clock: SimClock) {
    this.#clock = clock;
  }

  /** The fresh answer, which is remembered; under a `stale` fault a remembered one. */
  give({ path, query }: { path: string; query: URLSearchParams }, fresh: Answer, fault: Fault | undefined): Answer {
    const name = `${path}?${query}`;
    const now = this.#clock.now();
    const before = this.#answers.get(name) ?? [];
    if (fault?.kind === "stale") {
      const { seconds } = fault;
      const old = seconds === undefined ? before.at(-1) : before.find(({ at }) => at >= now - seconds * 1000);
      return old?.answer ?? fresh;
    }
    this.#answers.set(name, [...before, { at: now, answer: fresh }]);
    return fault?.kind === "short-list" ? shortened(fresh, fault) : fresh;
  }
}

/** A page of a list without some of its rows; any other answer stays as it is. */
function shortened(answer: Answer, { lacks, total }: Extract<Fault, { kind: "short-list" }>): Answer {
  const { total_count: all, ...lists } = (answer.body ?? {}) as { total_count?: number };
  const [[name, rows] = []] = Object.entries(lists) as [string, unknown[]][];
  if (all === undefined || name === undefined || rows === undefined) return answer;
  const shown = rows.filter((_, index) => !isLacking(lacks, index));
  return { ...answer, body: { total_count: total === "all" ? all : all - rows.length + shown.length, [name]: shown } };
}
