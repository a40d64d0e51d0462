import * as core from "@actions/core";
import { z } from "zod";
import { NOTHING_RENTED } from "../../money/errors.ts";
import { oneLine } from "../../shared/foreign-text.ts";
import { maskSecret } from "../platform.ts";
import { crossFaults } from "./cross-checks.ts";
import { FailFastError, InputError, type NamedFault, NoSecretsError } from "./errors.ts";
import {
  type ByOption,
  byOption,
  decided,
  HIDDEN_INPUTS,
  type InputValues,
  inputSchema,
  SECRET_INPUTS,
  type SweepInputs,
  sweepInputSchema,
} from "./schema.ts";
import { mistypedFaults, REMOVED_INPUTS, unknownInputs } from "./unknown.ts";

/** A fault, and whether it says itself what was given. */
type GivenFault = NamedFault & { saysWhatIsThere?: boolean };

/** The inputs that a workflow takes from its secrets, and without which nothing can be rented. */
const NEEDED_SECRETS = ["api-key", "github-token"] as const;

/** Holds the inputs of this step. Each is read once, and secrets are masked first. */
class GivenInputs<Shape extends z.ZodRawShape> {
  readonly #given: Readonly<Record<string, string>>;
  readonly #read: Record<string, unknown> = {};
  readonly #faults: GivenFault[] = [];
  /** Every input, even if some are wrong. An input that can't be read has its default, or else an empty text. */
  readonly lenient: Readonly<ByOption<z.output<z.ZodObject<Shape>>>>;

  constructor(schema: z.ZodObject<Shape>) {
    const names = [...Object.keys(REMOVED_INPUTS), ...Object.keys(schema.shape)];
    this.#given = Object.fromEntries(names.map((name) => [name, core.getInput(name)]));
    const removed = Object.entries(REMOVED_INPUTS).filter(([name]) => this.#given[name] !== "");
    this.#faults.push(...removed.map(([name, wrong]) => ({ name, wrong })));
    for (const name of SECRET_INPUTS) maskSecret(this.#given[name]);
    // The token is masked by itself, too, because a part of the login may be shown.
    maskSecret(/-p\s+(\S+)/.exec(this.#given["image-login"] ?? "")?.[1]);
    const defaults: Record<string, unknown> = {};
    for (const [name, field] of Object.entries<z.core.$ZodType>(schema.shape)) {
      const { data, error } = z.safeParse(field, this.#given[name]);
      if (error === undefined) this.#read[name] = data;
      else defaults[name] = z.safeParse(field, "").data ?? "";
      for (const issue of error?.issues ?? []) {
        const saysWhatIsThere = issue.code === "custom" && issue.params?.saysWhatIsThere === true;
        this.#faults.push({ name, wrong: issue.message, saysWhatIsThere });
      }
    }
    this.lenient = byOption({ ...this.#read, ...defaults } as z.output<z.ZodObject<Shape>>);
  }

  /** True if the input could be read, if only as its default. */
  isGood(name: keyof Shape & string): boolean {
    return Object.hasOwn(this.#read, name);
  }

  /**
   * Returns all inputs. Throws if one of `names` is wrong, by default if any is, and says by `consequence` what that
   * means for the bill. `more`: further faults, of inputs that were read or of what is no input.
   */
  checked(
    consequence: string,
    names: readonly string[] = Object.keys(this.#given),
    more: (read: never) => NamedFault[] = () => [],
  ): z.output<z.ZodObject<Shape>> {
    const empty = NEEDED_SECRETS.filter((name) => this.#given[name] === "" && names.includes(name));
    if (empty.length > 0) throw new NoSecretsError(empty, consequence);
    const isWrongAlready = (name: string) => Object.hasOwn(this.#given, name) && !Object.hasOwn(this.#read, name);
    const others = more(this.#read as never).filter(({ name }) => !isWrongAlready(name));
    const faults = [...this.#faults.filter(({ name }) => names.includes(name)), ...others];
    if (faults.length === 0) return this.#read as z.output<z.ZodObject<Shape>>;
    const shown = faults.map((fault) => ({ name: fault.name, wrong: withGiven(fault, this.#given) }));
    throw new InputError(shown, consequence);
  }
}

/** The inputs of main and of post. */
export type ActionInputs = GivenInputs<(typeof inputSchema)["shape"]>;

/** Reads the inputs of main or of post. Never throws. `checked` says what is wrong. */
export function readInputs(): ActionInputs {
  return new GivenInputs(inputSchema);
}

/** Returns the inputs of main. Throws if any is wrong, or if a failing sibling in the matrix would end running jobs. */
export function checkedInputs(given: ActionInputs): Readonly<InputValues> {
  const mistyped = mistypedFaults(unknownInputs(process.env));
  const read = given.checked(NOTHING_RENTED, undefined, (inputs) => [...crossFaults(inputs), ...mistyped]);
  const jobs = read["strategy-job-total"];
  if (read["strategy-fail-fast"] && jobs > 1) throw new FailFastError(jobs, NOTHING_RENTED);
  return decided(read);
}

/** Checks only the inputs that destroying needs, so that no other wrong input keeps post from it. */
export function checkServiceInputs(given: ActionInputs, prefix: string): void {
  const consequence = `Machines whose label begins with ${prefix} may still be billing: destroy them in the service's console.`;
  given.checked(consequence, ["api-key", "api-url"]);
}

/** Reads and checks the inputs of the sweep. */
export function readSweepInputs(): SweepInputs {
  return Object.freeze(byOption(new GivenInputs(sweepInputSchema).checked("Nothing was swept.")));
}

function withGiven({ name, saysWhatIsThere, wrong }: GivenFault, given: Readonly<Record<string, string>>): string {
  const value = given[name] ?? "";
  // What is no input may be a secret under a wrong name.
  if (!Object.hasOwn(given, name)) return wrong;
  if (value === "") return `${wrong}, got nothing`;
  if (!HIDDEN_INPUTS.has(name)) return `${wrong}, got "${oneLine(value, 80)}"`;
  return saysWhatIsThere ? wrong : `${wrong}, got something that is not shown`;
}
