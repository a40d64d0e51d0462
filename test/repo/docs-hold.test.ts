import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { section, tableRows } from "./support/markdown.ts";
import { filesIn, ROOT, textOf } from "./support/repository.ts";

const HOUSES = /^(?:src|simulator|test|docs|onstart|scripts|dist|sweep|\.github)\//;

/** Names in backticks that are paths of this repository. One with a star stands for many. */
function namedPaths(markdown: string): string[] {
  const names = Array.from(markdown.matchAll(/`([\w./*-]+)`/g), ([, name = ""]) => name);
  return names.filter((name) => HOUSES.test(name) && !name.includes("*"));
}

/** Targets of links to files, without their anchors. */
function linkedPaths(markdown: string, file: string): string[] {
  const targets = Array.from(markdown.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g), ([, target = ""]) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target)).map((target) => normalize(join(dirname(file), target)));
}

function headingAnchors(markdown: string): string[] {
  const headings = Array.from(markdown.matchAll(/^#+ (.+)$/gm), ([, heading = ""]) => heading.toLowerCase());
  return headings.map((heading) => heading.replace(/[^\w\s-]/g, "").replaceAll(" ", "-"));
}

test("the README is read to its end: at most 130 lines", () => {
  expect(textOf("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(130);
});

test("the README reckons ten minutes, with a boot of three, by its own prices", () => {
  const rows = tableRows(textOf("README.md"));
  expect(rows.length).toBeGreaterThanOrEqual(4);
  for (const [gpu, price = "", cost = ""] of rows)
    expect(cost, gpu).toBe(`${((Number.parseFloat(price) * 13) / 60).toFixed(2)} USD`);
});

test("each row of the threat model names what defends it, and which test would fail without that", () => {
  const [, holds = ""] = textOf("docs/internals/threat-model.md").split(/^## (?:What holds|Not defended)$/m);
  const rows = holds.split(/^(?=\d+\. )|^#+ .*$/m).filter((row) => /^\d+\. /.test(row));
  expect(rows.length).toBeGreaterThan(25);
  const silent = rows.filter((row) => !/\*Code:\*/.test(row) || !/\*Tests:\*/.test(row));
  expect(silent.map((row) => row.slice(0, 60))).toEqual([]);
});

test("a heading that an error's text names is there", () => {
  const names = filesIn("src", ".ts").flatMap((file) =>
    Array.from(textOf(file).matchAll(/([\w/-]+\.md|README), \\?"([^"\\]+)\\?"/g), ([, page = "", heading = ""]) => ({
      file,
      page: page === "README" ? "README.md" : page,
      heading,
    })),
  );
  expect(names).not.toEqual([]);
  const gone = names.filter(({ page, heading }) => !new RegExp(`^#+ ${heading}$`, "m").test(textOf(page)));
  expect(gone).toEqual([]);
});

test("docs/costs.md reckons a push by its own figures", () => {
  const rows = tableRows(section(textOf("docs/costs.md"), "## What a push costs"));
  const machine = (minutes: number) => (minutes / 60) * 0.35;
  const hosted = (minutes: number) => (minutes + 1) * 0.006; // and a minute of the sweep
  const pushes = [[machine(13), 14] as const, [3 * machine(13), 14] as const, [machine(33), 34] as const];
  const written = pushes.map(([rent, minutes]) => {
    const [a, b] = [rent.toFixed(2), hosted(minutes).toFixed(2)];
    return [a, b, (Number(a) + Number(b)).toFixed(2), a];
  });
  expect(rows.map(([, ...figures]) => figures)).toEqual(written);
});

describe.each(filesIn(".", ".md"))("%s", (file) => {
  const markdown = textOf(file);

  test("names and links only what exists", () => {
    const named = [...namedPaths(markdown), ...linkedPaths(markdown, file)];
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test("links only to headings that exist", () => {
    const links = Array.from(markdown.matchAll(/\]\((?![a-z]+:)([^)#\s]*)#([^)]+)\)/g));
    const broken = links.filter(([, target = "", anchor = ""]) => {
      const path = target === "" ? file : normalize(join(dirname(file), target));
      return !headingAnchors(textOf(path)).includes(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});
