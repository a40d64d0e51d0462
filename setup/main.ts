import { AppApi } from "./app-api.ts";
import { tellByHand } from "./by-hand.ts";
import type { Context } from "./context.ts";
import { doctor, wasHere } from "./doctor.ts";
import { type Facts, gatherFacts } from "./facts.ts";
import { Gh } from "./gh.ts";
import { type Checkout, findCheckout } from "./git.ts";
import { init } from "./init.ts";
import { Note } from "./note.ts";
import { type Options, readOptions, USAGE, withAnswers } from "./options.ts";
import { Questions } from "./questions.ts";
import { findAction, readPacked } from "./release.ts";
import { remove } from "./remove.ts";
import { Screen } from "./screen.ts";
import { Secrets } from "./secrets.ts";
import { hintOf, isForeseen } from "./service.ts";
import { SetupError, StoppedError, wordsOf } from "./setup-error.ts";

const PROGRAM = process.argv[1] ?? "";

async function main(screen: Screen, secrets: Secrets): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) return screen.say(USAGE);
  if (options.version) return screen.say(readPacked(PROGRAM)?.version ?? "a clone");
  const checkout = await findCheckout(options.repo);
  const context = await openContext(options, checkout, { screen, secrets });
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
  const command = context.options.command ?? (!goesOn && wasHere(facts) ? "doctor" : "init");
  try {
    await { init, doctor, remove }[command](context, facts);
  } catch (fault) {
    if (!isForeseen(fault)) context.screen.say(context.note.soFar);
    throw !isForeseen(fault) ? fault : told(fault, context.note.soFar);
  }
}

/** With what is made until then: a stop says it even where that is nothing. */
function told(fault: Error, soFar: string | undefined): SetupError {
  const isStop = fault instanceof StoppedError;
  const state = soFar ?? (isStop && fault.message === "Stopped." ? "Nothing was changed." : undefined);
  const words = state === undefined ? wordsOf(fault) : `${wordsOf(fault)} ${state}`;
  return isStop ? new StoppedError(words, fault.hint) : new SetupError(words, hintOf(fault), fault);
}

async function openContext(
  options: Options,
  { host, gitFolder }: Checkout,
  { screen, secrets }: { screen: Screen; secrets: Secrets },
): Promise<Context> {
  const variable = (name: string) => process.env[name]?.trim() || undefined;
  const isGithub = host === "github.com";
  const places = {
    api: variable("GITHUB_API_URL") ?? (isGithub ? "https://api.github.com" : `https://${host}/api/v3`),
    web: variable("GITHUB_SERVER_URL") ?? `https://${host}`,
  };
  const note = new Note(gitFolder);
  const asks = !options.yes && process.stdin.isTTY === true && process.stdout.isTTY === true;
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  process.once("SIGTERM", () => stop.abort());
  return {
    options: options.command === "doctor" ? options : withAnswers(options, note.answers),
    ...{ secrets, screen, places, note, variable, stop: stop.signal },
    questions: new Questions(asks, stop.signal),
    gh: new Gh(host),
    apps: new AppApi(places, secrets),
    action: await findAction(PROGRAM, variable("ACTION_REPOSITORY")),
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

const secrets = new Secrets();
const screen = new Screen(process.stdout, secrets);
try {
  await main(screen, secrets);
} catch (fault) {
  const errors = new Screen(process.stderr, secrets);
  if (!isForeseen(fault)) errors.say(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault));
  else errors.say(`\n✗ ${wordsOf(fault)}${hintOf(fault) ? `\n  ${hintOf(fault)}` : ""}`);
  process.exitCode = fault instanceof StoppedError ? 130 : 1;
}
