import { readFileSync } from "node:fs";
import { Scenario } from "./scenario.ts";

/** A mistake in a command line: told in one sentence, without a stack. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Reads a scenario file; throws a UsageError that says what is wrong with it. */
export function readScenario(path: string): Scenario {
  try {
    const checked = Scenario.safeParse(JSON.parse(readFileSync(path, "utf8")));
    if (checked.success) return checked.data;
    const { path: where, message } = checked.error.issues[0] ?? { path: [], message: "" };
    throw new Error(`${where.join(".") || "the file"}: ${message}`);
  } catch (fault) {
    throw new UsageError(`--scenario ${path} can't be used: ${fault instanceof Error ? fault.message : fault}`);
  }
}
