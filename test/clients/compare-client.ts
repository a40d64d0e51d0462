// Says what a client of the service uses that is not written down in KNOWN: an endpoint, a header that it reads, a
// status or a word of an error that it compares. It only reads the client's files. Ends with 1 if something is new.
// Usage: compare-client.ts compare FOLDER KNOWN REPORT, or compare-client.ts record FOLDER KNOWN.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A line of the client's, and where it stands. */
interface Use {
  place: string;
  line: string;
}

/** The words of a kind, and where each is used. */
type Uses = ReadonlyMap<string, Use>;
type Kind = keyof typeof FINDERS;

const QUOTED = `"(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'`;
const CALLED = new RegExp(`(?:\\.(get|post|put|patch|delete)\\(\\s*)?f?(${QUOTED})`, "g");
const HEADER = new RegExp(`headers(?:\\.get\\(|\\[)\\s*(${QUOTED})(?!\\s*\\]\\s*=[^=])`, "gi");
/** What stands on one side of a comparison: one text, or several in brackets. */
const COMPARED = new RegExp(
  `(?:[=!]=|\\bin\\b)\\s*[([{]?((?:\\s*(?:${QUOTED}),?)+)|(${QUOTED})\\s*(?:[=!]=|(?:not )?in\\b)`,
  "g",
);

/** Finds the words of each kind in a line. What is not the service's may be among them: it is known, too. */
const FINDERS = {
  endpoints: (line: string) =>
    [...line.matchAll(CALLED)].flatMap(([, method = "", quoted = ""]) => {
      const path = unquoted(quoted).replace(/\{[^}]*\}/g, "{}");
      const isPath = /^\/[a-z][\w.{}/-]*$/.test(path) && !/^\/(?:dev|etc|proc|tmp|usr|var|workspace)\b/.test(path);
      return isPath ? [`${method.toUpperCase()} ${path}`.trim()] : [];
    }),
  headers: (line: string) => [...line.matchAll(HEADER)].map(([, name = ""]) => unquoted(name).toLowerCase()),
  statuses: (line: string) =>
    /stat(?:us|e)/i.test(line) ? [...line.matchAll(/\b[1-5]\d\d\b/g)].map(([code]) => code).concat(compared(line)) : [],
  errors: (line: string) => (/err|code|msg|message|detail|reason/i.test(line) ? compared(line) : []),
};

function compared(line: string): string[] {
  const sides = [...line.matchAll(COMPARED)].map(([, after = "", before = ""]) => after + before);
  const words = sides.flatMap((side) => side.match(new RegExp(QUOTED, "g")) ?? []).map(unquoted);
  // Between two texts stand no words.
  return words.filter((word) => /[a-z]{2}/i.test(word));
}

function unquoted(text: string): string {
  return text.slice(1, -1);
}

/** Takes comments and texts of several lines out of a Python file: they describe, and compare nothing. */
function codeOf(text: string): string[] {
  const code = text.replace(/("""|''')[\s\S]*?\1/g, (block) => block.replace(/[^\n]/g, ""));
  return code.split("\n").map((line) => line.replace(new RegExp(`(${QUOTED})|#.*`, "g"), "$1"));
}

/** Reads what a client uses, from all its Python files, and where it uses each word last. */
function readClient(folder: string): Record<Kind, Uses> {
  const paths = readdirSync(folder, { encoding: "utf8", recursive: true }).filter((path) => path.endsWith(".py"));
  const lines: Use[] = paths.sort().flatMap((path) => {
    const code = codeOf(readFileSync(join(folder, path), "utf8"));
    return code.map((line, index) => ({ place: `${path}:${index + 1}`, line }));
  });
  const uses = Object.entries(FINDERS).map(([kind, find]) => {
    return [kind, new Map(lines.flatMap((use) => find(use.line).map((word) => [word, use])))];
  });
  return Object.fromEntries(uses);
}

/** An issue has a limit of 65,536 characters. */
const MOST_LINES = 60;
const LONGEST_LINE = 200;

/** Describes what is new, in Markdown. */
function describeNew(client: Record<Kind, Uses>, known: Partial<Record<Kind, readonly string[]>>): string {
  const sections = Object.entries(client).flatMap(([kind, uses]) => {
    const fresh = [...uses].filter(([word]) => known[kind as Kind]?.includes(word) !== true).map(describeUse);
    const more = fresh.length > MOST_LINES ? [`and ${fresh.length - MOST_LINES} more`] : [];
    const lines = [...fresh.slice(0, MOST_LINES), ...more].join("\n");
    return fresh.length === 0 ? [] : [`New ${kind}:\n\n\`\`\`\`text\n${lines}\n\`\`\`\`\n`];
  });
  return sections.join("\n");
}

/** Describes one word in two lines. Neither ends the block that it stands in. */
function describeUse([word, { line, place }]: readonly [string, Use]): string {
  return `${word}\n    ${place}: ${line.trim().slice(0, LONGEST_LINE)}`.replaceAll("```", "` ` `");
}

const [act = "", folder = "", known = "", report = ""] = process.argv.slice(2);
if (known === "" || (act !== "record" && report === ""))
  throw new Error("usage: compare-client.ts compare FOLDER KNOWN REPORT, or record FOLDER KNOWN");
const client = readClient(folder);
// A client that is written in another way must not pass as one that has nothing new.
for (const [kind, uses] of Object.entries(client)) if (uses.size === 0) throw new Error(`${folder} has no ${kind}`);
if (act === "record") {
  const words = Object.entries(client).map(([kind, uses]) => [kind, [...uses.keys()].sort()]);
  writeFileSync(known, `${JSON.stringify(Object.fromEntries(words), undefined, 2)}\n`);
} else {
  const news = describeNew(client, JSON.parse(readFileSync(known, "utf8")));
  writeFileSync(report, news);
  console.log(news || "Nothing is new.");
  process.exitCode = news === "" ? 0 : 1;
}
