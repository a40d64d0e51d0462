/** Where the scanner stands in a bash script at the end of a line. */
interface Position {
  /** The open quote, `$'` among them; empty outside of quotes. */
  quote: "" | "'" | '"' | "$'";
  /** The ends of the here-documents that were begun and not ended. */
  heredocs: Heredoc[];
  /** The line ends in a backslash outside of quotes. */
  continued: boolean;
}

interface Heredoc {
  end: string;
  indented: boolean;
}

/** One step of the scanner: a comment, an escape, a quote, or the begin of a here-document (not `<<<`). */
const TOKEN =
  /(?<comment>(?<=^|[\s;&|()])#.*)|(?<escaped>\\.?)|(?<quote>\$?'|")|<<<|<<(?<indented>-?)\s*(?:'(?<single>[^']+)'|"(?<double>[^"]+)"|\\?(?<plain>[A-Za-z_]\w*))/g;

const CLOSING = { "'": /'/g, '"': /\\.|"/g, "$'": /\\.|'/g };

/**
 * Strips whole-line comments, blank lines and indentation from a bash script; the first line, quoted text and
 * here-documents stay as they are. Where it can't follow the script, it returns it unchanged.
 */
export function stripScript(script: string): string {
  const kept: string[] = [];
  let position: Position = { quote: "", heredocs: [], continued: false };
  for (const [index, line] of script.split("\n").entries()) {
    const text = !isCode(position) || index === 0 ? line : stripLine(line);
    if (text === undefined) continue;
    kept.push(text);
    position = after(line, position);
  }
  return isCode(position) ? `${kept.join("\n")}\n` : script;
}

function isCode({ quote, heredocs, continued }: Position): boolean {
  return quote === "" && heredocs.length === 0 && !continued;
}

/** What is left of a line of code; undefined for a comment or nothing. */
function stripLine(line: string): string | undefined {
  const bare = line.trim();
  return bare === "" || bare.startsWith("#") ? undefined : line.trimStart();
}

function after(line: string, { quote, heredocs }: Position): Position {
  const [open, ...rest] = heredocs;
  if (open !== undefined && quote === "") {
    const isEnd = (open.indented ? line.replace(/^\t+/, "") : line) === open.end;
    return { quote, heredocs: isEnd ? rest : heredocs, continued: false };
  }
  const next: Position = { quote, heredocs: [...heredocs], continued: false };
  for (let at = 0; at < line.length; )
    at = next.quote === "" ? stepOutside(line, at, next) : stepInside(line, at, next);
  return next;
}

/** Goes on to behind the closing quote, or to the end of the line. */
function stepInside(line: string, from: number, position: Position): number {
  if (position.quote === "") return from;
  const pattern = CLOSING[position.quote];
  pattern.lastIndex = from;
  for (let match = pattern.exec(line); match !== null; match = pattern.exec(line)) {
    if (match[0].startsWith("\\")) continue;
    position.quote = "";
    return pattern.lastIndex;
  }
  return line.length;
}

function stepOutside(line: string, from: number, position: Position): number {
  TOKEN.lastIndex = from;
  const match = TOKEN.exec(line);
  if (match === null) return line.length;
  const { escaped, quote, indented, single, double, plain } = match.groups ?? {};
  const end = single ?? double ?? plain;
  if (quote === "'" || quote === '"' || quote === "$'") position.quote = quote;
  else if (escaped === "\\") position.continued = true;
  else if (end !== undefined) position.heredocs.push({ end, indented: indented === "-" });
  return TOKEN.lastIndex;
}
