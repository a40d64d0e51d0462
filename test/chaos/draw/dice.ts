/** Draws that depend on a seed alone: mulberry32 over a hash of the seed's text. */
export class Dice {
  #state: number;

  constructor(seed: string) {
    let hash = 2_166_136_261;
    for (const letter of seed) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619);
    this.#state = hash;
  }

  /** From 0 up to, but not, 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number, both ends included. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.fraction() * (to - from + 1));
  }

  /** True that often, from 0 to 1. */
  chance(share: number): boolean {
    return this.fraction() < share;
  }

  /** One of them, each as often as the others. */
  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.whole(0, choices.length - 1)];
    if (choice === undefined) throw new Error("There is nothing to choose from.");
    return choice;
  }

  /** One of the names, each as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let left = this.fraction() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    throw new Error("No choice has a weight.");
  }

  /** So many draws. */
  several<T>(from: number, to: number, draw: () => T): T[] {
    return Array.from({ length: this.whole(from, to) }, draw);
  }
}
