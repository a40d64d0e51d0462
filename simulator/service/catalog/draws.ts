import { createHash } from "node:crypto";

/** Draws numbers by the seed and their purpose alone: neither by their order nor by the clock. */
export class Draws {
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** From 0 up to, but not, 1. */
  unit(...what: readonly (string | number)[]): number {
    const digest = createHash("sha256")
      .update([this.#seed, ...what].join("/"))
      .digest();
    return digest.readUIntBE(0, 6) / 2 ** 48;
  }

  /** Evenly between two numbers. */
  between(low: number, high: number, ...what: readonly (string | number)[]): number {
    return low + (high - low) * this.unit(...what);
  }

  /** Standard normal (Box and Muller). */
  normal(...what: readonly (string | number)[]): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.unit(...what, "radius")));
    return radius * Math.cos(2 * Math.PI * this.unit(...what, "angle"));
  }
}
