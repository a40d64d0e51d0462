/** Reads JSON; undefined for any other text. */
export function readJson(text: string): unknown {
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

/**
 * Matches a JSON string, or a bare NaN or Infinity outside of strings. A string that was cut off is
 * matched up to the end of the text: if the search began anew at each quote in it, that would take
 * minutes.
 */
const STRING_OR_JUNK = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|-?\b(?:NaN|Infinity)\b/gs;

/**
 * Reads JSON of the rental service; undefined for any other text. The service has sent bare NaN and
 * Infinity, which JSON does not have: they are read as null.
 */
export function parseJson(text: string): unknown {
  return readJson(text) ?? readJson(text.replace(STRING_OR_JUNK, (part) => (part.startsWith('"') ? part : "null")));
}
