const LONGEST = 300;
/** A key, a token, a piece of a configuration: much unbroken base64, base64url or hex. */
const LONG_WORD = /[A-Za-z0-9+/_=-]{32,}/g;

/**
 * Makes foreign text (offers, `status_msg`, job names, error bodies) fit for one line: control
 * characters and line breaks become blanks; cut at 300 characters.
 */
export function oneLine(text: string, longest: number = LONGEST): string {
  // \p{Cc}, \p{Cf}: controls, and invisible ones (bidi overrides) that change how a line reads.
  const flat = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/ {2,}/g, " ")
    .trim();
  // Half a character at the cut would be a broken one.
  return flat.length <= longest ? flat : `${flat.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/**
 * Takes out every long word that looks like base64 or hex. A host may say the environment that it
 * was given, cut anywhere, and the platform masks whole secrets only.
 */
export function withoutKeys(text: string): string {
  return text.replace(LONG_WORD, (word) => (isKeyLike(word) ? `[${word.length} characters]` : word));
}

/** Not a ruler, a name of small letters only, or a path, such as that of an image. */
function isKeyLike(word: string): boolean {
  const has = (pattern: RegExp) => pattern.test(word);
  if (has(/[a-z]/) && has(/[A-Z]/)) return true;
  return has(/[a-z]/i) && has(/\d/) && !word.includes("/");
}

/** Keeps a line from being a workflow command: `::name::` at its start, `##[name]` anywhere. */
export function withoutCommands(line: string): string {
  // The runner trims NEL (U+0085), too. Blanks have no line ends: many empty lines stay fast.
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
