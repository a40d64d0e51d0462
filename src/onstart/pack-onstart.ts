import { OnstartTooLongError } from "./onstart-too-long-error.ts";
import { packText } from "./pack-text.ts";
import { stripScript } from "./strip-script.ts";

/** Seed, table of limits: the most characters that create takes for `onstart`. */
export const ONSTART_LIMIT = 4048;

/**
 * Makes a bash script fit the field `onstart`: as it is when short enough, else compressed behind a line that writes it
 * to GHR_ROOT and runs it there. Fails with OnstartTooLongError.
 */
export function packOnstart(script: string): string {
  if (script.length <= ONSTART_LIMIT) return script;
  const packed = decoder(packText(stripScript(script)));
  if (packed.length > ONSTART_LIMIT) throw new OnstartTooLongError(packed.length, ONSTART_LIMIT);
  return packed;
}

/** A script that needs only what the barest Debian has: bash, coreutils and gzip. */
function decoder(payload: string): string {
  return `#!/bin/bash
b=\${GHR_ROOT:-/opt/ghr}/bootstrap.sh;mkdir -p "\${b%/*}"&&echo ${payload}|base64 -d|gzip -d>"$b"&&bash "$b"
`;
}
