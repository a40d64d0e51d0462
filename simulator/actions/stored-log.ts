/** Commands of a step that GitHub's log shows, and those that it does not. */
const SHOWN = /^::(group|endgroup|warning|error|notice)(?: [^:]*)?::/;
const HIDDEN = /^::(?:debug|stop-commands|set-output)\b[^:]*::/;
const MASK = /^::add-mask::(.*)$/;

/** Makes of a step's output what GitHub stores of it: commands as it shows them, and masked texts as stars. */
export function storedLog(output: string): string {
  const masks: string[] = [];
  const stored = output.split("\n").flatMap((line) => {
    const mask = maskIn(line);
    if (mask !== undefined) masks.push(mask);
    if (mask !== undefined || HIDDEN.test(line)) return [];
    const shown = line.replace(SHOWN, "##[$1]");
    return [masks.reduce((text, secret) => text.replaceAll(secret, "***"), shown)];
  });
  return stored.join("\n");
}

/** The texts that a step asked the platform to mask. */
export function maskedTexts(output: string): string[] {
  return output.split("\n").flatMap((line) => maskIn(line) ?? []);
}

function maskIn(line: string): string | undefined {
  const mask = MASK.exec(line)?.[1];
  return mask === undefined ? undefined : decodeURIComponent(mask);
}
