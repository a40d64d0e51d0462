import { expect, test } from "vitest";
import { type SweepReport, sweepLines, sweepMarkdown } from "../../../../src/action/report/sweep-report.ts";
import type { Fate } from "../../../../src/sweep/sweep.ts";
import { aLabel } from "../../support/a-leftover.ts";

const NOW = Date.UTC(2026, 0, 1);

function swept(id: number, fate: Fate, startedMinutesAgo?: number) {
  const startedAt = startedMinutesAgo === undefined ? undefined : NOW - startedMinutesAgo * 60_000;
  return { owned: { id, label: aLabel(), startedAt, pricePerHour: 0.31 }, fate };
}

function report(ours: ReturnType<typeof swept>[], stuck: SweepReport["stuck"] = []): SweepReport {
  const sweep = { seen: ours.length + 3, foreign: 3, ours, lookAgainAt: undefined };
  return { sweep, stuck, now: NOW, runsUrl: "https://github.com/octo/gpu-lib/actions/runs" };
}

test("counts, what is left and why, and the oldest machine that is alive", () => {
  const lines = sweepLines(
    report([
      swept(1, { kind: "destroyed", why: "its run is over" }),
      swept(2, { kind: "left", why: "its run is not over" }, 90),
      swept(3, { kind: "refused", why: "not today" }, 10),
      swept(4, { kind: "was-gone", why: "its run is over" }),
    ]),
  );
  expect(lines).toEqual([
    "Instances of the account: 7. Of this repository: 4. Somebody else's, left alone: 3. " +
      "Of ours, 1 destroyed, 1 gone by themselves, 1 left, 1 could not be destroyed.",
    "Instance 2 is left: its run is not over.",
    "The oldest machine of this repository that is alive: instance 2, 1h 30m old, 0.31 USD per hour.",
  ]);
});

test("nothing of ours", () => {
  expect(sweepLines(report([]))).toEqual([
    expect.stringContaining("Of this repository: 0."),
    "No machine of this repository is alive.",
  ]);
  expect(sweepMarkdown(report([]))).not.toContain("|");
});

test("where the service does not tell age or price, neither do we guess", () => {
  const unknown = swept(1, { kind: "left", why: "its run is not over" });
  const lines = sweepLines(report([{ ...unknown, owned: { ...unknown.owned, pricePerHour: undefined } as never }]));
  expect(lines.at(-1)).toBe("The oldest machine of this repository that is alive: instance 1, of unknown age.");
});

test("a dry run says what would go", () => {
  const dry = report([swept(1, { kind: "would-go", why: "its run is over" })]);
  expect(sweepLines(dry)[0]).toContain("1 would be destroyed (dry run)");
  expect(sweepMarkdown(dry)).toContain("| 1 | 4711 | 1 | would be destroyed | its run is over |");
});

test("foreign text can't break out of its cell", () => {
  const markdown = sweepMarkdown(report([swept(1, { kind: "refused", why: "a | b\n# <img src=x> [x](y)" })]));
  const row = markdown.split("\n").find((line) => line.startsWith("| 1 |"));
  expect(row?.split("|")).toHaveLength(7);
  expect(row).not.toMatch(/[<>[\]]/);
});

test("stuck runs: a link, how long they waited, what became of them and why", () => {
  const stuck = [
    { runId: 4713, attempt: 2, waitedMs: 1_200_000, outcome: "cancelled" as const },
    { runId: 4714, attempt: 1, waitedMs: 900_000, outcome: "failed" as const },
  ];
  const markdown = sweepMarkdown(report([], stuck));
  expect(markdown).toContain("| [4713](https://github.com/octo/gpu-lib/actions/runs/4713) | 2 | 20m | cancelled |");
  expect(markdown).toContain("| 1 | 15m | **could not be cancelled** |");
  expect(markdown).toContain('"Re-run failed jobs"');
});
