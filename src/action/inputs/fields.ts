import { z } from "zod";
import { isReservedName } from "../../machine/script/onstart-env.ts";
import { FILTER_OPERATORS, type GivenFilter } from "../../offers/offer-requirements.ts";
import { parseDuration } from "../../shared/duration.ts";
import { isLoopback } from "../../shared/http-client.ts";
import { isRecord, readJson } from "../../shared/json.ts";
import { either } from "../../shared/text.ts";

/** Reads the text of one input into a value. An empty text counts as not given. */
type Field<T> = z.ZodType<T, string | undefined>;

/** Says what is wrong with an input and what is allowed. A reader returns it instead of a value. */
export class Wrong {
  readonly wrong: string;
  /** True if that says what was given: where the value is not shown, nothing is said of that. */
  readonly saysWhatIsThere: boolean;

  constructor(wrong: string, saysWhatIsThere = false) {
    this.wrong = wrong;
    this.saysWhatIsThere = saysWhatIsThere;
  }
}

/** Makes a field of a reader, which gets the fallback if the text is empty. */
export function field<T>(read: (text: string) => T | Wrong, fallback = ""): Field<T> {
  return z
    .string()
    .optional()
    .transform((given, context) => {
      const value = read(given?.trim() || fallback);
      if (!(value instanceof Wrong)) return value;
      const { wrong: message, saysWhatIsThere } = value;
      context.addIssue({ code: "custom", message, params: { saysWhatIsThere } });
      return z.NEVER;
    });
}

/** Makes a field for a text that matches a pattern. It may be empty unless it is required. */
export function textField(allowed: { pattern: RegExp; words: string; required?: boolean }): Field<string> {
  return field((text) => {
    const isGood = text === "" ? !allowed.required : allowed.pattern.test(text);
    return isGood ? text : new Wrong(`must be ${allowed.words}`);
  });
}

/** A word in place of a number or a duration, and what it stands for. */
interface InPlace<Value> {
  word?: string;
  means?: Value;
  fallback?: string;
}

/** The action decides, by default. */
export const AUTO = { word: "auto", means: "auto", fallback: "auto" } as const;
/** There is no limit. Without a fallback beside it the word, or a limit, must be given. */
export const NONE = { word: "none", means: undefined } as const;
/** It may be left out. */
export const OPTIONAL = { word: "", means: undefined } as const;

/** Makes a field of a reader of numbers, which gets the words for what may stand in place of one. */
function numberOr<Value>(
  { word, means, fallback }: InPlace<Value>,
  read: (text: string, or: string) => number | Wrong,
): Field<number | Value> {
  const or = word ? `${word} or ` : "";
  return field((text) => (text.toLowerCase() === word ? (means as Value) : read(text, or)), fallback);
}

interface NumberBounds {
  min: number;
  max: number;
  whole?: boolean;
  unit: string;
}

/** Makes a field for a number in plain decimal notation, within bounds. */
export function numberField<Value = never>(allowed: NumberBounds & InPlace<Value>): Field<number | Value> {
  const { min, max, whole, unit } = allowed;
  return numberOr(allowed, (text, or) => {
    const words = `${or}${whole ? "a whole number" : "a number"} from ${min} to ${max} ${unit}`.trim();
    const value = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
    const fits = value >= min && value <= max && (!whole || Number.isInteger(value));
    return fits ? value : new Wrong(`must be ${words}`);
  });
}

/** Makes a field for a duration within bounds. Its value is in milliseconds. */
export function durationField<Value = never>(
  allowed: { min: string; max: string } & InPlace<Value>,
): Field<number | Value> {
  const { min, max } = allowed;
  return numberOr(allowed, (text, or) => {
    const words = `${or}a duration from ${min} to ${max}, written like 90s, 10m, 2h or 1h30m`;
    if (/^\d+(\.\d+)?$/.test(text)) return new Wrong(`has no unit; must be ${words}`);
    const value = parseDuration(text);
    const fits = value !== undefined && value >= Number(parseDuration(min)) && value <= Number(parseDuration(max));
    return fits ? value : new Wrong(`must be ${words}`);
  });
}

/** Words that are refused, each with what is to be said of it. The first row that matches counts. */
export type Refused = readonly (readonly [pattern: RegExp, why: string])[];

/** Makes a field for one of a few words. */
export function choiceField<Choice extends string>(
  choices: readonly Choice[],
  fallback: Choice,
  refused: Refused = [],
): Field<Choice> {
  return field((text) => {
    const word = text.toLowerCase();
    const [, why] = refused.find(([pattern]) => pattern.test(word)) ?? [];
    const wrong = new Wrong(`${why === undefined ? "" : `${why}; `}must be ${either(choices)}`);
    return choices.find((choice) => choice === word) ?? wrong;
  }, fallback);
}

/** Makes a field for `true` or `false`. */
export function booleanField(fallback: boolean, refused?: Refused): Field<boolean> {
  return choiceField(["true", "false"], `${fallback}`, refused).transform((word) => word === "true");
}

/** Makes a field for the service's address. The API key is sent there, so it must be https, or on this very machine. */
export function addressField(fallback: string): Field<string> {
  return field((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
    if (!url || !isSafe || url.username !== "" || url.search !== "" || url.hash !== "") {
      return new Wrong("must be an https address (http only for this machine itself), without user, query or fragment");
    }
    return url.href.replace(/\/+$/, "");
  }, fallback);
}

const MOST_ENV_CHARACTERS = 16_384;

/** Makes a field for lines `NAME=value`. Blank lines and lines that begin with # are left out. */
export function envField(): Field<Record<string, string>> {
  return field((text) => {
    const lines = text.split("\n").map((line) => line.trim());
    const entries = lines.filter((line) => line !== "" && !line.startsWith("#"));
    const wrong = entries.findIndex((line) => !/^[A-Za-z_][A-Za-z0-9_]*=/.test(line));
    if (wrong >= 0) return new Wrong(`entry ${wrong + 1} must be NAME=value, one a line`);
    const pairs = entries.map((line) => line.split(/=(.*)/s, 2) as [name: string, value: string]);
    const reserved = pairs.map(([name]) => name).find(isReservedName);
    if (reserved !== undefined)
      return new Wrong(`must set no ${reserved}, which the runner or the service uses itself`);
    const [fault] = pairs.flatMap(([name, value]) => faultOfVariable(name, value) ?? []);
    if (fault !== undefined) return new Wrong(fault, true);
    if (text.length > MOST_ENV_CHARACTERS) return new Wrong(`must be at most ${MOST_ENV_CHARACTERS} characters`);
    return Object.fromEntries(pairs);
  });
}

/** Variables by which every program of the machine is found or loaded, its own guards included. */
const OF_EVERY_PROGRAM = ["PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV"];

/** A name in capitals that begins an element of a path or of a list: `/x:$PATH`, `$HOME/x`, `${USER}`. */
const REFERENCE = /(?:^|[:/,])\$\{?[A-Z_][A-Z0-9_]*(?![A-Za-z0-9_])/;

/**
 * Says what is wrong with a variable of the machine, as the end of a sentence; undefined for a good one.
 * A dollar elsewhere, as in a password or in a line of shell, may be meant. No value is shown.
 */
export function faultOfVariable(name: string, value: string): string | undefined {
  const inJob = name === "PATH" ? "have the job write folders into $GITHUB_PATH" : "set it in the job's own env";
  if (OF_EVERY_PROGRAM.includes(name))
    return `sets ${name}, by which the machine finds its own programs, too: ${inJob}, or set it in the image`;
  const isOwn = value.includes(`$${name}`) || value.includes(`\${${name}}`);
  if (!isOwn && !REFERENCE.test(value)) return undefined;
  return `sets ${name} to the value of another variable ($NAME), and variables are not expanded here: write the value itself, or set ${name} in the job (into $GITHUB_ENV) or in the image`;
}

const MOST_FILTER_CHARACTERS = 4000;
const LISTING: readonly string[] = ["in", "notin"];
const LIST = { fits: z.array(z.string().or(z.number())).min(1), words: "a list of texts and numbers" };
const SCALAR = { fits: z.string().or(z.number()).or(z.boolean()), words: "a text, a number, true or false" };
/** An offer's fields that the action sets itself. No user's filter may change them. */
const OURS: readonly string[] = ["rentable", "rented", "type", "limit", "order", "allocated_storage"];

/** Makes a field for JSON in the service's own form: `{"<field>": {"<operator>": <value>}}`. */
export function filterField(): Field<GivenFilter> {
  return field((text) => {
    if (text.length > MOST_FILTER_CHARACTERS) return new Wrong(`must be at most ${MOST_FILTER_CHARACTERS} characters`);
    const given = readJson(text);
    if (!isRecord(given))
      return new Wrong('must be a JSON object in the service\'s own form, such as {"disk_bw": {"gte": 500}}');
    const faults = Object.entries(given).flatMap(([name, filter]) => faultsOf(name, filter));
    // Checked above, field by field.
    return faults[0] ?? (given as GivenFilter);
  }, "{}");
}

function faultsOf(name: string, filter: unknown): Wrong[] {
  if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name)) return [new Wrong("must have an offer's fields as names")];
  if (OURS.includes(name)) return [new Wrong(`must set no ${name}, which the action sets itself`)];
  if (!isRecord(filter) || Object.keys(filter).length === 0)
    return [new Wrong(`${name} must be an object of operators, such as {"gte": 500}`)];
  return Object.entries(filter).flatMap(([operator, value]) => {
    if (!FILTER_OPERATORS.some((known) => known === operator))
      return [new Wrong(`${name} must have operators of ${FILTER_OPERATORS.join(", ")}`)];
    const { fits, words } = LISTING.includes(operator) ? LIST : SCALAR;
    return fits.safeParse(value).success ? [] : [new Wrong(`${name}.${operator} must be ${words}`)];
  });
}

/** Makes a field for values that are separated by commas, or one a line. `read` makes a value of each that matches. */
export function listField<Value>(allowed: {
  pattern: RegExp;
  words: string;
  most: number;
  read: (text: string) => Value | Wrong;
}): Field<readonly Value[]> {
  return field((text) => {
    const entries = text
      .split(/[,\n]/)
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "");
    const words = `${allowed.words}, several separated by commas or one a line`;
    if (entries.length > allowed.most) return new Wrong(`must be at most ${allowed.most} entries`);
    if (!entries.every((entry) => allowed.pattern.test(entry))) return new Wrong(`must be ${words}`);
    const values = new Set<Value>();
    for (const value of entries.map(allowed.read)) {
      if (value instanceof Wrong) return value;
      values.add(value);
    }
    return [...values];
  });
}
