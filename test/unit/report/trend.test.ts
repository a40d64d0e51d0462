import { expect, test } from "vitest";
import { summaryMarkdown, trendTable } from "../../../src/report/summary.ts";
import { aSessionReport, START } from "../support/a-session-report.ts";

const ROWS = [
  { run: 1, at: START, usd: 0.04, waitSeconds: 120, bootSeconds: 80 },
  { run: 2, at: START + 60_000, usd: 0.02, bootSeconds: 60 },
];

test("the last runs as a table; what was not reported is no 0", () => {
  expect(trendTable(ROWS)).toEqual([
    "The last 2 runs:",
    "",
    "| run | ended (UTC) | cost | wait | boot |",
    "|---|---|---|---|---|",
    "| 1 | 2026-01-01 00:00 | 0.0400 USD | 2m | 1m 20s |",
    "| 2 | 2026-01-01 00:01 | 0.0200 USD | not reported | 1m |",
  ]);
  expect(trendTable(Array(30).fill(ROWS[0]))).toHaveLength(14);
});

test("a cost that is not 0 never reads as 0", () => {
  const rows = ROWS.map((row) => ({ ...row, usd: 1e-6 }));
  expect(trendTable(rows).at(-1)).toContain("| less than 0.0001 USD |");
});

test("of one run there is no trend", () => {
  expect(trendTable(ROWS.slice(1))).toEqual([]);
});

test("the summary has advice and trend; what an offer's name says is harmless there", () => {
  const advice = ["a <b>GPU</b> would do. Change gpu-name."];
  const page = summaryMarkdown(aSessionReport({ lessons: { advice, trend: ROWS } }));
  expect(page).toContain("| 2 | 2026-01-01 00:01 |");
  expect(page).toContain("would do. Change gpu");
  expect(page).not.toContain("<b>");
});
