import { randomBytes } from "node:crypto";

/** The account's things of one kind, each with a number of its own. */
export type Store<Thing extends Numbered> = ReturnType<typeof openStore<Thing>>;

interface Numbered {
  readonly id: number;
}

/** Opens a store that counts from a number on. */
export function openStore<Thing extends Numbered>(firstId: number) {
  const all: Thing[] = [];
  let next = firstId;
  /** Gives a thing its number, and does not keep it. */
  const make = (given: Omit<Thing, "id">) => ({ ...given, id: next++ }) as Thing;
  return {
    /** Those that there are, in the order in which they were made. */
    all,
    make,
    /** Makes a thing and keeps it. */
    add(given: Omit<Thing, "id">): Thing {
      const thing = make(given);
      all.push(thing);
      return thing;
    },
    find: (id: number) => all.find((each) => each.id === id),
    remove: (thing: Thing) => void all.splice(all.indexOf(thing), 1),
  };
}

/** Draws a key as the service does. */
export function newKey(): string {
  return randomBytes(32).toString("hex");
}
