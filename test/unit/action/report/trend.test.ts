import { expect, test } from "vitest";
import { summaryMarkdown } from "../../../../src/report/summary.ts";
import { trendPicture, trendTable } from "../../../../src/report/trend.ts";
import { aSessionReport, START } from "../../support/a-session-report.ts";

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

test("a cost that is not 0 never reads as 0, in the table or the picture", () => {
  const rows = ROWS.map((row) => ({ ...row, usd: 1e-6 }));
  expect(trendTable(rows).at(-1)).toContain("| less than 0.0001 USD |");
  expect(trendPicture(rows)).toContain("cost: less than 0.0001 USD last");
});

test("of one run there is no trend", () => {
  expect(trendTable(ROWS.slice(1))).toEqual([]);
  expect(trendPicture(ROWS.slice(1))).toBeUndefined();
});

test("the picture has numbers and our own words alone: no script, nothing that is loaded", () => {
  const picture = trendPicture(ROWS) ?? "";
  expect(picture).toContain("cost: 0.0200 USD last, 0.0400 USD at most");
  // Of the wait there is one figure, which makes no line.
  const lines = Array.from(picture.matchAll(/<path d="([MLd\d., ]*)"/g), ([, path = ""]) =>
    path.replaceAll(/[^ML]/g, ""),
  );
  expect(lines).toEqual(["ML", "M", "ML"]);
  expect(picture.match(/<circle /g)).toHaveLength(5);
  expect(picture).toContain(">run 1, 2026-01-01<");
  expect(picture).not.toMatch(/script|href|url\(|on\w+=|NaN|Infinity/i);
  const elements = new Set(Array.from(picture.matchAll(/<(\w+)/g), ([, name]) => name));
  expect(elements).toEqual(new Set(["svg", "rect", "text", "path", "circle", "line"]));
});

test("a figure that no run has: not reported", () => {
  expect(
    trendPicture([
      { run: 1, at: 1, usd: 0 },
      { run: 2, at: 2, usd: 0 },
    ]),
  ).toContain("wait: not reported");
});

test("the summary has advice and trend; what an offer's name says is harmless there", () => {
  const advice = ["a <b>GPU</b> would do. Change gpu-name."];
  const page = summaryMarkdown(aSessionReport({ lessons: { advice, trend: ROWS } }));
  expect(page).toContain("| 2 | 2026-01-01 00:01 |");
  expect(page).toContain("would do. Change gpu");
  expect(page).not.toContain("<b>");
});
