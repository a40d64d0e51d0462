/** Chance that its seed decides: numbers drawn in one order are the same for every policy. */
export class Draws {
  #state: number;

  /** One stream for each (seed, trial, name). */
  constructor(...seeds: (number | string)[]) {
    this.#state = 2_166_136_261;
    for (const letter of seeds.join(" ")) this.#state = Math.imul(this.#state ^ letter.charCodeAt(0), 16_777_619);
    for (let turn = 0; turn < 8; turn += 1) this.next();
  }

  /** From 0 to 1. The generator mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  uniform(from: number, to: number): number {
    return from + (to - from) * this.next();
  }

  isTrue(chance: number): boolean {
    return this.next() < chance;
  }

  /** Standard normal. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }
}

export function clip(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
