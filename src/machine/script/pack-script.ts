import { packText } from "./pack-text.ts";

/** The most characters that *create instance* takes for `onstart` (specification, table of limits). */
export const ONSTART_LIMIT = 4048;

/** The word in onstart/unpack.sh that the packed script replaces. */
const PLACE = "PACKED";

/** Makes a bash script fit the field `onstart`, packed if it must be. Throws, so that the build fails, if it can't. */
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

/**
 * Strips whole-line comments, blank lines and indentation from a script of ours, but leaves its first line. A line that
 * begins within quotes or a here-document would change: none does, as bash's own reading of them shows in the tests.
 */
export function stripScript(script: string): string {
  const [first = "", ...lines] = script.split("\n");
  const code = lines.map((line) => line.trimStart()).filter((line) => line !== "" && !line.startsWith("#"));
  return `${[first, ...code].join("\n")}\n`;
}
