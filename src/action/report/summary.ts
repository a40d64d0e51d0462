import type { Report } from "../../machine/report.ts";
import { formatPrice } from "../../money/format-price.ts";
import { withoutMarkdown } from "../../text/foreign-text.ts";
import { formatDuration } from "../../time/duration.ts";
import { attemptOf } from "./attempt.ts";
import { takenLine } from "./attempts-log.ts";
import { outcomeOf } from "./outcome.ts";
import { stageBars, stagesOf } from "./stage-bars.ts";
import { isUnused, sumLines, UNUSED } from "./sums.ts";
import { bytesInWords, costOf, mainMachine, type ToldMachine, type ToldUse } from "./told-use.ts";

/** The job summary, in Markdown, in which foreign text is harmless: result, stages, costs, … */
export function summaryMarkdown(use: ToldUse): string {
  const { title, details } = outcomeOf(use);
  const parts = [[`### ${title}`], ...details.map((detail) => [detail]), bars(use), table(use), [stillRented(use)]];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function bars({ machines, end }: ToldUse): string[] {
  const machine = mainMachine(machines);
  if (machine === undefined) return [];
  return ["```text", ...stageBars(stagesOf(machine.report.at, end)), "```"];
}

function table(use: ToldUse): string[] {
  const { machines, taken, end } = use;
  if (machines.length === 0) return takenLine(taken);
  const all = machines.length > 1 ? ` for ${machines.length} machines` : "";
  return [
    "| # | offer | instance | GPU | machine | price per hour | got to | jobs | why it ended | rented for | cost |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
    ...machines.map((machine, index) => row(machine, index, end)),
    "",
    ...takenLine(taken),
    `About ${formatPrice(costOf(machines))} in all${all}, ${bytesInWords({ machines, end })}: from prices, times and what the service showed.`,
    ...sumLines(use),
    ...(isUnused(use) ? [UNUSED] : []),
  ];
}

function row({ report, cost }: ToldMachine, index: number, end: number): string {
  const { n, offer, instance, gpu, machine, price, gotTo, why, rentedFor } = attemptOf(report, index, end);
  const cells = [
    n,
    offer,
    instance,
    withoutMarkdown(gpu),
    machine,
    price,
    gotTo,
    jobsOf(report),
    withoutMarkdown(why),
    rentedFor,
  ];
  return `| ${[...cells, formatPrice(cost)].join(" | ")} |`;
}

function jobsOf({ jobs = [] }: Report): string {
  const shown = jobs.map(({ name, conclusion, seconds }) => {
    const time = seconds === undefined ? "" : `, ${formatDuration(seconds * 1000)}`;
    return `${name} (${conclusion ?? "not seen to end"}${time})`;
  });
  return withoutMarkdown(shown.join(", ")) || "–";
}

function stillRented({ undestroyed, wasAsked }: ToldUse): string {
  if (undestroyed.length > 0) {
    const what = undestroyed.map((each) => withoutMarkdown(each)).join(", ");
    return `**May still be billing: ${what}.** Destroy it in the service's console.`;
  }
  return `**Still rented: nothing** (${wasAsked ? "the service was asked" : "no create was ever sent"}).`;
}
