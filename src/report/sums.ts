import { actualCost } from "../money/cost.ts";
import { formatPrice } from "../money/price.ts";
import { counted } from "../shared/counted.ts";
import { sparesOf } from "./job-costs.ts";
import { holderOf } from "./receipt.ts";
import { costOf, type SessionReport } from "./told-use.ts";

/** For the log and the summary. */
export const UNUSED = "No job ever used a machine of this step.";

/** True when machines were rented, and the jobs could be seen, and none was on one. */
export function isUnused({ jobs, machines }: Pick<SessionReport, "jobs" | "machines">): boolean {
  const hasRun = jobs?.ours.some(({ runnerName, state }) => state === "running" || runnerName !== undefined);
  return machines.length > 0 && hasRun === false && machines.every(({ report }) => !report.jobs?.length);
}

/** The cost of the use in parts, by job and for spares, and how many such runs are left. */
export function sumLine(use: Pick<SessionReport, "context" | "destroyed" | "end" | "machines">): string {
  const { context, end, machines } = use;
  const { bytes, total } = costOf(use);
  const github = context === undefined ? 0 : holderOf(context.startedAt, end).usd;
  const parts = [
    `machines ${bare(total - (bytes ?? 0))}`,
    bytes === undefined ? "bytes not counted" : `bytes ${bare(bytes)}${uncounted(use)}`,
    context === undefined ? "GitHub not known" : `and ${bare(github)} more for GitHub if the repository is private`,
  ];
  const count = machines.reduce((sum, { report }) => sum + (report.jobs?.length ?? 0), 0);
  return [
    `${formatPrice(total)}: ${parts.join(", ")}.`,
    ...(count === 0 ? [] : [`${bare(total / count)} a job (${count}).`]),
    ...spareSentence(use),
    ...unknownSentence(use),
    ...creditSentence(context?.credit, total),
  ].join(" ");
}

/** Follows the sum of bytes that only some machines have. */
export function uncounted({ end, machines }: Pick<SessionReport, "end" | "machines">): string {
  const without = machines.filter(({ report }) => actualCost(report, end).bytes === undefined).length;
  return without === 0 ? "" : ` (those of ${counted(without, "machine")} not counted)`;
}

/** The part of the sum that went to machines that no job needed, if any. */
export function spareSentence({ end, machines }: Pick<SessionReport, "end" | "machines">): string[] {
  const reports = machines.map(({ report }) => report);
  const { machines: spares, total } = sparesOf(reports, end);
  if (spares === 0) return [];
  return [`${bare(total)} of it for ${counted(spares, "spare")} that no job needed.`];
}

/** The cost of what post destroyed is in no sum where main had written down nothing of it. */
export function unknownSentence({ destroyed, machines }: Pick<SessionReport, "destroyed" | "machines">): string[] {
  const told = new Set(machines.map(({ report }) => report.instanceId));
  const unknown = destroyed.filter((id) => !told.has(id));
  if (unknown.length === 0) return [];
  const [what, them] = unknown.length === 1 ? ["instance", "it"] : ["instances", "them"];
  return [`What ${what} ${unknown.join(", ")} cost is not known: nothing was written down of ${them}.`];
}

function creditSentence(credit: number | undefined, total: number): string[] {
  if (credit === undefined || total <= 0) return [];
  const left = Math.max(0, credit - total);
  const runs = Math.floor(left / total);
  return [
    `Credit about ${bare(left)}, ${runs === 0 ? "too little for another such run" : `some ${counted(runs, "such run")}`}.`,
  ];
}

/** After the first sum the currency is known. */
function bare(usd: number): string {
  return formatPrice(usd).replace(" USD", "");
}
