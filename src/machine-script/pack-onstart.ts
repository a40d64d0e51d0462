import { packText } from "./pack-text.ts";
import { stripScript } from "./strip-script.ts";

/** Seed, table of limits: the most characters that create takes for `onstart`. */
export const ONSTART_LIMIT = 4048;

/** Where the unpacking script has the packed one. */
const PLACE = "PACKED";

/**
 * Makes a bash script fit the field `onstart`: as it is when short enough, else packed, inside of
 * the script that unpacks and runs it. The build fails where it is too long.
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
