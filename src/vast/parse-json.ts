import { readJson } from "../shared/json.ts";

/**
 * A string of JSON, or a bare NaN or Infinity outside of one. A string that was cut off ends with
 * the text: to look for one within it, quote by quote, would take minutes.
 */
const STRING_OR_JUNK = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|-?\b(?:NaN|Infinity)\b/gs;

/**
 * Reads an answer's body; undefined when it is not JSON. The service has sent bare NaN and
 * Infinity, which JSON does not have: they are read as null.
 */
export function parseJson(text: string): unknown {
  return readJson(text) ?? readJson(text.replace(STRING_OR_JUNK, (part) => (part.startsWith('"') ? part : "null")));
}
