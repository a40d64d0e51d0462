import { parseArgs } from "node:util";
import { type FormedSetting, readSetting } from "./setting-forms.ts";
import { SetupError } from "./setup-error.ts";
import { REGISTRATIONS, type Settings } from "./workflows.ts";

/** Each option, with what it takes, and what it means. */
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

const COMMANDS = ["init", "doctor", "remove"] as const;
/** What is to be done. */
export type Command = (typeof COMMANDS)[number];

const COMMITS = ["pull-request", "branch", "none"] as const;
/** What becomes of the files. */
export type CommitHow = (typeof COMMITS)[number];

/** Settings that an option says, or that an earlier start proposed. */
type Said = "gpu" | "maxPrice" | "proposed" | "maxCost" | "jobMinutes" | "image" | "minCuda" | "register";
type SaidOrFound = Said | "appClientId" | "runnerGroupId";

/** The command line, read. What is undefined is asked for, or proposed. */
export interface Options extends Partial<{ [K in SaidOrFound]: Settings[K] | undefined }> {
  /** Undefined: init, or doctor where init was already. */
  command: Command | undefined;
  repo: string;
  run?: string | undefined;
  /** Null: none is wanted. */
  environment?: string | null | undefined;
  /** Undefined: as the files have it. */
  pullRequests?: false | undefined;
  /** Whether runs of pull requests wait for an approval. */
  reviewers: boolean;
  commit?: CommitHow | undefined;
  branch: string;
  follow: boolean;
  yes: boolean;
  dryRun: boolean;
  help: boolean;
  version: boolean;
}

/** What is taken where nothing is said. */
const USUAL: Partial<Options> = { reviewers: true, branch: "add-gpu-tests" };

/** The options, and for those that were not given the answers of an earlier start. */
export function withAnswers(options: Options, answers: Partial<Options> = {}): Options {
  const isOpen = (name: keyof Options) => options[name] === undefined || options[name] === USUAL[name];
  const taken = (Object.keys(answers) as (keyof Options)[]).filter(isOpen);
  return { ...options, ...Object.fromEntries(taken.map((name) => [name, answers[name]])) };
}

/** Reads the words behind the program's name. */
export function readOptions(words: string[]): Options {
  const { values, positionals } = parse(words);
  const word = (name: Name) => (values[name] === undefined ? undefined : String(values[name]));
  const is = (name: Name) => values[name] === true;
  const typed = <K extends FormedSetting>(key: K, name: Name) => {
    const given = word(name);
    return given === undefined ? undefined : readSetting(key, given, `--${name}`);
  };
  return {
    command: commandOf(positionals),
    repo: word("repo") ?? ".",
    gpu: typed("gpu", "gpu"),
    maxPrice: typed("maxPrice", "max-price"),
    maxCost: typed("maxCost", "max-cost"),
    jobMinutes: typed("jobMinutes", "job-minutes"),
    image: typed("image", "image"),
    run: typed("command", "command"),
    register: oneOf(word("register"), REGISTRATIONS, "--register"),
    appClientId: typed("appClientId", "app-client-id"),
    runnerGroupId: typed("runnerGroupId", "runner-group-id"),
    environment: is("no-environment") ? null : typed("environment", "environment"),
    pullRequests: is("no-pull-requests") ? false : undefined,
    reviewers: !is("no-reviewers"),
    commit: oneOf(word("commit"), COMMITS, "--commit"),
    branch: branchIn(word("branch")),
    follow: !is("no-follow"),
    yes: is("yes"),
    dryRun: is("dry-run"),
    help: is("help"),
    version: is("version"),
  };
}

function parse(words: string[]) {
  const types = Object.entries(OPTIONS).map(
    ([name, [takes]]) => [name as Name, { type: takes === "" ? ("boolean" as const) : ("string" as const) }] as const,
  );
  try {
    const read = parseArgs({ args: words, options: Object.fromEntries(types), allowPositionals: true });
    return { values: read.values as Partial<Record<Name, string | boolean>>, positionals: read.positionals };
  } catch (fault) {
    // Its first sentence says what is wrong; the rest explains how options work.
    const [sentence] = (fault instanceof Error ? fault.message : String(fault)).split(". ");
    throw new SetupError(`${sentence?.replaceAll("\n", " ").replace(/\.$/, "")}.`, "--help lists the options.");
  }
}

/** `init remove` is `remove`. */
function commandOf(positionals: string[]): Command | undefined {
  const words = positionals.length > 1 && positionals[0] === "init" ? positionals.slice(1) : positionals;
  const [first, second] = words;
  if (second !== undefined) throw new SetupError(`"${second}" is one word too many.`, "--help lists the commands.");
  return oneOf(first, COMMANDS, "The command");
}

function oneOf<T extends string>(given: string | undefined, all: readonly T[], name: string): T | undefined {
  if (given === undefined) return undefined;
  const found = all.find((each) => each === given);
  if (found === undefined) throw new SetupError(`${name} must be ${all.join(" or ")}, not "${given}".`);
  return found;
}

function branchIn(given = "add-gpu-tests"): string {
  if (!/^\w[\w./-]*$/.test(given)) throw new SetupError(`--branch can't be "${given}".`);
  return given;
}
