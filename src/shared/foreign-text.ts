/** What stays of a text that is too long: its end has the reason, and its beginning says whose it is. */
const HEAD = 100;
const TAIL = 200;

/** Matches what may be a key, a token or a piece of one: 32 or more characters of base64, base64url or hex. */
const LONG_WORD = /[A-Za-z0-9+/_=-]{32,}/g;

/** Secrets that foreign text may repeat, the longest first: one may be a part of another. */
let secrets: readonly string[] = [];

/** Makes `withoutSecrets` take out a secret from now on. */
export function knowSecret(secret: string): void {
  secrets = [...secrets, secret].sort((left, right) => right.length - left.length);
}

/**
 * Takes all known secrets out of a foreign text, where it is read: the platform hides them in logs, and
 * in no file. Ids and labels of ours must not pass here, as a secret may be a part of one.
 */
export function withoutSecrets(text: string): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, "***"), text);
}

/** Makes foreign text one line. Cuts a name at its end, at `longest`, and a reason, which has none, in its middle. */
export function oneLine(text: string, longest?: number): string {
  // \p{Cc}, \p{Cf}: controls, and invisible ones (bidi overrides) that change how a line reads.
  const flat = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/ {2,}/g, " ")
    .trim();
  const [head, tail] = longest === undefined ? [HEAD, TAIL] : [longest - 1, 0];
  if (flat.length <= head + 1 + tail) return flat;
  // A cut may split a surrogate pair, of which half is no character.
  const begin = flat.slice(0, head).replace(/[\uD800-\uDBFF]$/, "");
  return `${begin}…${flat.slice(flat.length - tail).replace(/^[\uDC00-\uDFFF]/, "")}`;
}

/** Takes out words that look like keys: a host may print parts of them, and the platform masks whole secrets only. */
export function withoutKeys(text: string): string {
  return text.replace(LONG_WORD, (word) => (isKeyLike(word) ? `[${word.length} characters]` : word));
}

/** True for a word like a key. False for dashes, for a name in small letters, and for a path without capitals. */
function isKeyLike(word: string): boolean {
  const has = (pattern: RegExp) => pattern.test(word);
  if (has(/[a-z]/) && has(/[A-Z]/)) return true;
  return has(/[a-z]/i) && has(/\d/) && !word.includes("/");
}

/** Keeps a line from being a workflow command: `::name::` at its start, `##[name]` anywhere. */
export function withoutCommands(line: string): string {
  // The runner trims NEL (U+0085), too. Line ends don't count as blanks here: else a text with many
  // empty lines would take long.
  return line.replace(/^((?:[^\S\r\n\u2028\u2029]|\u0085)*):(?=:)/gm, "$1: ").replace(/##\[/g, "## [");
}

/** Escapes text so that it can't be Markdown or HTML in a job summary, not even inside a table cell. */
export function withoutMarkdown(text: string, longest?: number): string {
  // The dot after www is escaped, too, because Markdown makes a link of `www.` and what follows.
  return oneLine(text, longest).replace(
    /[\\`*_{}[\]()#+!|<>~&@:/$-]|(?<=www)\./gi,
    (character) => `&#${character.charCodeAt(0)};`,
  );
}
