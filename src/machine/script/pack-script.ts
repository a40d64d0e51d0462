import { packText } from "./pack-text.ts";

/** The most characters that *create instance* takes for `onstart` (specification, table of limits). */
export const ONSTART_LIMIT = 4048;

/** The word in onstart/unpack.sh that the packed script replaces. */
const PLACE = "PACKED";

/**
 * Makes a bash script fit the field `onstart`: unchanged if it is short enough, else packed inside
 * the script that unpacks and runs it. Throws, so that the build fails, if it is still too long.
 */
export function packOnstart(script: string, unpacker: string): string {
  if (script.length <= ONSTART_LIMIT) return script;
  const packed = stripScript(unpacker).replace(PLACE, packText(stripScript(script)));
  if (packed.length > ONSTART_LIMIT) {
    throw new Error(
      `The onstart script has ${packed.length} characters when packed; the service takes ${ONSTART_LIMIT}.`,
    );
  }
  return packed;
}

/** What the scanner stands in: quotes, `$'…'`, or the brackets of `(…)`, `$(…)` and `${…}`. */
type Inside = "'" | '"' | "$'" | "(" | "{";

/** Where the scanner stands in a bash script at the end of a line. */
interface Position {
  /** The quotes and brackets that are open, the innermost last. */
  open: Inside[];
  /** The here-documents that are open. */
  heredocs: Heredoc[];
  /** The line ends in a backslash outside of quotes. */
  continued: boolean;
}

interface Heredoc {
  end: string;
  indented: boolean;
}

const CODE =
  /(?<=^|[\s;&|()])#.*|(?<escaped>\\.?)|(?<opened>\$?'|"|\$?\(|\$\{)|(?<closed>\))|<<<|<<(?<indented>-?)\s*(?:'(?<single>[^']+)'|"(?<double>[^"]+)"|\\?(?<plain>[A-Za-z_]\w*))/g;

/** The signs that count in each surrounding. Outside of all of them a line is code, as in round brackets. */
const TOKENS: Record<Inside, RegExp> = {
  "(": CODE,
  "{": /\\.?|(?<opened>\$?'|"|\$\(|\$\{)|(?<closed>\})/g,
  '"': /\\.?|(?<opened>\$\(|\$\{)|(?<closed>")/g,
  "'": /(?<closed>')/g,
  "$'": /\\.?|(?<closed>')/g,
};

/**
 * Strips whole-line comments, blank lines and indentation from a bash script, but leaves its first
 * line, quoted text and here-documents. Returns the script unchanged if the scanner can't follow it.
 */
export function stripScript(script: string): string {
  const kept: string[] = [];
  let position: Position = { open: [], heredocs: [], continued: false };
  for (const [index, line] of script.split("\n").entries()) {
    const text = !isCode(position) || index === 0 ? line : stripLine(line);
    if (text === undefined) continue;
    kept.push(text);
    position = after(line, position);
  }
  return isCode(position) && position.open.length === 0 ? `${kept.join("\n")}\n` : script;
}

function isCode({ open, heredocs, continued }: Position): boolean {
  return (open.at(-1) ?? "(") === "(" && heredocs.length === 0 && !continued;
}

/** Strips one line of code; undefined if nothing but a comment is on it. */
function stripLine(line: string): string | undefined {
  const bare = line.trim();
  return bare === "" || bare.startsWith("#") ? undefined : line.trimStart();
}

function after(line: string, { open, heredocs }: Position): Position {
  const [heredoc, ...rest] = heredocs;
  if (heredoc !== undefined && (open.at(-1) ?? "(") === "(") {
    const isEnd = (heredoc.indented ? line.replace(/^\t+/, "") : line) === heredoc.end;
    return { open, heredocs: isEnd ? rest : heredocs, continued: false };
  }
  const next: Position = { open: [...open], heredocs: [...heredocs], continued: false };
  for (let at = 0; at < line.length; ) at = stepOver(line, at, next);
  return next;
}

/** Changes the position by the next token of the line; returns where that token ends. */
function stepOver(line: string, from: number, position: Position): number {
  const tokens = TOKENS[position.open.at(-1) ?? "("];
  tokens.lastIndex = from;
  const match = tokens.exec(line);
  if (match === null) return line.length;
  const { escaped, opened, closed, indented, single, double, plain } = match.groups ?? {};
  const end = single ?? double ?? plain;
  if (opened !== undefined) position.open.push(insideOf(opened));
  else if (closed !== undefined) position.open.pop();
  else if (escaped === "\\") position.continued = true;
  else if (end !== undefined) position.heredocs.push({ end, indented: indented === "-" });
  return tokens.lastIndex;
}

function insideOf(opened: string): Inside {
  if (opened === "'" || opened === '"' || opened === "$'") return opened;
  return opened === "${" ? "{" : "(";
}
