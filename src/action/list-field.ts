import { Fault, type Field, field } from "./input-fields.ts";

/** Values separated by commas or one a line; none when empty. `read` brings each into its form. */
export function listField<Value>(allowed: {
  pattern: RegExp;
  words: string;
  most: number;
  read: (text: string) => Value;
}): Field<readonly Value[]> {
  return field((text) => {
    const entries = text
      .split(/[,\n]/)
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "");
    const words = `${allowed.words}, several separated by commas or one a line`;
    if (entries.length > allowed.most) return new Fault(`is too long, allowed are ${allowed.most} entries`);
    if (!entries.every((entry) => allowed.pattern.test(entry))) return new Fault(`is not valid, allowed is ${words}`);
    return [...new Set(entries.map(allowed.read))];
  }, "");
}
