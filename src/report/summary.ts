import { actualCost } from "../money/cost.ts";
import { formatAbout, formatPrice } from "../money/price.ts";
import type { Clock } from "../shared/clock.ts";
import { formatDuration } from "../shared/duration.ts";
import { withoutMarkdown } from "../shared/foreign-text.ts";
import type { Log } from "../shared/log.ts";
import { capitalized, counted, markdownTable } from "../shared/text.ts";
import type { SessionDestroyed } from "../teardown/destroy-session.ts";
import type { Ledger, MainEnd } from "../teardown/ledger.ts";
import { figureChart } from "./gpu-figures.ts";
import { gpuOf, machineTable, type NumberedReport, takenLine, timelines } from "./machine-table.ts";
import { holderOf, receiptPath, sparesOf, writeReceipt } from "./receipt.ts";
import { costOf, mainMachine, type SessionReport, type Surroundings, sessionReport } from "./session-report.ts";
import type { StepPage } from "./step-page.ts";
import { trendTable } from "./trend.ts";

/** Enough for four jobs with names of 100 characters. */
const LONGEST_CELL = 600;

/** Writes the job summary in Markdown: result, stages, costs and more. Foreign text in it is made harmless. */
export function summaryMarkdown(use: SessionReport): string {
  const { title, details } = outcomeOf(use);
  const parts = [
    [`### ${title}`],
    ...details.map((detail) => [detail]),
    bars(use),
    table(use),
    figures(use),
    (use.lessons?.advice ?? []).map((line) => `- ${escaped(line)}`),
    trendTable(use.lessons?.trend ?? []),
    [stillRented(use)],
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function bars({ machines, end }: SessionReport): string[] {
  return machines.length === 0 ? [] : ["```text", ...timelines(machines, end), "```"];
}

function figures({ machines }: SessionReport): string[] {
  const chart = figureChart(machines);
  return chart.length === 0 ? [] : ["```text", ...chart, "```"];
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

/** The result of a session in Markdown: a title and details. Foreign text in it is harmless. */
interface Outcome {
  title: string;
  details: string[];
}

const MOST_CHARACTERS = 600;
/** The likely cause of a signal without a cancel: nothing else sends one. */
export const STEP_TIMEOUT =
  "timeout-minutes of this step ran out, and the job itself was not cancelled. Set timeout-minutes on the job instead.";

/** How a session can have come out, worst first. The first rule that returns something counts. */
const RULES: readonly ((use: SessionReport) => Outcome | undefined)[] = [
  ({ undestroyed, mainEnd }) =>
    undestroyed.length > 0 ? { title: "A machine may still be billing.", details: failureDetails(mainEnd) } : undefined,
  takenFromJob,
  failure,
  stop,
  ({ mainEnd }) =>
    mainEnd === undefined
      ? {
          title: "The main step was cut off before it could say how it ended.",
          details: ["It was killed, or the machine that it ran on was lost."],
        }
      : undefined,
  success,
];

/** Says how a session came out; what costs money or a job comes first. */
export function outcomeOf(use: SessionReport): Outcome {
  const outcomes = RULES.map((rule) => rule(use));
  return outcomes.find((outcome) => outcome !== undefined) ?? { title: whatIsLeft(use), details: [] };
}

/** Reports a session whose end took a machine from a job. */
function takenFromJob(use: SessionReport): Outcome | undefined {
  const { destroyed, jobs, jobStatus, mainEnd } = use;
  if (destroyed.length === 0 || jobs === undefined) return undefined;
  const why =
    mainEnd?.kind === "failed" ? failureDetails(mainEnd) : [reasonOf(jobStatus, mainEnd), ...leftSentence(use)];
  const has = (state: string) => jobs.ours.some((job) => job.state === state);
  if (has("running")) return { title: "The machine was given back under a running job.", details: why };
  const isWaiting = has("waiting") && jobStatus === "success";
  return isWaiting
    ? { title: "The machine was given back while the GPU job was waiting for it.", details: why }
    : undefined;
}

/**
 * Says which machines post left for some seconds after a cancel, so that their runners could end
 * the step and store the log.
 */
function leftSentence({ leftForJobs = [] }: SessionReport): string[] {
  if (leftForJobs.length === 0) return [];
  const [what, its] = leftForJobs.length === 1 ? ["Instance", "its runner"] : ["Instances", "their runners"];
  return [`${what} ${leftForJobs.join(", ")} stayed up to 30 s longer, so that ${its} could end the job.`];
}

function reasonOf(jobStatus: string, mainEnd: MainEnd | undefined): string {
  if (jobStatus === "cancelled") return "The job that rents was cancelled.";
  if (mainEnd === undefined) return "The main step was cut off.";
  return mainEnd.kind === "stopped" ? STEP_TIMEOUT : "The job that rents ended before the GPU job did.";
}

function failure(use: SessionReport): Outcome | undefined {
  const { mainEnd, machines } = use;
  if (mainEnd?.kind !== "failed") return undefined;
  const details = failureDetails(mainEnd);
  // The table tells of each machine that was tried: the whole message would say it twice.
  if (mainEnd.what === "no-machine" && machines.length === 0) return { title: "No machine could be had.", details };
  const ran = mainEnd.what === "job-failed" ? machineSentence(use, "It ran on") : [];
  return { title: escaped(firstSentence(mainEnd.message)), details: [...ran, ...details.slice(1)] };
}

/** Gives the whole message of the failure, and what to do. */
function failureDetails(mainEnd: MainEnd | undefined): string[] {
  if (mainEnd?.kind !== "failed") return [];
  const { message, hint } = mainEnd;
  return [escaped(message), ...(hint === undefined ? [] : [`What to do: ${escaped(hint)}`])];
}

/** Says that nothing is rented, if no machine was ever seen. */
export function nothingLeft({ isUncertain }: Pick<SessionReport, "isUncertain">): string {
  return isUncertain
    ? "Nothing is rented any more. What came of one create is not known: nothing of it is listed."
    : "Nothing was rented.";
}

/** Says what is left after a main that was stopped: it may have written down nothing of what post destroyed. */
function whatIsLeft(use: SessionReport): string {
  const wasRented = use.machines.length > 0 || use.destroyed.length > 0;
  return wasRented ? "What was rented is given back." : nothingLeft(use);
}

function stop(use: SessionReport): Outcome | undefined {
  const { jobStatus, mainEnd } = use;
  const end = whatIsLeft(use);
  if (jobStatus === "cancelled") return { title: `The job was cancelled. ${end}`, details: leftSentence(use) };
  if (mainEnd?.kind !== "stopped") return undefined;
  return {
    title: `The step was stopped before the GPU job was over. ${end}`,
    details: [STEP_TIMEOUT],
  };
}

function success(use: SessionReport): Outcome | undefined {
  if (use.mainEnd?.kind === "no-job") return { title: escaped(firstSentence(use.mainEnd.message)), details: [] };
  const [title] = machineSentence(use, use.mainEnd?.kind === "over" ? "The GPU job ran on" : "Rented:");
  return title === undefined ? undefined : { title, details: [] };
}

/** Such as: The GPU job ran on 1 × RTX 4090 at 0.35 USD per hour: about 0.06 USD, 9m. */
function machineSentence(use: SessionReport, begin: string): string[] {
  const { machines, end } = use;
  const machine = mainMachine(machines);
  if (machine === undefined) return [];
  const what = isUnused(use) ? "Rented:" : begin;
  const { total } = costOf(use);
  const cost = total === 0 ? "it cost nothing" : formatAbout(total);
  const served = machines.filter(({ report }) => report.jobs?.length);
  const jobs = served.flatMap(({ report }) => report.jobs ?? []).length;
  if (jobs > 1)
    return [
      `${jobs} GPU jobs ran on ${served.length === 1 ? "one machine" : `${served.length} machines`}: ${cost}, ${formatDuration(longest(machines, end))}.`,
    ];
  const { at, price } = machine.report;
  const time = formatDuration((at.gone ?? end) - (at.created ?? at.asked));
  return [`${what} ${escaped(gpuOf(machine.report))} at ${formatPrice(price.total)} per hour: ${cost}, ${time}.`];
}

/** From the first create to the last end, in milliseconds. */
function longest(machines: readonly NumberedReport[], end: number): number {
  const at = machines.map(({ report }) => report.at);
  return Math.max(...at.map(({ gone }) => gone ?? end)) - Math.min(...at.map(({ asked }) => asked));
}

/** Cuts a text after its first sentence. The dot in 0.60, or one before a small letter, ends no sentence. */
export function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s+["(]?\p{Lu}|\s*$)/u.exec(text)?.[0] ?? text;
}

function escaped(text: string): string {
  return withoutMarkdown(text, MOST_CHARACTERS);
}

/** The sentence for a session whose machines no job used. */
export const UNUSED = "No job ever used a machine of this step.";

/** True if machines were rented and no job ran on any, as far as the jobs could be seen. */
export function isUnused({ jobs, machines }: Pick<SessionReport, "jobs" | "machines">): boolean {
  const hasRun = jobs?.ours.some(({ runnerName, state }) => state === "running" || runnerName !== undefined);
  return machines.length > 0 && hasRun === false && machines.every(({ report }) => !report.jobs?.length);
}

/** Tells what the session cost, in parts, by job and for spares, and how many such runs the credit pays. */
function sumLine(use: Pick<SessionReport, "context" | "destroyed" | "end" | "machines">): string {
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

/** Says for how many machines bytes are not counted; empty if for none. */
export function uncounted({ end, machines }: Pick<SessionReport, "end" | "machines">): string {
  const without = machines.filter(({ report }) => actualCost(report, end).bytes === undefined).length;
  return without === 0 ? "" : ` (those of ${counted(without, "machine")} not counted)`;
}

/** Says what machines that no job needed cost; empty if there were none. */
export function spareSentence({ end, machines }: Pick<SessionReport, "end" | "machines">): string[] {
  const reports = machines.map(({ report }) => report);
  const { machines: spares, total } = sparesOf(reports, end);
  if (spares === 0) return [];
  return [`${bare(total)} of it for ${counted(spares, "spare")} that no job needed.`];
}

/** Says which machines' costs are not known: post destroyed them, and main had written down nothing about them. */
export function unknownSentence({ destroyed, machines }: Pick<SessionReport, "destroyed" | "machines">): string[] {
  const told = new Set(machines.map(({ report }) => report.instanceId));
  const unknown = destroyed.filter((id) => !told.has(id));
  if (unknown.length === 0) return [];
  const [what, them] = unknown.length === 1 ? ["instance", "it"] : ["instances", "them"];
  return [`What ${what} ${unknown.join(", ")} cost is not known: nothing was written down of ${them}.`];
}

function creditSentence(credit: number | undefined, total: number): string[] {
  if (credit === undefined || total <= 0) return [];
  const left = credit - total;
  if (left <= 0) return ["No credit is left."];
  const runs = Math.floor(left / total);
  const enough = runs === 0 ? "too little for another such run" : `enough for ${counted(runs, "such run")}`;
  return [`${capitalized(formatAbout(left)).replace(" USD", "")} of credit is left, ${enough}.`];
}

/** Formats a sum without its currency. */
function bare(usd: number): string {
  return formatPrice(usd).replace(" USD", "");
}

/** Where a report goes. */
interface Reporting {
  clock: Clock;
  log: Log;
  page: StepPage;
}

/**
 * Reports what was rented and what it cost: in the log, in the receipt and in the job's summary.
 * Returns what belongs on the run's page, too.
 */
export async function reportSession(
  { clock, log, page }: Reporting,
  ledger: Ledger,
  used: SessionDestroyed,
  around: Surroundings,
): Promise<string[]> {
  const use = sessionReport(ledger, used, around, clock.now());
  const wasRented = use.machines.length > 0 || use.destroyed.length > 0;
  if (!wasRented && use.undestroyed.length === 0) log.info(nothingLeft(use));
  if (wasRented && use.undestroyed.length === 0) log.info(`Nothing is rented any more. ${costSentence(use)}`);
  if (wasRented || use.undestroyed.length > 0) logReceipt(log, page, ledger, use);
  await page.summarize(summaryMarkdown(use));
  return notesOf(use);
}

/** The summary alone is not seen on the run's page. An error of main has said what there is to say. */
function notesOf(use: SessionReport): string[] {
  const { jobStatus, mainEnd } = use;
  const isTimeout = mainEnd?.kind === "stopped" && jobStatus !== "cancelled";
  return [
    ...(isTimeout ? [STEP_TIMEOUT, ...(use.undestroyed.length === 0 ? [whatIsLeft(use)] : [])] : []),
    ...(isUnused(use) && mainEnd?.kind !== "failed" ? [UNUSED] : []),
  ];
}

/** Writes the last receipt, and logs what the job that rented costs. */
function logReceipt(
  log: Log,
  page: StepPage,
  { prefix = "", sessionId = "" }: Ledger,
  { context, end: now, machines, undestroyed }: SessionReport,
): void {
  if (context !== undefined) {
    const { minutes, usd } = holderOf(context.startedAt, now);
    log.info(`This step took ${minutes} min on its own runner: ${formatPrice(usd)} in a private repository.`);
  }
  const reports = machines.map(({ report }) => report);
  const facts = { state: "ended", now, labelPrefix: prefix, context, reports, mayStillBill: undestroyed } as const;
  const receipt = writeReceipt(log, receiptPath(page.folder(), sessionId), facts);
  if (receipt !== "") log.info(`The receipt is in ${receipt}.`);
}

function costSentence(use: SessionReport): string {
  const { bytes, total } = costOf(use);
  const ofBytes = bytes === undefined ? "bytes not counted" : `${formatPrice(bytes)} of it for bytes${uncounted(use)}`;
  const isFree = total === 0 && bytes !== undefined;
  const known = isFree ? ["It cost nothing."] : [`It cost ${formatAbout(total)}, ${ofBytes}.`, ...spareSentence(use)];
  return [...(use.machines.length === 0 ? [] : known), ...unknownSentence(use)].join(" ");
}
