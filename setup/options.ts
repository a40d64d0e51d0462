import { parseArgs } from "node:util";
import { type Formed, type FormedSetting, readSetting } from "./setting-forms.ts";
import { SetupError } from "./setup-error.ts";
import type { Settings } from "./workflows.ts";

/** Each option, with what it takes, and what it means. Its form is that of the setting. `no-NAME` has NAME be false. */
const OPTIONS = {
  repo: ["DIR", "the repository's folder (default: this one)"],
  gpu: ["NAMES", "GPUs as the service writes them, comma-separated; any will do"],
  "max-price": ["USD", "the most that one machine may cost per hour"],
  "max-cost": ["USD", "the most that one run may spend on machines; none for no limit"],
  image: ["IMAGE", "the container image of the GPU job"],
  "job-minutes": ["N", "how long the GPU job usually takes, where you know it"],
  command: ["COMMAND", "what the GPU job runs"],
  register: ["HOW", "what registers the runners: token or app"],
  "app-client-id": ["ID", "an app that exists already; its key is in APP_PRIVATE_KEY"],
  "runner-group-id": ["N", "runners of the organisation, in this group (1: Default); then the app may do nothing else"],
  environment: ["NAME", "the environment that holds the secrets (default: gpu); pull requests have NAME-pr"],
  "no-environment": ["", "secrets of the repository, which every workflow of it can read"],
  "no-pull-requests": ["", "pull requests rent nothing, and have no environment"],
  "no-reviewers": ["", "pull requests rent without your approval: whoever may push a branch can read the secrets"],
  commit: ["HOW", "pull-request, branch (the one that is checked out) or none"],
  branch: ["NAME", "the pull request's branch (default: add-gpu-tests)"],
  "no-follow": ["", "does not wait for the first run"],
  yes: ["", "asks nothing, and takes what it proposes"],
  "dry-run": ["", "changes nothing, and prints what would be done"],
  help: ["", "prints this"],
  version: ["", "prints the version"],
} as const;
type Name = keyof typeof OPTIONS;

export const USAGE = `Usage: ephemeral-gpu-runner [init | doctor | remove] [options]

From nothing to a green GPU job, in the repository of this folder. Run again, it is doctor.

  init    makes the key for CI, the secrets, the workflow and the sweeps, checks them and follows the first run
  doctor  compares all that with what it should be, and repairs what it may
  remove  takes back what init made

${Object.entries(OPTIONS)
  .map(([name, [takes, means]]) => `  ${`--${name} ${takes}`.padEnd(20)}  ${means}`)
  .join("\n")}

Secrets are never options. RENTAL_API_KEY is the account's key, RUNNER_TOKEN the token that registers runners,
APP_PRIVATE_KEY an app's key. RENTAL_API_URL is the service's address, where it is not the usual one.`;

type Camel<N extends string> = N extends `${infer Head}-${infer Rest}` ? `${Head}${Capitalize<Camel<Rest>>}` : N;
type Bare<N extends string> = N extends `no-${infer Rest}` ? Rest : N;
type Value<N extends Name> = N extends `no-${string}`
  ? false
  : Camel<N> extends FormedSetting
    ? Formed<Camel<N>>
    : true;

/** The command line, read, and what an earlier start proposed. What is missing is asked for, or proposed. */
export type Options = { [N in Name as Camel<Bare<N>>]?: Value<N> | undefined } & Partial<
  Pick<Settings, "proposed" | "minCuda">
> & {
    /** Missing: init, or doctor where init was already. */
    task?: Formed<"task"> | undefined;
  };

/** Reads the words behind the program's name. */
export function readOptions(words: string[]): Options {
  const { values, positionals } = parse(words);
  const names = (Object.keys(OPTIONS) as Name[]).filter((name) => values[name] !== undefined);
  const given = names.map((name) => {
    const value = values[name];
    const key = name.replace(/^no-/, "").replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    const isForm = typeof value === "string";
    return [key, isForm ? readSetting(key as FormedSetting, value, `--${name}`) : !name.startsWith("no-")];
  });
  return { ...Object.fromEntries(given), ...taskIn(positionals) };
}

function parse(words: string[]) {
  const types = Object.entries(OPTIONS).map(
    ([name, [takes]]) => [name, { type: takes === "" ? ("boolean" as const) : ("string" as const) }] as const,
  );
  try {
    return parseArgs({ args: words, options: Object.fromEntries(types), allowPositionals: true });
  } catch (fault) {
    // Its first sentence says what is wrong; the rest explains how options work.
    const [sentence] = (fault instanceof Error ? fault.message : String(fault)).split(". ");
    throw new SetupError(`${sentence?.replaceAll("\n", " ").replace(/\.$/, "")}.`, "--help lists the options.");
  }
}

/** `init remove` is `remove`. */
function taskIn(positionals: string[]): Pick<Options, "task"> {
  const words = positionals.length > 1 && positionals[0] === "init" ? positionals.slice(1) : positionals;
  const [first, second] = words;
  if (second !== undefined) throw new SetupError(`"${second}" is one word too many.`, "--help lists the commands.");
  return first === undefined ? {} : { task: readSetting("task", first, "The command") };
}
