/** Deeper than anything that somebody sends on purpose. */
const MOST_DEPTH = 64;

/** True for JSON with more lists and objects within each other. It is seen before it is read: 20 MB of `[` take seconds. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length && depth <= MOST_DEPTH; at += 1) {
    const letter = text[at];
    if (letter === '"') at = endOfText(text, at);
    else if (letter === "[" || letter === "{") depth += 1;
    else if (letter === "]" || letter === "}") depth -= 1;
  }
  return depth > MOST_DEPTH;
}

/** Returns where the text in JSON ends that begins at a quote. */
function endOfText(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at;
}

/** Reads JSON; undefined for any other text, and for one that is too deep. */
export function readJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True for a JSON object, false for a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Matches a JSON string, even one that was cut off, as a search anew at each quote takes minutes; or bare junk. */
const STRING_OR_JUNK = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|-?\b(?:NaN|Infinity)\b/gs;

/** Reads the service's JSON, in which a bare NaN or Infinity counts as null; undefined for any other text. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  return readJson(text) ?? readJson(text.replace(STRING_OR_JUNK, (part) => (part.startsWith('"') ? part : "null")));
}
