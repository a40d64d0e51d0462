import type { InstanceFacts, StageFacts } from "../run-facts.ts";

/** A broken rule. `money`: wrong whatever the load. `time`: late, which load alone can cause. */
export interface Violation {
  rule: "money" | "time";
  text: string;
}

export function money(text: string): Violation {
  return { rule: "money", text };
}

export function time(text: string): Violation {
  return { rule: "time", text };
}

/** It was killed, or signalled before it could hear signals. */
export function hasDied({ exitCode, killed }: StageFacts): boolean {
  return killed !== undefined && exitCode === null;
}

/** Nothing of the plan ended it. */
export function endedByItself({ exitCode, killed, overran }: StageFacts): boolean {
  return killed === undefined && !overran && exitCode !== null;
}

/** The annotations of errors. */
export function errorsIn({ log }: StageFacts): string[] {
  return log.split("\n").filter((line) => line.startsWith("::error"));
}

/** `instance 1, 2`. */
export function ids(instances: readonly InstanceFacts[]): string {
  return `instance ${instances.map(({ id }) => id).join(", ")}`;
}
