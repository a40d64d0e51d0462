import { parseArgs } from "node:util";

/** A mistake in the command line, reported in one sentence, without a stack. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The numbers of the command line: the least and the most that each may be. */
const NUMBERS = {
  /** How many runs; infinite where the time decides. */
  runs: [1, 1_000_000],
  /** No run begins later than so many minutes after the start, by the wall clock. */
  minutes: [0.001, 10_080],
  seed: [0, 999_999_999],
  /** One run of the seed, instead of many. */
  run: [0, 999_999_999],
  /** Runs side by side, and how much faster than the wall clock. */
  worlds: [1, 64],
  factor: [1, 100],
  /** How often a failing run may be played again to make it shorter. */
  shrink: [0, 1000],
} as const;
type Name = keyof typeof NUMBERS;

/** The runs to play, and how. */
export interface ChaosOptions extends Readonly<Record<Exclude<Name, "run">, number>> {
  run: number | undefined;
  /** A file with one plan, instead of what the seed draws. */
  plan: string | undefined;
}

/** Reads the command line; throws a UsageError that says why. `freshSeed`: where it has none. */
export function readOptions(args: string[], freshSeed: number): ChaosOptions {
  const { plan, ...texts } = parse(args);
  const given = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, numberIn(name as Name, text)]));
  const { minutes = Number.POSITIVE_INFINITY, run, seed = freshSeed, worlds = 12, factor = 12, shrink = 40 } = given;
  const runs = given.runs ?? (given.minutes === undefined ? 20 : Number.POSITIVE_INFINITY);
  return { runs, minutes, seed, run, plan, worlds, factor, shrink };
}

function parse(args: string[]) {
  const text = { type: "string" } as const;
  const numbers = { runs: text, minutes: text, seed: text, run: text, worlds: text, factor: text, shrink: text };
  try {
    return parseArgs({ args, options: { ...numbers, plan: text } }).values;
  } catch (fault) {
    // Its first sentence says what is wrong; the rest explains how options work.
    const [sentence] = (fault instanceof Error ? fault.message : String(fault)).split(". ");
    throw new UsageError(`${sentence}.`);
  }
}

function numberIn(name: Name, text: string): number {
  const [least, most] = NUMBERS[name];
  const number = Number(text);
  if (!(number >= least && number <= most) || (name !== "minutes" && !Number.isInteger(number)))
    throw new UsageError(`--${name} must be a number from ${least} to ${most}, not ${JSON.stringify(text)}.`);
  return number;
}
