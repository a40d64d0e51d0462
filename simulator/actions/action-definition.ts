import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

const schema = z.looseObject({
  inputs: z.record(z.string(), z.looseObject({ default: z.coerce.string().optional() })),
  outputs: z.record(z.string(), z.looseObject({})).default({}),
  runs: z.looseObject({ using: z.string(), main: z.string(), post: z.string().optional() }),
});

/** The content of an action.yml. */
export type ActionDefinition = z.infer<typeof schema>;

type Texts = Readonly<Record<string, string>>;

/** Reads the action.yml of a folder. */
export function readAction(folder: string): ActionDefinition {
  return schema.parse(parse(readFileSync(join(folder, "action.yml"), "utf8")));
}

/**
 * The inputs of one stage: what `with:` gives, declared or not, else the default, its expressions evaluated
 * now. `contexts`: `github.token` and the like, by their whole path.
 */
export function inputVariables(action: ActionDefinition, given: Texts, contexts: Texts): Record<string, string> {
  const names = [...Object.keys(action.inputs), ...undeclared(action, given)];
  const value = (name: string) => evaluate(given[name] ?? action.inputs[name]?.default ?? "", contexts);
  return Object.fromEntries(names.map((name) => [`INPUT_${name.replaceAll(" ", "_").toUpperCase()}`, value(name)]));
}

function undeclared(action: ActionDefinition, given: Texts): string[] {
  return Object.keys(given).filter((name) => !(name in action.inputs));
}

/** The platform's own line about inputs that the action does not declare; empty: there is none. */
export function inputWarning(action: ActionDefinition, given: Texts): string {
  const quoted = (names: readonly string[]) => names.map((name) => `'${name}'`).join(", ");
  const unknown = undeclared(action, given);
  if (unknown.length === 0) return "";
  return `##[warning]Unexpected input(s) ${quoted(unknown)}, valid inputs are [${quoted(Object.keys(action.inputs))}]\n`;
}

function evaluate(text: string, contexts: Texts): string {
  return text.replace(/\$\{\{\s*([\w.-]+)\s*\}\}/g, (_, path: string) => {
    const value = contexts[path];
    if (value === undefined) throw new Error(`This stand-in does not know the context ${path}.`);
    return value;
  });
}
