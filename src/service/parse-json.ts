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
  return tryParse(text) ?? tryParse(text.replace(STRING_OR_JUNK, (part) => (part.startsWith('"') ? part : "null")));
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON is an answer like any other here: the caller judges it by status and text.
    return undefined;
  }
}
