import { parseArgs } from "node:util";

/** A mistake in the command line, reported in one sentence, without a stack. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The runs to play, and how. */
export interface ChaosOptions {
  /** Infinite where the time decides. */
  runs: number;
  /** No run begins later than so many minutes after the start, by the wall clock. */
  minutes: number;
  seed: number;
  /** One run of the seed, instead of many. */
  run: number | undefined;
  /** Every run is one of a fleet. */
  fleets: boolean;
  /** Every run has what looks like evidence, and is none. */
  evidence: boolean;
  /** Runs side by side. */
  worlds: number;
  /** How much faster than the wall clock. */
  factor: number;
  /** How often a failing run may be played again to make it shorter. */
  shrink: number;
}

const DEFAULTS = { runs: 20, minutes: Number.POSITIVE_INFINITY, worlds: 12, factor: 12, shrink: 40 } as const;
const NAMES = ["runs", "minutes", "seed", "run", "worlds", "factor", "shrink"] as const;
type Name = (typeof NAMES)[number];

interface Kind {
  form: RegExp;
  least: number;
  most: number;
  words: string;
}

const whole = (least: number, most: number): Kind => ({
  ...{ form: /^\d{1,9}$/, least, most },
  words: `a whole number from ${least} to ${most}`,
});

const KINDS: Readonly<Record<Name, Kind>> = {
  runs: whole(1, 1_000_000),
  minutes: {
    form: /^\d{1,5}(\.\d{1,3})?$/,
    least: 0.001,
    most: 10_080,
    words: "a number above 0, at most 10080 (a week)",
  },
  seed: whole(0, 999_999_999),
  run: whole(0, 999_999_999),
  worlds: whole(1, 64),
  factor: whole(1, 100),
  shrink: whole(0, 1000),
};

/** Reads the command line; throws a UsageError that says why. `freshSeed`: where it has none. */
export function readOptions(args: string[], freshSeed: number): ChaosOptions {
  const { evidence = false, fleets = false, ...given } = parse(args);
  const { run, ...numbers } = readNumbers(given);
  if (run !== undefined && (numbers.minutes !== undefined || numbers.runs !== undefined))
    throw new UsageError("--run plays one run, so it can't be given with --runs or --minutes.");
  const runs = numbers.minutes === undefined ? DEFAULTS.runs : Number.POSITIVE_INFINITY;
  return { ...DEFAULTS, runs, seed: freshSeed, ...numbers, run, fleets, evidence };
}

function readNumbers(given: Partial<Record<Name, string>>): Partial<Record<Name, number>> {
  const names = NAMES.filter((name) => given[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, readNumber(name, given[name] ?? "")]));
}

function parse(args: string[]): Partial<Record<Name, string>> & { fleets?: boolean; evidence?: boolean } {
  const numbers = Object.fromEntries(NAMES.map((name) => [name, { type: "string" as const }]));
  try {
    const flags = { fleets: { type: "boolean" }, evidence: { type: "boolean" } } as const;
    const { evidence, fleets, ...given } = parseArgs({ args, options: { ...numbers, ...flags } }).values;
    const set = { ...(fleets === true && { fleets }), ...(evidence === true && { evidence }) };
    return { ...(given as Partial<Record<Name, string>>), ...set };
  } catch (fault) {
    // Its first sentence says what is wrong; the rest explains how options work.
    const [sentence] = (fault instanceof Error ? fault.message : String(fault)).split(". ");
    throw new UsageError(`${sentence?.replaceAll("\n", " ").replace(/\.$/, "")}.`);
  }
}

function readNumber(name: Name, text: string): number {
  const { form, least, most, words } = KINDS[name];
  const number = Number(text);
  if (!form.test(text) || number < least || number > most)
    throw new UsageError(`--${name} must be ${words}, not ${JSON.stringify(text)}.`);
  return number;
}
