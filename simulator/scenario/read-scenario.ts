import { readFileSync } from "node:fs";
import type { z } from "zod";
import { Scenario } from "./scenario.ts";

/** A mistake in a command line: told in one sentence, without a stack. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Reads what an option gives by a schema; throws a UsageError that says what is wrong with it, by `whole` as a whole. */
export function readGiven<Shape extends z.ZodType>(
  option: string,
  { whole, read, shape }: { whole: string; read: () => unknown; shape: Shape },
): z.output<Shape> {
  try {
    const checked = shape.safeParse(read());
    if (checked.success) return checked.data;
    const { path, message } = checked.error.issues[0] ?? { path: [], message: "" };
    throw new Error(`${path.join(".") || whole}: ${message}`);
  } catch (fault) {
    throw new UsageError(`${option} can't be used: ${fault instanceof Error ? fault.message : fault}`);
  }
}

/** Reads a scenario file. */
export function readScenario(path: string): z.output<typeof Scenario> {
  const read = () => JSON.parse(readFileSync(path, "utf8"));
  return readGiven(`--scenario ${path}`, { whole: "the file", shape: Scenario, read });
}
