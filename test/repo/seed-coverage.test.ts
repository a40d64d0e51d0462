import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tableRows } from "./support/markdown.ts";
import { ROOT, textOf } from "./support/repository.ts";

const PAGE = "docs/internals/seed-coverage.md";
/** Below it the page would have lost a table, or this test could no longer read it. */
const FEWEST_ROWS = 200;
const PATH = /`((?:src|client|simulator|test|onstart)\/[\w./-]*)`/g;
const TEST_FILE = /`(test\/[\w./-]+\.test\.ts)`/g;
/** `file` > "title", and > "row" where the title stands for several. */
const NAMED_TEST = /`(test\/[\w./-]+\.test\.ts)` > "([^"]+)"(?: > "([^"]+)")?/g;
const REASON = /\bnot shown\b|\bnot built\b|\bleft out\b/;

/** The last three cells of every table. */
interface Row {
  what: string;
  client: string;
  simulator: string;
  proof: string;
}

function rowsOf(markdown: string): Row[] {
  const sections = markdown.split(/^#+ /m).filter((section) => /^\|-/m.test(section));
  return sections.flatMap((section) =>
    tableRows(section).map((cells) => {
      const [client = "", simulator = "", proof = ""] = cells.slice(-3);
      return { what: `${section.split("\n")[0]}: ${cells[0]}`, client, simulator, proof };
    }),
  );
}

function complaintsOf({ what, client, simulator, proof }: Row): string[] {
  const named = Array.from(proof.matchAll(NAMED_TEST));
  const complaints = [
    ...placeComplaints("client", client),
    ...placeComplaints("simulator", simulator),
    ...(Array.from(proof.matchAll(TEST_FILE)).length > named.length ? ["a test file without the title of a test"] : []),
    ...named.flatMap(([, file = "", title = "", row]) => titleComplaints(file, title, row)),
    ...(named.length > 0 || REASON.test(proof) ? [] : ["neither a test nor a reason"]),
  ];
  return complaints.map((complaint) => `${what}: ${complaint}`);
}

/** A side names a file that has it, or says "none". */
function placeComplaints(side: string, cell: string): string[] {
  const paths = Array.from(cell.matchAll(PATH), ([, path = ""]) => path);
  if (paths.length === 0 && !/^none\b/.test(cell)) return [`no path of the ${side}`];
  return paths.filter((path) => !existsSync(join(ROOT, path))).map((path) => `there is no ${path}`);
}

function titleComplaints(file: string, title: string, row: string | undefined): string[] {
  if (!existsSync(join(ROOT, file))) return [`there is no ${file}`];
  const text = textOf(file);
  if (!isTitle(title, text)) return [`${file} has no test "${title}"`];
  return row === undefined || text.includes(JSON.stringify(row)) ? [] : [`${file} has no row "${row}"`];
}

/** True where a test, not a group, has this title, as in `test("…"` and `test.each([…])("…"`. */
function isTitle(title: string, text: string): boolean {
  const calls = text.split(JSON.stringify(title)).slice(0, -1);
  return calls.some((before) => /\(\s*$/.test(before) && !/\bdescribe\(\s*$/.test(before));
}

const rows = rowsOf(textOf(PAGE));

test("every row has its place on both sides, and a test that exists or a reason", () => {
  expect(rows.length).toBeGreaterThan(FEWEST_ROWS);
  expect(rows.flatMap(complaintsOf)).toEqual([]);
});

test("no row stands twice", () => {
  const names = rows.map(({ what }) => what);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
