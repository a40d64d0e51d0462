/** The error annotation of a stage, as people read it. */
export interface ShownError {
  /** The name of its class, which ends its title. */
  name: string;
  message: string;
  /** The line that says what to do; empty when there is none. */
  hint: string;
}

/**
 * Reads the one error that ended a log's step, its escapes undone. Throws on none, on several, and
 * on one whose annotation lacks the log's way out. Titles of several words belong to what came
 * before.
 */
export function shownError(log: string): ShownError {
  const lines = log.split("\n");
  const found = lines.flatMap((line) => {
    const [, name, message] = /^::error title=(?:[^:]* \()?(\w+)\)?::(.*)$/.exec(line) ?? [];
    return name === undefined || message === undefined ? [] : [{ name, message: withoutEscapes(message) }];
  });
  const [error] = found;
  if (error === undefined || found.length > 1) throw new Error(`Expected one error, found ${found.length}:\n${log}`);
  const hint = lines.find((line) => line.startsWith("What to do: "))?.slice("What to do: ".length) ?? "";
  const [message = "", ...more] = error.message.split("\nWhat to do: ");
  if (hint !== "" && !more.join("").startsWith(hint)) throw new Error(`The annotation lacks its hint:\n${log}`);
  return { name: error.name, message: message.replace(/\nJob: '[\s\S]*$/, ""), hint };
}

/** The warnings of a log, in order. */
export function shownWarnings(log: string): string[] {
  return log.split("\n").flatMap((line) => (line.startsWith("::warning::") ? [withoutEscapes(line.slice(11))] : []));
}

function withoutEscapes(text: string): string {
  return text.replaceAll("%0A", "\n").replaceAll("%0D", "\r").replaceAll("%25", "%");
}
