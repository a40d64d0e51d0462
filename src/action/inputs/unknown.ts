import { oneLine } from "../../shared/foreign-text.ts";
import { editDistance } from "../../shared/text.ts";
import type { NamedFault } from "./errors.ts";
import { inputSchema } from "./schema.ts";

/** Inputs that there were once, with what to write instead: a line that has no effect any more is refused by name. */
export const REMOVED_INPUTS: Readonly<Record<string, string>> = {
  "cancel-run": "is gone, write `if-no-machine: auto`, `cancel` or `leave`",
  "volume-create-new":
    "is gone, as each use left a volume that bills for ever: make the volume once, in the service's console or by the client (docs/client.md), and write `volume-id: ID`",
  "volume-size": "is gone with volume-create-new, leave the line out: `volume-id: ID` gives a volume as it is",
};

const INPUT_NAMES = Object.keys(inputSchema.shape);
const MOST_SLIPS = 2;
/** A shorter name may be two letters off by chance. */
const LEAST_LETTERS = 7;

/** Lists what the platform hands this step as inputs, known or not, though this action has none of that name. */
export function unknownInputs(env: NodeJS.ProcessEnv): string[] {
  return Object.keys(env)
    .filter((variable) => variable.startsWith("INPUT_"))
    .map((variable) => variable.slice("INPUT_".length).toLowerCase())
    .filter((name) => !INPUT_NAMES.includes(name) && !Object.hasOwn(REMOVED_INPUTS, name));
}

/** Finds names that are a slip of an input's: without effect they would lift a limit that was meant. */
export function mistypedFaults(unknown: readonly string[]): NamedFault[] {
  return unknown.flatMap((name) =>
    inputsMeantBy(name).map((meant) => ({ name: oneLine(name, 60), wrong: `is no input, write ${meant}` })),
  );
}

/** Names in one line what is no input of ours, and may be meant for another. Undefined: there is none. */
export function unknownLine(unknown: readonly string[]): string | undefined {
  if (unknown.length === 0) return undefined;
  return `This action has no such inputs, and goes on without them: ${oneLine(unknown.join(", "))}. They stand in \`with:\`, or as INPUT_… in \`env:\`.`;
}

function inputsMeantBy(name: string): string[] {
  const written = name.replaceAll("_", "-");
  if (!written.includes("-") || written.length > 60 || written.replaceAll("-", "").length < LEAST_LETTERS) return [];
  const slips = (ours: string) => editDistance(written, ours);
  const near = INPUT_NAMES.filter((ours) => slips(ours) <= MOST_SLIPS);
  return near.toSorted((one, other) => slips(one) - slips(other)).slice(0, 1);
}
