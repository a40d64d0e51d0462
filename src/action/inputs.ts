import * as core from "@actions/core";
import { z } from "zod";
import { oneLine } from "../shared/foreign-text.ts";
import { crossFaults } from "./cross-checks.ts";
import { FailFastError, InputError, NoSecretsError } from "./input-errors.ts";
import { decided, HIDDEN_INPUTS, type InputValues, inputSchema, SECRET_INPUTS } from "./input-schema.ts";
import { maskSecret } from "./secrets.ts";

/**
 * Reads and checks inputs, all at once, secrets masked first: no fault can print them.
 * `consequence` tells in an error what it means for the bill; `together` finds faults of inputs
 * that are right one by one.
 */
export function readWith<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  consequence: string,
  together: (read: Partial<z.output<z.ZodObject<Shape>>>) => { name: string; wrong: string }[] = () => [],
): Readonly<z.output<z.ZodObject<Shape>>> {
  const given = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, core.getInput(name)]));
  for (const name of SECRET_INPUTS) maskSecret(given[name]);
  // A login may be shown in parts: its token alone is as secret as the whole.
  maskSecret(/-p\s+(\S+)/.exec(given["image-login"] ?? "")?.[1]);
  if (given["api-key"] === "") throw new NoSecretsError(consequence);
  const read: Record<string, unknown> = {};
  const alone: { name: string; wrong: string }[] = [];
  for (const [name, field] of Object.entries<z.core.$ZodType>(schema.shape)) {
    const { data, error } = z.safeParse(field, given[name]);
    if (error === undefined) read[name] = data;
    for (const { message } of error?.issues ?? []) alone.push({ name, wrong: message });
  }
  const faults = [...alone, ...together(read as never).filter(({ name }) => Object.hasOwn(read, name))];
  if (faults.length === 0) return Object.freeze(read as z.output<z.ZodObject<Shape>>);
  throw new InputError(
    faults.map(({ name, wrong }) => ({ name, line: describeFault(name, wrong, given) })),
    consequence,
  );
}

/** All inputs. Throws FailFastError where a failed sibling would take running jobs' machines. */
export function readInputs(): Readonly<InputValues> {
  const read = readWith(inputSchema, "Nothing was rented.", crossFaults);
  const jobs = read["strategy-job-total"];
  if (read["strategy-fail-fast"] && jobs > 1) throw new FailFastError(jobs, "Nothing was rented.");
  return decided(read);
}

// Only what destroying needs: a token that expired meanwhile must not keep post from it.
const postSchema = inputSchema.pick({ "api-key": true, "api-url": true });

/** The inputs that post reads anew to give back what is rented; the ledger has the rest. */
export type PostInputs = Readonly<z.output<typeof postSchema>>;

/** The inputs that tell which jobs are ours, and what becomes of one that is left waiting. */
export type RunInputs = Readonly<Pick<InputValues, (typeof RUN_INPUTS)[number]>> & {
  /** False: `name` can't be used, so that nobody knows which jobs are ours. */
  readonly knowsLabel: boolean;
};

const RUN_INPUTS = [
  "github-token",
  "job-token",
  "name",
  "check",
  "runner-scope",
  "runner-group-id",
  "if-no-machine",
  "job-check-run-id",
  "job-status",
] as const;

/** Reads them whatever else is wrong: a slip in `max-price` must not leave a job waiting. */
export function readRunInputs(): RunInputs {
  for (const name of SECRET_INPUTS) maskSecret(core.getInput(name));
  const entries = RUN_INPUTS.map((name) => {
    const field = inputSchema.shape[name];
    return [name, field.safeParse(core.getInput(name)).data ?? field.safeParse("").data ?? ""];
  });
  const knowsLabel = inputSchema.shape.name.safeParse(core.getInput("name")).success;
  return Object.freeze({ ...Object.fromEntries(entries), knowsLabel }) as RunInputs;
}

/** The inputs of post. A fault here means that the machine can't be given back. */
export function readPostInputs(prefix: string): PostInputs {
  return readWith(
    postSchema,
    `Machines whose label begins with ${prefix} may still be billing: destroy them in the service's console.`,
  );
}

function describeFault(name: string, wrong: string, given: Record<string, string>): string {
  const value = given[name] ?? "";
  if (value === "") return `${name}: ${wrong}, nothing was given`;
  return `${name}: ${wrong}, given was ${HIDDEN_INPUTS.has(name) ? "something that is not shown" : `"${oneLine(value, 80)}"`}`;
}
