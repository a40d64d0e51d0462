import { randomBytes } from "node:crypto";

/** The account's things of one kind, each with a number of its own. */
export interface Store<Thing extends { readonly id: number }> {
  /** Those that there are, in the order in which they were made. */
  readonly all: Thing[];
  /** Gives a thing its number, and does not keep it. */
  make(given: Omit<Thing, "id">): Thing;
  /** Makes a thing and keeps it. */
  add(given: Omit<Thing, "id">): Thing;
  find(id: number): Thing | undefined;
  remove(thing: Thing): void;
}

/** Opens a store that counts from a number on. */
export function openStore<Thing extends { readonly id: number }>(firstId: number): Store<Thing> {
  const all: Thing[] = [];
  let next = firstId;
  const make = (given: Omit<Thing, "id">) => ({ ...given, id: next++ }) as Thing;
  return {
    all,
    make,
    add(given) {
      const thing = make(given);
      all.push(thing);
      return thing;
    },
    find: (id) => all.find((each) => each.id === id),
    remove: (thing) => void all.splice(all.indexOf(thing), 1),
  };
}

/** Draws a key as the service does. */
export function newKey(): string {
  return randomBytes(32).toString("hex");
}
