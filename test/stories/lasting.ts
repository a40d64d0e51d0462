import type { World } from "./world.ts";

/** For how long things have held without a break, by their names. */
export class Lasting {
  readonly #world: World;
  readonly #since = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  /** In milliseconds; 0 as soon as it does not hold. */
  of(name: string, holds: boolean): number {
    if (!holds) this.#since.delete(name);
    else if (!this.#since.has(name)) this.#since.set(name, this.#world.now);
    return this.#world.now - (this.#since.get(name) ?? this.#world.now);
  }
}
