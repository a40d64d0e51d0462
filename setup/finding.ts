import type { Context } from "./context.ts";
import { SetupError } from "./setup-error.ts";

/** One question, and its answer. `unknown`: it could not be asked. */
export interface Finding {
  about: string;
  is: "good" | "doubtful" | "bad" | "unknown";
  says: string;
}

const found = (is: Finding["is"]) => (about: string, says: string) => ({ about, is, says });
/** The four kinds of findings. */
export const good = found("good");
export const doubtful = found("doubtful");
export const bad = found("bad");
export const unasked = found("unknown");

/** A table of findings, worst things marked. */
export function showFindings({ screen }: Context, findings: readonly Finding[]): void {
  const marks = { good: "✓", doubtful: "!", bad: "✗", unknown: "?" };
  for (const { about, is, says } of findings) screen.say(`  ${marks[is]} ${about}: ${says}`);
}

/** Throws when something is bad. */
export function refuseBad(findings: readonly Finding[]): void {
  const all = findings.filter(({ is }) => is === "bad").map(({ about, says }) => `${about}: ${says}`);
  if (all.length === 0) return;
  throw new SetupError(
    `The check is red: ${all.join(" ")} Nothing was committed and nothing is rented.`,
    "Repair that and run this again: it goes on from there.",
  );
}
