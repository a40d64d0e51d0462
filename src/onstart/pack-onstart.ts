import { packText } from "./pack-text.ts";
import { stripScript } from "./strip-script.ts";

/** Seed, table of limits: the most characters that create takes for `onstart`. */
export const ONSTART_LIMIT = 4048;

/**
 * Makes a bash script fit the field `onstart`: as it is when short enough, else compressed in a
 * line that runs it. The build fails where it is too long.
 */
export function packOnstart(script: string): string {
  if (script.length <= ONSTART_LIMIT) return script;
  const packed = decoder(packText(stripScript(script)));
  if (packed.length > ONSTART_LIMIT) {
    throw new Error(
      `The onstart script has ${packed.length} characters when packed; the service takes ${ONSTART_LIMIT}.`,
    );
  }
  return packed;
}

/** A script that needs only bash, coreutils and gzip, as barest Debian has, and no disk. */
function decoder(payload: string): string {
  return `#!/bin/bash\nbash -c "$(echo ${payload}|base64 -d|gzip -d)"\n`;
}
