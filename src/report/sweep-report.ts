import { formatPrice } from "../money/price.ts";
import type { Owned } from "../release/leftovers.ts";
import { aliveAfter, type Sweep, type Swept } from "../release/sweep.ts";
import type { LostRun } from "../runs/lost-runs.ts";
import type { StuckRun } from "../runs/stuck-runs.ts";
import { formatDuration } from "../shared/duration.ts";
import { withoutMarkdown } from "../shared/foreign-text.ts";
import { markdownTable, type Table } from "../shared/text.ts";

const SWEPT_WORDS: Record<Swept["kind"], string> = {
  destroyed: "destroyed",
  "was-gone": "had given itself back",
  "would-go": "would be destroyed",
  refused: "**could not be destroyed**",
  left: "left",
};

const STUCK_WORDS: Record<StuckRun["outcome"], string> = {
  cancelled: "cancelled",
  "would-cancel": "would be cancelled",
  changed: "left: it waits no longer",
  failed: "**could not be cancelled**",
};

const LOST_OUTCOMES: Record<LostRun["outcome"], string> = {
  "re-run": "its failed jobs are re-run",
  "would-rerun": "its failed jobs would be re-run",
  left: "left",
  failed: "**could not be re-run**",
};

/** Describes the fates of machines in a few lines for the log. `now`: milliseconds since the epoch. */
export function sweepLines(sweep: Sweep, now: number): string[] {
  const left = sweep.ours.filter(({ fate }) => fate.kind === "left");
  const lines = left.map(({ owned, fate }) => `Instance ${owned.id} is left: ${fate.why}.`);
  return [counts(sweep), ...lines, oldest(sweep, now)];
}

/** Describes the fates of machines in Markdown, for the job's summary. Foreign text in it is harmless. */
export function sweepMarkdown(sweep: Sweep, now: number): string {
  const rows = sweep.ours.map(({ owned, fate }) => {
    const { id, label } = owned;
    return [String(id), String(label.runId), String(label.attempt), SWEPT_WORDS[fate.kind], withoutMarkdown(fate.why)];
  });
  const table = [...markdownTable([["instance", "run", "attempt", "what became of it", "why"], ...rows]), ""];
  return [
    "### Sweep of GPU machines",
    "",
    counts(sweep),
    "",
    ...(rows.length > 0 ? table : []),
    oldest(sweep, now),
    // A paragraph ends: what became of runs may follow.
    "",
    "",
  ].join("\n");
}

/** Describes the fates of runs in Markdown; empty if nothing had to be done. `runUrl`: the address of a run's page. */
export function runsMarkdown({
  stuck,
  lost,
  runUrl,
}: {
  stuck: readonly StuckRun[];
  lost: readonly LostRun[];
  runUrl: (runId: number) => string;
}): string {
  const link = (runId: number) => `[${runId}](${runUrl(runId)})`;
  const stuckRows = stuck.map(({ runId, attempt, waitedMs, outcome }) => {
    return [link(runId), String(attempt), formatDuration(waitedMs), STUCK_WORDS[outcome]];
  });
  const lostRows = lost.map(({ runId, outcome, why }) => [link(runId), LOST_OUTCOMES[outcome], withoutMarkdown(why)]);
  return [
    ...section(STUCK, ["run", "attempt", "waited for", "what became of it"], stuckRows),
    ...section(LOST, ["run", "what became of it", "why"], lostRows),
  ].join("\n");
}

const STUCK =
  "**Stuck runs.** Their GPU job waited for a machine that nobody rents any more: the job that rents is over, or only the GPU job was " +
  'run again. "Re-run failed jobs" and "Re-run all jobs" run both.';
const LOST =
  "**Lost machines.** Machines that were lost under the jobs of these runs. Each run is run again once at most.";

function section(text: string, titles: readonly string[], rows: Table): string[] {
  return rows.length === 0 ? [] : [text, "", ...markdownTable([titles, ...rows]), ""];
}

function counts({ seen, foreign, ours }: Sweep): string {
  const count = (...kinds: Swept["kind"][]) => ours.filter(({ fate }) => kinds.includes(fate.kind)).length;
  const wouldGo = count("would-go") > 0 ? `${count("would-go")} would be destroyed (dry run), ` : "";
  const refused = count("refused") > 0 ? `, ${count("refused")} could not be destroyed` : "";
  return (
    `Instances of the account: ${seen}. Of this repository: ${ours.length}. Somebody else's, left alone: ${foreign}. ` +
    `Of ours, ${wouldGo}${count("destroyed")} destroyed, ${count("was-gone")} gone by themselves, ${count("left")} left${refused}.`
  );
}

/** Compares two machines by age: one that does not show its start is young, and of equals the lower id is older. */
function byAge(left: Owned, right: Owned): number {
  const since = ({ startedAt = Number.POSITIVE_INFINITY }: Owned) => startedAt;
  return since(left) === since(right) ? left.id - right.id : since(left) - since(right);
}

function oldest(sweep: Sweep, now: number): string {
  const [first] = aliveAfter(sweep).toSorted(byAge);
  if (first === undefined) return "No machine of this repository is alive.";
  const age = first.startedAt === undefined ? "of unknown age" : `${formatDuration(now - first.startedAt)} old`;
  const price = first.usdPerHour === undefined ? "" : `, ${formatPrice(first.usdPerHour)} per hour`;
  return `The oldest machine of this repository that is alive: instance ${first.id}, ${age}${price}.`;
}
