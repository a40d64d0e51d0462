const LONGEST = 300;

/**
 * Makes text that others wrote (offers, `status_msg`, job names, error bodies) fit for one line of our own: control characters
 * and line breaks become blanks, and it is cut at 300 characters.
 */
export function oneLine(text: string, longest: number = LONGEST): string {
  // \p{Cc} and \p{Cf}: control characters and invisible ones such as bidi overrides, which can make a line read differently.
  const flat = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/ {2,}/g, " ")
    .trim();
  // Half a character at the cut would be a broken one.
  return flat.length <= longest ? flat : `${flat.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/**
 * Takes from a line the power to be a workflow command: the runner obeys `::name::` at the start of a line and the old
 * `##[name]` anywhere in it.
 */
export function withoutCommands(line: string): string {
  // The runner trims NEL (U+0085), too. Line ends are left out of the blanks: `^` finds each line, and many empty ones take no long time.
  return line.replace(/^((?:[^\S\r\n\u2028\u2029]|\u0085)*):(?=:)/gm, "$1: ").replace(/##\[/g, "## [");
}

/** Takes from text the power to be Markdown or HTML in a job summary, inside a table cell too. */
export function withoutMarkdown(text: string, longest: number = LONGEST): string {
  // The dot behind www: it alone makes a link of what follows.
  return oneLine(text, longest).replace(
    /[\\`*_{}[\]()#+!|<>~&@:/$-]|(?<=www)\./gi,
    (character) => `&#${character.charCodeAt(0)};`,
  );
}
