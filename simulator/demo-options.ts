import { parseArgs } from "node:util";
import { readAction } from "./actions/action-definition.ts";
import { Fault, SERVICE_OPERATIONS } from "./scenario/fault.ts";
import { readGiven, readScenario, UsageError } from "./scenario/read-scenario.ts";

const MOST_JOBS = 16;

/** What the command line asks for: its options as `--help` describes them. */
export type DemoOptions = Readonly<ReturnType<typeof readOptions>>;

/** What `--help` shows. */
export const USAGE = [
  "npm run demo -- [options]: one use of the action in a simulated world. Nothing is rented for real.",
  '  --with NAME=VALUE       an input of the action, such as --with gpu-name="H100 SXM"; may be given again',
  `  --jobs N                GPU jobs, 1 to ${MOST_JOBS} (default 3)`,
  "  --fault OPERATION:KIND  requests that fail, such as createInstance:lose-answer; may be given again",
  `      operations: ${SERVICE_OPERATIONS.join(", ")}`,
  "      kinds, and what more a fault can say as JSON: simulator/scenario/fault.ts",
  "  --scenario FILE         a world of your own (simulator/README.md, simulator/scenarios)",
  "  --summary FILE          writes the job's summary there, as GitHub would get it",
].join("\n");

/** Reads the words behind `npm run demo --`, whose inputs the action in this folder has. Throws what is wrong with them. */
export function readOptions(args: string[], action: string) {
  const { values } = parseArgs({
    args,
    options: {
      scenario: { type: "string" },
      with: { type: "string", multiple: true, default: [] },
      jobs: { type: "string", default: "3" },
      fault: { type: "string", multiple: true, default: [] },
      summary: { type: "string" },
    },
  });
  const known = Object.keys(readAction(action).inputs);
  return {
    scenario: values.scenario === undefined ? undefined : readScenario(values.scenario),
    faults: values.fault.map(readFault),
    /** Inputs of the action, over those of the demo. */
    with: Object.fromEntries(values.with.map((text) => readInput(text, known))),
    jobs: readJobs(values.jobs),
    summary: values.summary,
  };
}

function readInput(text: string, known: string[]): [name: string, value: string] {
  const [, name, value] = /^([a-z-]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`--with ${text} can't be used: it is NAME=VALUE, such as --with gpu-name="H100 SXM".`);
  if (!known.includes(name)) throw new UsageError(`--with ${name} can't be used: the action has no such input.`);
  return [name, value];
}

function readJobs(text: string): number {
  const jobs = Number(text);
  if (!/^\d+$/.test(text) || jobs < 1 || jobs > MOST_JOBS)
    throw new UsageError(`--jobs ${text} can't be used: it is a number from 1 to ${MOST_JOBS}.`);
  return jobs;
}

/** Reads `OPERATION:KIND`, or the JSON of a fault with all that one may say. */
function readFault(text: string): Fault {
  const [, operation, kind] = /^(\w+):([\w-]+)$/.exec(text) ?? [];
  if (operation === undefined && !text.startsWith("{"))
    throw new UsageError(`--fault ${text} can't be used: it is OPERATION:KIND, such as createInstance:lose-answer.`);
  const read = () => (operation === undefined ? JSON.parse(text) : { operation, kind });
  return readGiven(`--fault ${text}`, { whole: "the fault", shape: Fault, read });
}
