import { expect, test } from "vitest";
import type { Sweep, Swept } from "../../../src/release/sweep.ts";
import { runsMarkdown, sweepLines, sweepMarkdown } from "../../../src/report/sweep-report.ts";
import { aLabel } from "../support/a-leftover.ts";

const NOW = Date.UTC(2026, 0, 1);

function swept(id: number, fate: Swept, startedMinutesAgo?: number) {
  const startedAt = startedMinutesAgo === undefined ? undefined : NOW - startedMinutesAgo * 60_000;
  return { owned: { id, label: aLabel(), startedAt, usdPerHour: 0.31 }, fate };
}

const sweep = (ours: ReturnType<typeof swept>[]): Sweep => ({
  ...{ seen: ours.length + 3, foreign: 3, ours, lookAgainAt: undefined },
});
const linesOf = (...ours: ReturnType<typeof swept>[]) => sweepLines(sweep(ours), NOW);
const markdownOf = (...ours: ReturnType<typeof swept>[]) => sweepMarkdown(sweep(ours), NOW);
const RUNS = {
  stuck: [],
  lost: [],
  runUrl: (runId: number) => `https://github.com/octo/gpu-lib/actions/runs/${runId}`,
};

test("counts, what is left and why, and the oldest machine that is alive", () => {
  const lines = linesOf(
    swept(1, { kind: "destroyed", why: "its run is over" }),
    swept(2, { kind: "left", why: "its run is not over" }, 90),
    swept(3, { kind: "refused", why: "not today" }, 10),
    swept(4, { kind: "was-gone", why: "its run is over" }),
  );
  expect(lines).toEqual([
    "Instances of the account: 7. Of this repository: 4. Somebody else's, left alone: 3. " +
      "Of ours, 1 destroyed, 1 gone by themselves, 1 left, 1 could not be destroyed.",
    "Instance 2 is left: its run is not over.",
    "The oldest machine of this repository that is alive: instance 2, 1h 30m old, 0.31 USD per hour.",
  ]);
});

test("the oldest is the one that started first, by id and place in the list where none shows its start", () => {
  const left = { kind: "left", why: "its run is not over" } as const;
  const lines = linesOf(swept(9, { kind: "refused", why: "no" }, 10), swept(5, left, 90), swept(2, left));
  expect(lines.at(-1)).toContain("instance 5, 1h 30m old");
  const unknown = swept(1, left);
  const bare = linesOf({ ...unknown, owned: { ...unknown.owned, usdPerHour: undefined } as never });
  expect(bare.at(-1)).toBe("The oldest machine of this repository that is alive: instance 1, of unknown age.");
});

test("nothing of ours", () => {
  expect(linesOf().join(" ")).toMatch(/Of this repository: 0\. .* No machine of this repository is alive\.$/);
  expect(markdownOf()).not.toContain("|");
});

test("a dry run says what would go", () => {
  const dry = swept(1, { kind: "would-go", why: "its run is over" });
  expect(linesOf(dry)[0]).toContain("1 would be destroyed (dry run)");
  expect(markdownOf(dry)).toContain("| 1 | 4711 | 1 | would be destroyed | its run is over |");
});

test("runs have a paragraph of their own: a link, what became of the run, and why; foreign text stays in its cell", () => {
  const stuck = [{ runId: 4711, attempt: 1, waitedMs: 1_200_000, outcome: "cancelled" as const }];
  const lost = [
    { runId: 4713, outcome: "re-run" as const, why: "its machine was lost under 'test | 3.11'" },
    { runId: 4714, outcome: "left" as const, why: "its branch has a newer commit" },
  ];
  const markdown = `${markdownOf()}${runsMarkdown({ ...RUNS, stuck, lost })}`;
  expect(markdown).toContain("is alive.\n\n**Stuck runs.**");
  expect(markdown).toContain(
    `| [4713](${RUNS.runUrl(4713)}) | its failed jobs are re-run | its machine was lost under 'test &#124; 3.11' |`,
  );
  expect(markdown).toContain("| left | its branch has a newer commit |");
  expect(runsMarkdown(RUNS)).toBe("");
});
