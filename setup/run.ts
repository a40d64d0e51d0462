import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { told } from "./change.ts";
import type { Context } from "./context.ts";
import { doctor, wasHere } from "./doctor.ts";
import { type Facts, gatherFacts } from "./facts.ts";
import { Gh } from "./gh.ts";
import { type Checkout, findCheckout, originOf, readRemote } from "./git.ts";
import { init } from "./init.ts";
import { Note } from "./note.ts";
import { type Options, readOptions, USAGE } from "./options.ts";
import { Questions } from "./questions.ts";
import { remove } from "./remove.ts";
import { Screen, Secrets, type Sink } from "./screen.ts";
import { hintOf, isForeseen } from "./service.ts";
import { SetupError, StoppedError, wordsOf } from "./setup-error.ts";
import { type Surroundings, within } from "./surroundings.ts";
import type { ActionRelease } from "./workflows.ts";

/** Where and by whom the program is started. */
export interface Start extends Surroundings {
  /** The path of the program. */
  program: string;
  folder: string;
  isAtTerminal: boolean;
  out: Sink;
  err: Sink;
  /** Aborts at Ctrl-C. */
  stop: AbortSignal;
}

/** Runs init, doctor or remove; gives the exit code. */
export async function runSetup(words: string[], start: Start): Promise<number> {
  const secrets = new Secrets();
  try {
    await within(start, () => begin(words, start, secrets));
    return 0;
  } catch (fault) {
    new Screen(start.err, secrets).say(shown(fault));
    return fault instanceof StoppedError ? 130 : 1;
  }
}

function shown(fault: unknown): string {
  if (!isForeseen(fault)) return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
  const hint = hintOf(fault);
  return `\n✗ ${wordsOf(fault)}${hint ? `\n  ${hint}` : ""}`;
}

async function begin(words: string[], start: Start, secrets: Secrets): Promise<void> {
  const screen = new Screen(start.out, secrets);
  const options = readOptions(words);
  if (options.help) return screen.say(USAGE);
  if (options.version) return screen.say(readPacked(start.program)?.version ?? "a clone");
  const checkout = await findCheckout(resolve(start.folder, options.repo ?? "."));
  const context = await openContext(start, checkout, { options, screen, secrets });
  await requireGh(context, checkout);
  if (!context.questions.asks && !options.yes && !options.dryRun)
    throw new SetupError(
      "This is no terminal, so nothing can be asked.",
      "--yes takes what is proposed; --dry-run only shows it.",
    );
  await carryOut(context, await gatherFacts(context, checkout));
}

async function carryOut(context: Context, facts: Facts): Promise<void> {
  const goesOn = context.note.answers !== undefined;
  const task = context.options.task ?? (!goesOn && wasHere(facts) ? "doctor" : "init");
  try {
    await { init, doctor, remove }[task](context, facts);
  } catch (fault) {
    const { soFar } = context.note;
    // A mere stop does not say how things stand.
    const nothing = wordsOf(fault) === "Stopped." ? "Nothing was changed." : undefined;
    if (isForeseen(fault)) throw told(fault, soFar ?? nothing);
    context.screen.say(soFar);
    throw fault;
  }
}

async function openContext(
  { env, isAtTerminal, program, stop }: Start,
  { host, gitFolder }: Checkout,
  { options, ...tools }: Pick<Context, "screen" | "secrets"> & { options: Options },
): Promise<Context> {
  const variable = (name: string) => env[name]?.trim() || undefined;
  const isGithub = host === "github.com";
  const places = {
    api: variable("GITHUB_API_URL") ?? (isGithub ? "https://api.github.com" : `https://${host}/api/v3`),
    web: variable("GITHUB_SERVER_URL") ?? `https://${host}`,
  };
  const note = new Note(gitFolder);
  const answers = options.task === "doctor" ? undefined : note.answers;
  return {
    options: { ...answers, ...options, branch: options.branch ?? answers?.branch ?? "add-gpu-tests" },
    ...{ ...tools, places, note, variable, stop },
    questions: new Questions(!options.yes && isAtTerminal, stop),
    gh: new Gh(host),
    action: await findAction(program, variable("ACTION_REPOSITORY")),
  };
}

async function requireGh(context: Context, checkout: Checkout): Promise<void> {
  const state = await context.gh.state();
  if (state === "ready") return;
  tellByHand(context, checkout);
  if (state === "missing")
    throw new SetupError(
      "GitHub's command line, gh, is not installed. Nothing was changed.",
      "Install it from https://cli.github.com, and run this again; or take the steps above.",
    );
  throw new SetupError(
    "gh is not logged in. Nothing was changed.",
    `Run: gh auth login --hostname ${checkout.host} --scopes workflow`,
  );
}

/** The steps that gh would have done, one by one, with their links. */
function tellByHand({ screen, places, action }: Context, { repository }: Checkout): void {
  const web = `${places.web}/${repository}`;
  const docs = `${places.web}/${action?.repository ?? "OWNER/ephemeral-gpu-runner"}/blob/main/docs/first-run.md`;
  const steps = [
    "Add 10 USD, without automatic recharge: https://cloud.vast.ai/billing/",
    "Make a key with the permissions misc, user_read, instance_read and instance_write: https://cloud.vast.ai/manage-keys/",
    `Make a token with Administration: Read and write on ${repository} alone: ${places.web}/settings/personal-access-tokens/new`,
    `Make the environment gpu for the default branch, and gpu-pr with you as its reviewer: ${web}/settings/environments/new`,
    "Add two secrets to each: RENTAL_API_KEY is the key, RUNNER_TOKEN the token.",
    `Add the workflow files of this page, and commit them: ${docs}`,
    `Look at the first run: ${web}/actions`,
  ];
  screen.head("By hand it goes like this:");
  for (const [index, step] of steps.entries()) screen.say(`  ${index + 1}. ${step}`);
}

/** What `release.json` beside the packed program says. */
interface Packed {
  version: string;
  /** owner/name of the action's repository; the commit of its tag. */
  repository?: string;
  commit?: string;
}

/** The packed program's own words; undefined in a clone. */
function readPacked(program: string): Packed | undefined {
  const path = join(dirname(realpathSync(program)), "release.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Packed) : undefined;
}

/** Which action the files use: the release that this program came with; from a clone, where that comes from. */
async function findAction(program: string, given: string | undefined): Promise<ActionRelease | undefined> {
  const packed = readPacked(program);
  const origin = async () => readRemote((await originOf(dirname(realpathSync(program)))) ?? "")?.repository;
  const repository = given ?? packed?.repository ?? (await origin());
  if (repository === undefined) return undefined;
  const { commit, version } = packed ?? {};
  // Before there is a release there is no commit to name.
  return commit === undefined ? { repository, ref: "v1" } : { repository, ref: commit, version: `v${version}` };
}
