import { formatPrice } from "../../money/format-price.ts";
import type { StuckRun } from "../../sweep/cancel-stuck-runs.ts";
import { aliveAfter, type Fate, type Sweep } from "../../sweep/sweep.ts";
import { withoutMarkdown } from "../../text/foreign-text.ts";
import { formatDuration } from "../../time/duration.ts";

/** All that a sweep has to tell. `now` in milliseconds since the epoch; `runsUrl`: where the pages of runs are. */
export interface SweepReport {
  sweep: Sweep;
  stuck: readonly StuckRun[];
  runsUrl: string;
  now: number;
}

const FATES: Record<Fate["kind"], string> = {
  destroyed: "destroyed",
  "was-gone": "had given itself back",
  "would-go": "would be destroyed",
  refused: "**could not be destroyed**",
  left: "left",
};

const OUTCOMES: Record<StuckRun["outcome"], string> = {
  cancelled: "cancelled",
  "would-cancel": "would be cancelled",
  failed: "**could not be cancelled**",
};

/** The same as the summary in a few lines for the log. */
export function sweepLines({ sweep, now }: SweepReport): string[] {
  const left = sweep.ours.filter(({ fate }) => fate.kind === "left");
  const lines = left.map(({ owned, fate }) => `Instance ${owned.id} is left: ${fate.why}.`);
  return [counts(sweep), ...lines, oldest(sweep, now)];
}

/** The job summary, in Markdown. Foreign text in it is harmless. */
export function sweepMarkdown(report: SweepReport): string {
  const { sweep, now } = report;
  const rows = sweep.ours.map(({ owned, fate }) => {
    const { id, label } = owned;
    return `| ${id} | ${label.runId} | ${label.attempt} | ${FATES[fate.kind]} | ${withoutMarkdown(fate.why)} |`;
  });
  const table = ["| instance | run | attempt | what became of it | why |", "|---|---|---|---|---|", ...rows, ""];
  return [
    "### Sweep of GPU machines",
    "",
    counts(sweep),
    "",
    ...(rows.length > 0 ? table : []),
    oldest(sweep, now),
    "",
    ...stuckMarkdown(report),
  ].join("\n");
}

function counts({ seen, foreign, ours }: Sweep): string {
  const count = (...kinds: Fate["kind"][]) => ours.filter(({ fate }) => kinds.includes(fate.kind)).length;
  const wouldGo = count("would-go") > 0 ? `${count("would-go")} would be destroyed (dry run), ` : "";
  const refused = count("refused") > 0 ? `, ${count("refused")} could not be destroyed` : "";
  return (
    `Instances of the account: ${seen}. Of this repository: ${ours.length}. Somebody else's, left alone: ${foreign}. ` +
    `Of ours, ${wouldGo}${count("destroyed")} destroyed, ${count("was-gone")} gone by themselves, ${count("left")} left${refused}.`
  );
}

function oldest(sweep: Sweep, now: number): string {
  const [first] = aliveAfter(sweep);
  if (first === undefined) return "No machine of this repository is alive.";
  const age = first.startedAt === undefined ? "of unknown age" : `${formatDuration(now - first.startedAt)} old`;
  const price = first.pricePerHour === undefined ? "" : `, ${formatPrice(first.pricePerHour)} per hour`;
  return `The oldest machine of this repository that is alive: instance ${first.id}, ${age}${price}.`;
}

function stuckMarkdown({ stuck, runsUrl }: SweepReport): string[] {
  if (stuck.length === 0) return [];
  const rows = stuck.map(({ runId, attempt, waitedMs, outcome }) => {
    const link = `[${runId}](${runsUrl}/${runId})`;
    return `| ${link} | ${attempt} | ${formatDuration(waitedMs)} | ${OUTCOMES[outcome]} |`;
  });
  return [
    "**Stuck runs.** Their GPU job waited for a machine that nobody rents any more: the job that rents is over, or only the GPU job was " +
      'run again. "Re-run failed jobs" and "Re-run all jobs" run both.',
    "",
    "| run | attempt | waited for | what became of it |",
    "|---|---|---|---|",
    ...rows,
    "",
  ];
}
