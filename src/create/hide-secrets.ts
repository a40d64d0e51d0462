import { withoutKeys } from "../shared/foreign-text.ts";

/** Of our own variables only runner configurations are secrets; the rest is addresses and names. */
const OWN_PUBLIC = /^GHR_(?!JIT(?:_\d)?$)/;
const SOUNDS_SECRET = /key|token|secret|pass|pwd|auth|login|credential/i;
/** A shorter value is a number, a flag or a word, and would be hidden in other places. */
const SHORTEST = 8;
const SHORTEST_SECRET = 4;

/**
 * Makes a function that takes out of a machine's output what must not be read in a job's log: the
 * values of its environment (each by the variable's name), and every long word that looks like
 * base64, which the instance's own key does.
 */
export function secretHider(env: Readonly<Record<string, string>>): (text: string) => string {
  const pieces = Object.entries(env)
    .filter(([name]) => !OWN_PUBLIC.test(name))
    .flatMap(([name, value]) => linesOf(name, value))
    // The longest first: a value may be a part of another one.
    .sort((left, right) => right.piece.length - left.piece.length);
  return (text) => {
    const known = pieces.reduce((hidden, { name, piece }) => hidden.replaceAll(piece, `[${name}]`), text);
    return withoutKeys(known);
  };
}

/** A value of several lines is printed in several lines, and a log may begin with any of them. */
function linesOf(name: string, value: string): { name: string; piece: string }[] {
  const shortest = SOUNDS_SECRET.test(name) ? SHORTEST_SECRET : SHORTEST;
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return lines.filter((piece) => piece.length >= shortest).map((piece) => ({ name, piece }));
}
