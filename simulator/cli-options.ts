import { parseArgs } from "node:util";
import { z } from "zod";
import { readScenario, UsageError } from "./scenario/read-scenario.ts";
import type { SimulatorOptions } from "./start-simulator.ts";

// Not by coercion alone, which takes an empty text for 0.
const number = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .transform(Number);
const port = number.pipe(z.int().max(65_535)).optional();
const Options = z.object({
  "service-port": port,
  "github-port": port,
  dialect: z.enum(["seed", "observed"]).optional(),
  scenario: z.string().optional(),
  factor: number.pipe(z.number().positive().max(10_000)).optional(),
});

const ALLOWED: Record<string, string> = {
  "service-port": "a port from 0 to 65535",
  "github-port": "a port from 0 to 65535",
  dialect: "seed or observed",
  factor: "a number above 0, at most 10000",
};

/** Reads the words behind `npm run simulator --`. Throws a UsageError of one sentence. */
export function readOptions(args: string[]): SimulatorOptions {
  const given = Options.safeParse(parseArguments(args));
  if (!given.success) {
    const name = String(given.error.issues[0]?.path[0]);
    throw new UsageError(`--${name} must be ${ALLOWED[name]}.`);
  }
  const { "service-port": servicePort, "github-port": githubPort, dialect, scenario, factor } = given.data;
  return {
    ...(servicePort !== undefined && { servicePort }),
    ...(githubPort !== undefined && { githubPort }),
    ...(dialect !== undefined && { dialect }),
    ...(factor !== undefined && { factor }),
    ...(scenario !== undefined && { scenario: readScenario(scenario) }),
  };
}

function parseArguments(args: string[]) {
  const names = ["service-port", "github-port", "dialect", "scenario", "factor"];
  try {
    const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
    return parseArgs({ args, options }).values;
  } catch (fault) {
    // Its first sentence says what is wrong; the rest explains how options work.
    const [sentence] = (fault instanceof Error ? fault.message : String(fault)).split(". ");
    throw new UsageError(`${sentence?.replaceAll("\n", " ")}.`);
  }
}
