import type { Broken } from "../stories/referee/rule.ts";
import type { PlayedRun } from "./world/play-run.ts";
import type { Stage } from "./world/run-entry.ts";

/** A day of runs is silent where none breaks a rule. */
const TELL_EVERY = 100;

/** The sums of all runs: what was met, and how processes ended. */
export class Report {
  readonly #counts = new Map<string, Map<string, number>>();
  runs = 0;
  #broken = 0;
  #machines = 0;

  /** Takes one run in. */
  add({ broken, deaths, record, stages }: PlayedRun & { broken: readonly Broken[] }): void {
    this.runs += 1;
    if (broken.length > 0) this.#broken += 1;
    this.#machines += record.happened.boxes.length;
    for (const { fault } of record.faults.met) this.#count("faults that hit", fault.where);
    for (const { how } of deaths) this.#count("deaths", `machine ${how}`);
    for (const { entry, killed } of stages) if (killed) this.#count("deaths", `${entry} ${killed.how}`);
    for (const stage of stages) this.#count("ends", endOf(stage));
    if (this.runs % TELL_EVERY === 0) console.log(`runs so far: ${this.runs}; broke a rule: ${this.#broken}`);
  }

  /** As Markdown lists. */
  lines(): string[] {
    const list = (counts: Map<string, number>) =>
      [...counts].sort(([, left], [, right]) => right - left).map(([kind, count]) => `${kind} ${count}`);
    return [
      `runs: ${this.runs}; machines rented: ${this.#machines}; runs that broke a rule: ${this.#broken}`,
      ...[...this.#counts].map(([title, counts]) => `${title}: ${list(counts).join(", ")}`),
    ];
  }

  #count(title: string, kind: string): void {
    const counts = this.#counts.get(title) ?? new Map<string, number>();
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    this.#counts.set(title, counts);
  }
}

/** The entry, its exit code, and the class of its error. */
function endOf({ entry, exitCode, log }: Stage): string {
  const error = /^::error title=(?:[^:]* \()?(\w+)\)?::/m.exec(log)?.[1] ?? /Stopped by \w+/.exec(log)?.[0] ?? "";
  return `${entry} ${exitCode ?? "killed"} ${exitCode === 1 ? error : ""}`.trim();
}
