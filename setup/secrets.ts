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
