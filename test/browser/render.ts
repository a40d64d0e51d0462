// Draws each Mermaid chart of README and docs, and a summary, in a real browser; a chart that it can't draw fails.
// With OUT.png, the summary becomes that picture, and OUT.txt is what it was made from. Without, says whether the
// committed picture is old. Usage: MERMAID=mermaid.min.js render.ts SUMMARY.md [OUT.png]. CHROME names the browser.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { filesIn, textOf } from "../repo/support/repository.ts";
import { pageOf } from "./page.ts";

const { CHROME = "google-chrome", MERMAID = "" } = process.env;
const [summary, picture] = process.argv.slice(2);
if (summary === undefined || MERMAID === "")
  throw new Error("Usage: MERMAID=mermaid.min.js render.ts SUMMARY.md [OUT.png]");
const WIDTH = 1200;
const PICTURE = "docs/pictures/summary.txt";

const folder = mkdtempSync(join(tmpdir(), "render-"));
try {
  const text = readFileSync(summary, "utf8");
  const charts = ["README.md", ...filesIn("docs", ".md")].flatMap((page) =>
    Array.from(textOf(page).matchAll(/^```mermaid\n[\s\S]*?^```$/gm), ([chart]) => ({ name: page, markdown: chart })),
  );
  for (const { name, markdown } of [...charts, { name: "the summary", markdown: text }]) {
    const { fault, count } = drawn(markdown);
    if (fault !== undefined || count !== (markdown.match(/^```mermaid$/gm)?.length ?? 0))
      throw new Error(`The browser can't draw a chart of ${name}: ${fault ?? `${count} were drawn`}`);
    console.log(`ok  ${name}: ${count} chart(s)`);
  }
  if (picture !== undefined) {
    screenshot(text, resolve(picture));
    writeFileSync(picture.replace(/\.png$/, ".txt"), text);
  } else if (shapeOf(text) !== shapeOf(textOf(PICTURE))) {
    throw new Error(
      `The README's picture is old. Make it anew: .ci/in-browser docs/pictures/summary.png\n${shapeOf(text)}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function chrome(markdown: string, ...args: string[]): string {
  const page = join(folder, "page.html");
  writeFileSync(page, pageOf(markdown, pathToFileURL(resolve(MERMAID)).href));
  const common = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=20000"];
  const given = [...common, ...args, pathToFileURL(page).href];
  return execFileSync(CHROME, given, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 120_000 });
}

function drawn(markdown: string): { fault: string | undefined; count: number; height: number } {
  const dom = chrome(markdown, `--window-size=${WIDTH},800`, "--dump-dom");
  return {
    fault: /data-fault="([^"]*)"/.exec(dom)?.[1],
    count: dom.match(/<svg id="mermaid-/g)?.length ?? 0,
    height: Number(/data-height="(\d+)"/.exec(dom)?.[1]),
  };
}

function screenshot(markdown: string, path: string): void {
  const { height } = drawn(markdown);
  chrome(markdown, `--window-size=${WIDTH},${height}`, `--screenshot=${path}`);
}

/** Leaves of a summary what two demos have in common: its words, without numbers, bars and the rows of tables. */
function shapeOf(summary: string): string {
  const lines = summary.split("\n").filter((line) => !/^\| (?!#)/.test(line));
  const shapes = lines.map((line) =>
    line
      .replace(/\d+[hms](?: \d+[hms])*/g, "TIME")
      .replace(/\d+(?:\.\d+)?/g, "N")
      .replace(/[█░]+/g, "BAR")
      .replace(/ {2,}/g, " "),
  );
  return shapes.filter((line, index) => line !== "" && shapes.indexOf(line) === index).join("\n");
}
