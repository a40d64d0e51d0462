/**
 * Reads a command file of the platform (state, output, env): `name=value`, or `name<<DELIMITER`,
 * lines, `DELIMITER`. The last value of a name stays. Throws on a malformed line, as the platform
 * does.
 */
export function readCommandFile(text: string): Record<string, string> {
  const lines = text.split("\n");
  const values: Record<string, string> = {};
  while (lines.length > 0) {
    const line = lines.shift() ?? "";
    if (line !== "") Object.assign(values, readEntry(line, lines));
  }
  return values;
}

/** Reads the entry that begins with `line`; takes the lines that belong to it from the rest. */
function readEntry(line: string, rest: string[]): Record<string, string> {
  const [, name, delimiter = ""] = /^([^=<]+)<<(.+)$/.exec(line) ?? [];
  if (name === undefined) {
    const at = line.indexOf("=");
    if (at < 1) throw new Error(`Unable to process file command: ${line}`);
    return { [line.slice(0, at)]: line.slice(at + 1) };
  }
  const end = rest.indexOf(delimiter);
  if (end < 0) throw new Error(`Unable to process file command: no ${delimiter} after ${name}.`);
  const lines = rest.splice(0, end + 1).slice(0, -1);
  return { [name]: lines.join("\n") };
}
