/** Commands of a step that GitHub's log shows, and those that it does not. */
const SHOWN = /^::(group|endgroup|warning|error|notice)(?: [^:]*)?::/;
const HIDDEN = /^::(?:debug|stop-commands|set-output)\b[^:]*::/;
const MASK = /^::add-mask::(.*)$/;

/** Makes of a step's output what GitHub stores of it: commands as it shows them, and masked texts as stars. */
export function storedLog(output: string): string {
  const masks: string[] = [];
  const stored = output.split("\n").flatMap((line) => {
    const mask = MASK.exec(line)?.[1];
    if (mask !== undefined) masks.push(decodeURIComponent(mask));
    if (mask !== undefined || HIDDEN.test(line)) return [];
    const shown = line.replace(SHOWN, "##[$1]");
    return [masks.reduce((text, secret) => text.replaceAll(secret, "***"), shown)];
  });
  return stored.join("\n");
}
