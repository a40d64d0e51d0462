/** All secrets that were read, so that nothing that is printed can hold one. */
export class Secrets {
  readonly #known = new Set<string>();

  /** Remembers a secret, and gives it back without the blanks of a paste. */
  keep(secret: string): string {
    const trimmed = secret.trim();
    for (const part of [trimmed, ...trimmed.split("\n")]) {
      // A short line is no secret, and its mask would make other text unreadable.
      if (part.trim().length >= 8) this.#known.add(part.trim());
    }
    return trimmed;
  }

  /** The text with stars in the place of every secret. */
  hide(text: string): string {
    let hidden = text;
    for (const secret of this.#known) hidden = hidden.replaceAll(secret, "***");
    return hidden;
  }
}

/** Control characters could move the cursor, and rewrite what stands there already. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;

/** What changes the order in which a line is shown, or ends it where no line ends. */
const DISORDER = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The text as it stands, whatever a terminal would make of it. */
export function visible(text: string): string {
  const named = (sign: string) => `<U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}>`;
  return text.replaceAll(DISORDER, named).replaceAll(CONTROL, "");
}

/** Where a write goes to. */
export interface Sink {
  write(text: string): unknown;
}

/** All that people read beside the questions: plain lines, without any secret. */
export class Screen {
  readonly #sink: Sink;
  readonly #secrets: Secrets;

  constructor(sink: Sink, secrets: Secrets) {
    this.#sink = sink;
    this.#secrets = secrets;
  }

  /** One line, or several: no secret, and nothing of others that steers a terminal or hides what stands there. */
  say(text = ""): void {
    this.#sink.write(`${visible(this.#secrets.hide(text))}\n`);
  }

  /** A heading with an empty line before it. */
  head(text: string): void {
    this.say(`\n${text}`);
  }

  /** A table: the first row is its head; columns are as wide as their widest cell. */
  table(rows: readonly (readonly string[])[]): void {
    const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
    for (const row of rows)
      this.say(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd());
  }
}
