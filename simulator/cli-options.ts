import { parseArgs } from "node:util";
import { z } from "zod";
import { readScenario, UsageError } from "./scenario/read-scenario.ts";
import type { SimulatorOptions } from "./start-simulator.ts";

// Not by coercion alone, which takes an empty text for 0.
const number = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .transform(Number);
const port = number.pipe(z.int().max(65_535));
const aPort = "a port from 0 to 65535";

/** What each option takes, in words where it can be wrong. */
const OPTIONS = {
  "service-port": { shape: port, allowed: aPort },
  "github-port": { shape: port, allowed: aPort },
  dialect: { shape: z.enum(["seed", "observed"]), allowed: "seed or observed" },
  factor: { shape: number.pipe(z.number().positive().max(10_000)), allowed: "a number above 0, at most 10000" },
  scenario: { shape: z.string().transform(readScenario), allowed: "" },
};

/** Reads the words behind `npm run simulator --`. Throws a UsageError of one sentence. */
export function readOptions(args: string[]): SimulatorOptions {
  const given = parseArguments(args);
  const read = Object.entries(given).map(([name, text]) => {
    const { shape, allowed } = OPTIONS[name as keyof typeof OPTIONS];
    const { success, data } = shape.safeParse(text);
    if (!success) throw new UsageError(`--${name} must be ${allowed}.`);
    return [name.replace("-port", "Port"), data];
  });
  return Object.fromEntries(read);
}

function parseArguments(args: string[]) {
  try {
    const options = Object.fromEntries(Object.keys(OPTIONS).map((name) => [name, { type: "string" as const }]));
    return parseArgs({ args, options }).values;
  } catch (fault) {
    // Its first sentence says what is wrong; the rest explains how options work.
    const [sentence] = (fault instanceof Error ? fault.message : String(fault)).split(". ");
    throw new UsageError(`${sentence?.replaceAll("\n", " ")}.`);
  }
}
