import { formatDuration } from "../shared/duration.ts";
import { counted } from "../shared/text.ts";
import { type EarlierRuns, NOTHING_KNOWN } from "./earlier-runs.ts";
import { type History, type HistoryPort, type HostFate, merge, NO_HISTORY, withFate } from "./hosts.ts";
import { type KeptFacts, mergeFacts, NO_FACTS, pruneFacts } from "./kept-facts.ts";
import { type PastRun, usualJobMs } from "./past-runs.ts";

/** Knows the machines of this session and, once they are read, those of earlier runs. */
export class KeptHistory implements HistoryPort {
  ready: Promise<unknown> | undefined;
  earlier = NOTHING_KNOWN;
  #known = NO_HISTORY;
  #runs: readonly PastRun[] = [];

  get known(): History {
    return this.#known;
  }

  get isKept(): boolean {
    return this.earlier.facts.machines.size > 0;
  }

  /** Takes over what earlier runs knew. */
  arrived(earlier: EarlierRuns): void {
    this.earlier = earlier;
    this.#known = merge(earlier.facts.machines, this.#known);
  }

  note(fate: HostFate): void {
    this.#known = withFate(this.#known, fate);
  }

  usualJobMs(name: string): number | undefined {
    return usualJobMs(this.earlier.facts.runs, name);
  }

  /** Adds this run. Returns it behind those before it. */
  learn(run: PastRun): readonly PastRun[] {
    this.#runs = [run];
    return [...this.earlier.facts.runs, run];
  }

  /** Returns all that the next run is to know. */
  toHandOn(now: number): KeptFacts {
    return pruneFacts(mergeFacts(this.earlier.facts, { ...NO_FACTS, machines: this.#known, runs: this.#runs }), now);
  }
}

/** Says what is known of earlier runs, in one line of the log. `image`: the mark of this run's. */
export function describeEarlier({ facts, head, lost, why }: EarlierRuns, image: string, now: number): string {
  if (head === undefined)
    return `Nothing is known of earlier runs: ${why ?? "none of this workflow has left a history."}`;
  const machines = [...facts.machines.values()];
  const have = machines.filter(({ boots }) => boots.some((boot) => boot.image === image)).length;
  const known = `Known: ${counted(machines.length, "host")}, ${have} that have this image, from run ${head.run} (${formatDuration(now - head.at)} ago)`;
  const without = [
    ...(lost > 0 ? [`${counted(lost, "line")} could not be used`] : []),
    ...(facts.unread.size > 0 ? [`${counted(facts.unread.size, "run")} could not be read`] : []),
  ];
  return [known, ...without].join("; ");
}
