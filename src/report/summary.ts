import { withoutMarkdown } from "../shared/foreign-text.ts";
import { markdownTable } from "../shared/table.ts";
import { takenLine } from "./attempts-log.ts";
import { machineTable } from "./machine-table.ts";
import { outcomeOf } from "./outcome.ts";
import { isUnused, sumLine, UNUSED, unknownSentence } from "./sums.ts";
import { timelines } from "./timelines.ts";
import type { SessionReport } from "./told-use.ts";

/** Four jobs with names of 100 characters; `machineTable` has cut all else. */
const LONGEST_CELL = 600;

/** The job summary, in Markdown, in which foreign text is harmless: result, stages, costs, … */
export function summaryMarkdown(use: SessionReport): string {
  const { title, details } = outcomeOf(use);
  const parts = [[`### ${title}`], ...details.map((detail) => [detail]), bars(use), table(use), [stillRented(use)]];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function bars({ machines, end }: SessionReport): string[] {
  return machines.length === 0 ? [] : ["```text", ...timelines(machines, end), "```"];
}

function table(use: SessionReport): string[] {
  const { machines, taken, end } = use;
  if (machines.length === 0) return [...takenLine(taken), ...unknownSentence(use)];
  const [titles = [], ...rows] = machineTable(machines, end);
  return [
    ...markdownTable([titles, ...rows.map((row) => row.map((cell) => withoutMarkdown(cell, LONGEST_CELL)))]),
    "",
    ...takenLine(taken),
    sumLine(use),
    ...(isUnused(use) ? [UNUSED] : []),
  ];
}

function stillRented({ undestroyed, wasAsked }: SessionReport): string {
  if (undestroyed.length > 0) {
    const what = undestroyed.map((each) => withoutMarkdown(each)).join(", ");
    return `**May still be billing: ${what}.** Destroy it in the service's console.`;
  }
  return `**Still rented: nothing** (${wasAsked ? "the service was asked" : "no create was ever sent"}).`;
}
