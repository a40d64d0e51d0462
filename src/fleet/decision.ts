import { oneLine } from "../text/foreign-text.ts";

/**
 * What is to be done now. `grave`: it costs a machine or a job, and needs two looks, because GitHub's list lags behind.
 */
export type Decision =
  | { do: "wait" }
  | { do: "rent" }
  | { do: "hold"; warning?: string }
  /** The machine is ready and this job goes on with its own steps. */
  | { do: "return" }
  | { do: "end"; warning: string; grave: boolean }
  /** The GPU job is over; `bad` are the conclusions that make this job fail, too. */
  | { do: "end-with-job"; bad: readonly string[]; url: string | undefined }
  | { do: "fail"; why: string; hint: string; grave: boolean }
  /** Nobody came: take the runner away first, then fail. */
  | { do: "give-up-idle"; why: string; hint: string }
  /** The machine is lost while the job waits: another one, if the runner can surely not come back. */
  | { do: "rent-again"; grave: true }
  /** The machine is lost and nobody waits for it: destroy what is left, and begin as if nothing were rented. */
  | { do: "drop-machine"; grave: true };

/** True when a decision may be taken on one look. */
export function isLight(decision: Decision): boolean {
  return !("grave" in decision && decision.grave);
}

/** The first row of a table that holds, in order. */
export interface Row<Facts> {
  when: (facts: Facts) => boolean;
  decide: (facts: Facts) => Decision;
}

/** Looks the facts up in a table whose last row always holds. */
export function lookUp<Facts>(table: readonly Row<Facts>[], facts: Facts): Decision {
  return table.find((row) => row.when(facts))?.decide(facts) ?? { do: "wait" };
}

/** The sentence for a job that our runner can't take, because it asks for more labels than ours. */
export function foreignLabels(labels: readonly string[]): Extract<Decision, { do: "fail" }> {
  return {
    do: "fail",
    why: `The GPU job also asks for the labels ${labels.map((label) => oneLine(label, 60)).join(", ")}, which the machine's runner does not have.`,
    hint: "Let runs-on ask for that one label, as the README shows it, without self-hosted.",
    grave: true,
  };
}

/** The sentence for several jobs that ask for one machine. */
export function tooManyJobs(jobs: number): Extract<Decision, { do: "fail" }> {
  return {
    do: "fail",
    why: `${jobs} jobs ask for 1 runner.`,
    hint: "A rented machine runs one job: give each GPU job its own label and its own job that rents.",
    grave: true,
  };
}
