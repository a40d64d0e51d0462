import * as core from "@actions/core";
import type { z } from "zod";
import { oneLine } from "../../text/foreign-text.ts";
import { maskSecret } from "../platform/secrets.ts";
import { crossFaults } from "./cross-checks.ts";
import { InputError, NoSecretsError } from "./input-errors.ts";
import { HIDDEN_INPUTS, type InputValues, inputSchema, SECRET_INPUTS } from "./input-schema.ts";

/**
 * Reads and checks inputs, all at once. Secrets are masked first, so that no fault can print them. `consequence` tells, in an error,
 * what it means for the bill.
 */
export function readWith<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  consequence: string,
): Readonly<z.output<z.ZodObject<Shape>>> {
  const given = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, core.getInput(name)]));
  for (const name of SECRET_INPUTS) maskSecret(given[name]);
  // A login may be shown in parts: its token alone is as secret as the whole.
  maskSecret(/-p\s+(\S+)/.exec(given["image-login"] ?? "")?.[1]);
  if (given["api-key"] === "") throw new NoSecretsError(consequence);
  const answer = schema.safeParse(given);
  const faults = (answer.error?.issues ?? []).map((issue) =>
    describeFault(String(issue.path[0]), issue.message, given),
  );
  faults.push(...togetherFaults(given));
  faults.push(...crossFaults(given).map(({ name, wrong }) => describeFault(name, wrong, given)));
  if (answer.success && faults.length === 0) return Object.freeze(answer.data);
  throw new InputError(faults, consequence);
}

/** What is wrong with inputs that are right one by one. Those that were not read are left alone. */
function togetherFaults(given: Readonly<Record<string, string>>): string[] {
  const { image, "template-hash-id": hash, "template-name": name } = given;
  if (image === undefined) return [];
  if (hash && name) return [TWO_TEMPLATES];
  return `${image}${hash}${name}` === "" ? [NO_IMAGE] : [];
}

const TWO_TEMPLATES =
  "template-name: stands beside template-hash-id, allowed is one of template-name and template-hash-id, given were both";

const NO_IMAGE =
  "image: is missing, allowed is a container image, such as pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime, or a template (template-name or template-hash-id) that brings one, nothing was given";

/** All inputs, for main. */
export function readInputs(): Readonly<InputValues> {
  return readWith(inputSchema, "Nothing was rented.");
}

// Only what the destruction needs is checked: a token that expired meanwhile must not keep post from it.
const postSchema = inputSchema.pick({ "api-key": true, "api-url": true });

/** What post reads anew to give back what is rented. All else comes from the ledger. */
export type PostInputs = Readonly<z.output<typeof postSchema>>;

/** What tells which jobs of the run are ours, and what is to become of one that is left waiting. */
export type RunInputs = Readonly<Pick<InputValues, (typeof RUN_INPUTS)[number]>> & {
  /** False: `name` can't be used, so that nobody knows which jobs are ours. */
  readonly knowsLabel: boolean;
};

const RUN_INPUTS = [
  "github-token",
  "job-token",
  "name",
  "runner-scope",
  "runner-group-id",
  "cancel-run",
  "job-check-run-id",
  "job-status",
] as const;

/** Reads them whatever is wrong with the others: a job that waits for a machine must not be forgotten for a slip in `max-price`. */
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
