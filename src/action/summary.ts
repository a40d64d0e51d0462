import { withoutMarkdown } from "../foreign-text.ts";
import { estimatedCost } from "../provisioning/cost.ts";
import { formatPrice } from "../provisioning/offer-wishes.ts";
import type { Report } from "../provisioning/report.ts";
import { formatDuration } from "../time/duration.ts";

/** What the summary tells of one use. */
export interface UseReport {
  reports: readonly Report[];
  /** Ids of instances that could not be confirmed to be gone. */
  undestroyed: readonly string[];
  /** Milliseconds since the epoch. */
  end: number;
}

/** The job summary, in Markdown: machines, seconds per stage, what it cost, what is still rented. Foreign text in it is harmless. */
export function summaryMarkdown(use: UseReport): string {
  const total = use.reports.reduce((sum, report) => sum + estimatedCost(report, use.end), 0);
  const still =
    use.undestroyed.length === 0
      ? "**Still rented: nothing** (the service was asked)."
      : `**May still be billing: ${use.undestroyed.map(withoutMarkdown).join(", ")}.** Destroy it in the service's console.`;
  const lines = [
    "### GPU machine",
    "",
    "| instance | GPU | machine | price per hour | to running | to online | rented for | last state | cost |",
    "|---|---|---|---|---|---|---|---|---|",
    ...use.reports.map((report) => row(report, use.end)),
    "",
    `About ${formatPrice(total)} in all, from prices and times; the service adds what the host asks for bytes.`,
    "",
    still,
    "",
  ];
  return lines.join("\n");
}

function row(report: Report, end: number): string {
  const { asked, created, running, online, gone } = report.at;
  const since = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined ? "–" : formatDuration(to - from);
  const cells = [
    String(report.instanceId),
    `${report.offer.num_gpus} × ${withoutMarkdown(report.offer.gpu_name)}`,
    String(report.offer.machine_id ?? "unknown"),
    formatPrice(report.price.total),
    since(asked, running),
    since(running, online),
    since(created, gone ?? end),
    withoutMarkdown(report.last),
    formatPrice(estimatedCost(report, end)),
  ];
  return `| ${cells.join(" | ")} |`;
}
