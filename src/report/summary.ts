import { figureChart, NOT_REPORTED } from "../gpu-figures/show.ts";
import type { RanJob } from "../machine/record.ts";
import { actualCost, holderCost } from "../money/cost.ts";
import { formatAbout, formatPrice } from "../money/price.ts";
import type { SessionDestroyed } from "../release/destroy-session.ts";
import type { Ledger, MainEnd, TrendRow } from "../release/ledger.ts";
import { takenFrom } from "../runs/decide-end.ts";
import type { Clock } from "../shared/clock.ts";
import { formatDuration } from "../shared/duration.ts";
import { withoutMarkdown } from "../shared/foreign-text.ts";
import type { Log } from "../shared/log.ts";
import { firstMatch } from "../shared/rows.ts";
import { capitalized, counted, firstSentence, markdownTable } from "../shared/text.ts";
import { ganttChart } from "./gantt.ts";
import { gpuOf, machineTable, type NumberedRecord, type Shows, takenLine } from "./machine-table.ts";
import { sparesOf, writeReceipt } from "./receipt.ts";
import {
  costOf,
  mainMachine,
  plainRecords,
  type SessionReport,
  type Surroundings,
  sessionReport,
} from "./session-report.ts";
import type { StepPage } from "./step-page.ts";

/** Enough for four jobs with names of 100 characters. */
const LONGEST_CELL = 600;

/** Writes the job summary in Markdown: result, stages, costs and more. Foreign text in it is made harmless. */
export function summaryMarkdown(report: SessionReport): string {
  const { title, details, next } = outcomeOf(report);
  const parts = [
    [`### ${title}`],
    ...details.map((detail) => [detail]),
    ganttChart(report.machines, report.end),
    table(report),
    textBlock(figureChart(report.machines)),
    (report.lessons?.advice ?? []).map((line) => `- ${escaped(line)}`),
    trendTable(report.lessons?.trend ?? []),
    next === undefined ? [] : [`**What to do:** ${next}`],
    [stillRented(report)],
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function textBlock(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["```text", ...lines, "```"];
}

function table(report: SessionReport): string[] {
  const { machines, taken, end } = report;
  if (machines.length === 0) return [...takenLine(taken), ...unknownSentence(report)];
  return [
    ...markdownTable(machineTable(machines, end, inMarkdown(report))),
    "",
    ...takenLine(taken),
    costLine(report),
    ...unusedSentence(report),
  ];
}

/** Makes foreign text harmless, and a job's name a link to its page. */
function inMarkdown({ runUrl }: SessionReport): Shows {
  const text = (cell: string) => withoutMarkdown(cell, LONGEST_CELL);
  const job = ({ id, name }: RanJob) =>
    id === undefined || runUrl === undefined ? text(name) : `[${text(name)}](${runUrl}/job/${id})`;
  return { text, job };
}

/** How many runs the summary's table has. */
const MOST_SHOWN_RUNS = 10;

/** Makes a table of the last runs in Markdown, with cost, wait and boot of each; empty for one run alone. */
export function trendTable(rows: readonly TrendRow[]): string[] {
  if (rows.length < 2) return [];
  const shown = rows
    .slice(-MOST_SHOWN_RUNS)
    .map(({ at, bootSeconds, run, usd, waitSeconds }) => [
      String(run),
      new Date(at).toISOString().slice(0, 16).replace("T", " "),
      formatPrice(usd),
      lengthOf(waitSeconds),
      lengthOf(bootSeconds),
    ]);
  return [
    `The last ${shown.length} runs:`,
    "",
    ...markdownTable([["run", "ended (UTC)", "cost", "wait", "boot"], ...shown]),
  ];
}

function lengthOf(seconds: number | undefined): string {
  return seconds === undefined ? NOT_REPORTED : formatDuration(seconds * 1000);
}

function stillRented({ undestroyed }: SessionReport): string {
  if (undestroyed.length > 0) {
    const what = undestroyed.map((each) => withoutMarkdown(each)).join(", ");
    return `**May still be billing: ${what}.** Destroy it in the service's console.`;
  }
  return "**Still rented: nothing.**";
}

/** The result of a session in Markdown: what happened in one sentence, more, and what to do next. Foreign text in it is harmless. */
interface Outcome {
  title: string;
  details: string[];
  next?: string | undefined;
}

const MOST_ERROR_CHARACTERS = 600;
/** The likely cause of a signal without a cancel: nothing else sends one. */
const STEP_TIMEOUT =
  "timeout-minutes of this step ran out, and the job itself was not cancelled. Set timeout-minutes on the job instead.";
const CUT_OFF = "The main step was cut off before it could say how it ended.";
const KILLED =
  "The main step was killed: for want of memory, by timeout-minutes of this step, or with the machine that it ran on. Set timeout-minutes on the job, not on the step.";

/** The ways in which a session can have come out, worst first. The first rule that returns something counts. */
const OUTCOME_ROWS: readonly ((report: SessionReport) => Outcome | undefined)[] = [
  ({ undestroyed, mainEnd }) =>
    undestroyed.length > 0 ? { title: "A machine may still be billing.", ...failureDetails(mainEnd) } : undefined,
  takenFromJob,
  failure,
  stop,
  ({ mainEnd }) => (mainEnd === undefined ? { title: CUT_OFF, details: [KILLED] } : undefined),
  success,
];

/** Says how a session came out; what costs money or a job comes first. */
export function outcomeOf(report: SessionReport): Outcome {
  return firstMatch(OUTCOME_ROWS, report) ?? { title: whatIsLeft(report), details: [] };
}

function takenFromJob(report: SessionReport): Outcome | undefined {
  const { destroyed, jobs, jobStatus, mainEnd } = report;
  const from = takenFrom(jobs, { jobStatus, tookAway: destroyed.length > 0 });
  if (from === undefined) return undefined;
  const why =
    mainEnd?.kind === "failed"
      ? failureDetails(mainEnd)
      : { details: [whyItEnded(jobStatus, mainEnd), ...leftSentence(report)] };
  const under = {
    running: "under a running job",
    robbed: "as the GPU job ended badly",
    waiting: "while the GPU job was waiting for it",
  };
  return { title: `The machine was given back ${under[from]}.`, ...why };
}

/** Says which machines post left for some seconds after a cancel, so that their runners could end their jobs. */
function leftSentence({ leftForJobs = [] }: SessionReport): string[] {
  if (leftForJobs.length === 0) return [];
  const [what, its] = leftForJobs.length === 1 ? ["Instance", "its runner"] : ["Instances", "their runners"];
  return [`${what} ${leftForJobs.join(", ")} stayed up to 30 s longer, so that ${its} could end the job.`];
}

function whyItEnded(jobStatus: string, mainEnd: MainEnd | undefined): string {
  if (jobStatus === "cancelled") return "The job that rents was cancelled.";
  if (mainEnd === undefined) return "The main step was cut off.";
  return mainEnd.kind === "stopped" ? STEP_TIMEOUT : "The job that rents ended before the GPU job did.";
}

function failure(report: SessionReport): Outcome | undefined {
  const { mainEnd, machines } = report;
  if (mainEnd?.kind !== "failed") return undefined;
  const outcome = failureDetails(mainEnd);
  // The table shows each machine that was tried, so the whole message would say it twice.
  if (mainEnd.what === "no-machine" && machines.length === 0)
    return { title: "No machine could be rented.", ...outcome };
  const ran = mainEnd.what === "job-failed" ? machineSentence(report, "It ran on") : [];
  return { title: escaped(withoutLinks(firstSentence(mainEnd.message))), details: ran, next: outcome.next };
}

/** Leaves out the addresses behind names: the table has links. */
function withoutLinks(text: string): string {
  return text.replace(/ \(https?:\/\/[^\s)]+\)/g, "").replace(/: https?:\/\/[^\s),]+/g, "");
}

function failureDetails(mainEnd: MainEnd | undefined): Pick<Outcome, "details" | "next"> {
  if (mainEnd?.kind !== "failed") return { details: [] };
  const { message, hint } = mainEnd;
  return { details: [escaped(message)], next: hint && escaped(hint) };
}

function nothingLeft({ isUncertain }: Pick<SessionReport, "isUncertain">): string {
  return isUncertain
    ? "Nothing is rented any more. What came of one create is not known: nothing of it is listed."
    : "Nothing was rented.";
}

function whatIsLeft(report: SessionReport): string {
  return wasRented(report) ? "What was rented is given back." : nothingLeft(report);
}

/** True if anything was rented. Main may have written down nothing of what post destroyed. */
function wasRented({ destroyed, machines }: SessionReport): boolean {
  return machines.length > 0 || destroyed.length > 0;
}

function stop(report: SessionReport): Outcome | undefined {
  const { jobStatus, mainEnd } = report;
  const end = whatIsLeft(report);
  if (jobStatus === "cancelled") return { title: `The job was cancelled. ${end}`, details: leftSentence(report) };
  if (mainEnd?.kind !== "stopped") return undefined;
  return { title: `The step was stopped before the GPU job was over. ${end}`, details: [STEP_TIMEOUT] };
}

function success(report: SessionReport): Outcome | undefined {
  if (report.mainEnd?.kind === "no-job") return { title: escaped(firstSentence(report.mainEnd.message)), details: [] };
  const [title] = machineSentence(report, report.mainEnd?.kind === "over" ? "The GPU job ran on" : "Rented:");
  return title === undefined ? undefined : { title, details: [] };
}

/** Says what ran where, such as: The GPU job ran on 1 × RTX 4090 at 0.35 USD per hour: about 0.06 USD, 9m. */
function machineSentence(report: SessionReport, begin: string): string[] {
  const { machines, end } = report;
  const machine = mainMachine(machines);
  if (machine === undefined) return [];
  const what = isUnused(report) ? "Rented:" : begin;
  const { total } = costOf(report);
  const cost = total === 0 ? "it cost nothing" : formatAbout(total);
  const served = machines.filter(({ record }) => record.jobs?.length);
  const jobs = served.flatMap(({ record }) => record.jobs ?? []).length;
  const where = served.length === 1 ? "one machine" : `${served.length} machines`;
  if (jobs > 1) return [`${jobs} GPU jobs ran on ${where}: ${cost}, ${formatDuration(longest(machines, end))}.`];
  const { at, price } = machine.record;
  const time = formatDuration((at.gone ?? end) - (at.created ?? at.asked));
  return [`${what} ${escaped(gpuOf(machine.record))} at ${formatPrice(price.total)} per hour: ${cost}, ${time}.`];
}

function longest(machines: readonly NumberedRecord[], end: number): number {
  const at = machines.map(({ record }) => record.at);
  return Math.max(...at.map(({ gone }) => gone ?? end)) - Math.min(...at.map(({ asked }) => asked));
}

function escaped(text: string): string {
  return withoutMarkdown(text, MOST_ERROR_CHARACTERS);
}

/** Says that no job used a machine. After a cancel that is no news. */
function unusedSentence(report: SessionReport): string[] {
  return isUnused(report) && report.jobStatus !== "cancelled" ? ["No job ever used a machine of this step."] : [];
}

/** True if machines were rented and nobody used any, as far as the jobs could be seen. */
function isUnused({ jobs, machines, mainEnd }: Pick<SessionReport, "jobs" | "machines" | "mainEnd">): boolean {
  // With `hold: false` it may have been for later steps, of which nobody tells us.
  const isForSteps = mainEnd?.kind === "ready" && jobs?.ours.length === 0;
  const hasRun = jobs?.ours.some(({ runnerName, state }) => state === "running" || runnerName !== undefined);
  const isNoneSeen = hasRun === false && machines.every(({ record }) => !record.jobs?.length);
  return machines.length > 0 && isNoneSeen && !isForSteps;
}

/** Says what the session cost: its parts, for spares, on GitHub, and what credit is left. */
function costLine(report: Pick<SessionReport, "context" | "destroyed" | "end" | "machines">): string {
  const { context, end, machines } = report;
  const { bytes, total } = costOf(report);
  const ofTraffic = bytes === undefined ? "traffic not counted" : `${bare(bytes)} for traffic${uncounted(report)}`;
  const isFree = total === 0 && bytes !== undefined;
  const cost = isFree
    ? "It cost nothing."
    : `It cost ${formatAbout(total)}: ${bare(total - (bytes ?? 0))} for machines, ${ofTraffic}.`;
  return [
    ...(machines.length === 0 ? [] : [cost]),
    ...spareSentence(report),
    ...unknownSentence(report),
    holderSentence(context, end),
    ...creditSentence(context?.credit, total),
  ].join(" ");
}

function uncounted({ end, machines }: Pick<SessionReport, "end" | "machines">): string {
  const without = machines.filter(({ record }) => actualCost(record, end).bytes === undefined).length;
  return without === 0 ? "" : ` (that of ${counted(without, "machine")} not counted)`;
}

function spareSentence({ end, machines }: Pick<SessionReport, "end" | "machines">): string[] {
  const { machines: spares, total } = sparesOf(plainRecords(machines), end);
  return spares === 0 ? [] : [`${bare(total)} of it for ${counted(spares, "spare")} that no job needed.`];
}

/** Says which machines' costs are not known: post destroyed them, and main had written down nothing about them. */
function unknownSentence({ destroyed, machines }: Pick<SessionReport, "destroyed" | "machines">): string[] {
  const known = new Set(machines.map(({ record }) => record.instanceId));
  const unknown = destroyed.filter((id) => !known.has(id));
  if (unknown.length === 0) return [];
  const [what, them] = unknown.length === 1 ? ["instance", "it"] : ["instances", "them"];
  return [`What ${what} ${unknown.join(", ")} cost is not known: nothing was written down of ${them}.`];
}

function holderSentence(context: SessionReport["context"], end: number): string {
  if (context === undefined) return "What this step cost on its own runner is not known.";
  const { minutes, usd } = holderCost(end - context.startedAt);
  return `This step took ${minutes} min on its own runner: ${formatPrice(usd)} in a private repository.`;
}

function creditSentence(credit: number | undefined, total: number): string[] {
  if (credit === undefined || total <= 0) return [];
  const left = credit - total;
  if (left <= 0) return ["No credit is left."];
  const isShort = left < total ? ", too little for another such run" : "";
  return [`${capitalized(formatAbout(left))} of credit is left${isShort}.`];
}

function bare(usd: number): string {
  return formatPrice(usd).replace(" USD", "");
}

/** Reports in the log, the receipt and the summary. Returns what belongs on the run's page, too. */
export async function reportSession(
  { clock, log, page }: { clock: Clock; log: Log; page: StepPage },
  ledger: Ledger,
  used: SessionDestroyed,
  around: Surroundings,
): Promise<{ isCutOff: boolean; notes: string[] }> {
  const report = sessionReport(ledger, used, around, clock.now());
  if (wasRented(report) || report.undestroyed.length > 0) {
    const isOver = report.undestroyed.length === 0;
    log.info(`${isOver ? "Nothing is rented any more. " : ""}${costLine(report)}`);
    const { context, end: now, machines, undestroyed: mayStillBill } = report;
    const facts = { now, labelPrefix: ledger.prefix ?? "", context, records: plainRecords(machines), mayStillBill };
    const path = writeReceipt({ log, page, sessionId: ledger.sessionId ?? "" }, { state: "ended", ...facts });
    if (path !== "") log.info(`The receipt is in ${path}.`);
  } else log.info(nothingLeft(report));
  await page.summarize(summaryMarkdown(report));
  return { isCutOff: cutOff(report) !== undefined, notes: notesOf(report) };
}

/** Says why main could not come to its end, other than by a cancel; undefined if it could. */
function cutOff({ jobStatus, mainEnd }: SessionReport): string | undefined {
  if (jobStatus === "cancelled") return undefined;
  if (mainEnd === undefined) return KILLED;
  return mainEnd.kind === "stopped" ? STEP_TIMEOUT : undefined;
}

/** Lists what people must see on the run's page, where no summary is shown, but for what main's error said. */
function notesOf(report: SessionReport): string[] {
  const { mainEnd, undestroyed } = report;
  const why = cutOff(report);
  return [
    ...(why === undefined ? [] : [why, ...(undestroyed.length === 0 ? [whatIsLeft(report)] : [])]),
    ...(mainEnd?.kind === "failed" ? [] : unusedSentence(report)),
  ];
}
