import type { Context } from "./context.ts";
import type { Facts } from "./facts.ts";
import type { Finding } from "./finding.ts";
import { hintOf, isForeseen, type Service } from "./service.ts";
import { SetupError, StoppedError, wordsOf } from "./setup-error.ts";
import { pause } from "./surroundings.ts";
import { environmentsOf, type Settings } from "./workflows.ts";

/** What carrying out changes needs, and what they make on their way. */
export interface Applying {
  context: Context;
  facts: Facts;
  /** Undefined: no account's key is at hand, and no key is made. */
  service: Service | undefined;
  settings: Settings;
  /** The token for runners, or an app's key, where one was given. */
  given: { token?: string | undefined; pem?: string | undefined };
  /** The secret of a key that was made in this start. */
  ciKey?: string | undefined;
}

/** One thing to do, told before it is done. */
export interface Change<By = Applying> {
  /** What it will do, and its own lines below that. */
  says: readonly string[];
  /** Whether a file is another one then, which is to be committed. */
  isOfFiles?: true;
  /** Does it, and gives what is done then. */
  carryOut(by: By): Promise<string> | string;
}

/** What taking back needs. */
export type Removing = Pick<Applying, "context" | "facts"> & { service: Service };

/** One thing that init made, and how it is taken back. */
export function takesBack(
  thing: string,
  fate: "deleted" | "disabled at GitHub" | "revoked",
  carryOut: (by: Removing) => Promise<unknown> | unknown,
): Change<Removing> {
  return {
    says: [`– ${thing} is to be ${fate}`],
    carryOut: async (by) => {
      await carryOut(by);
      return `${thing} is ${fate}`;
    },
  };
}

/** One part of a set-up, compared with what it should be. */
export interface Part {
  /** What doctor says of it. */
  finding?: Finding;
  /** What makes it as it should be. */
  change?: Change;
  /** What stays as it is, and why that matters. */
  kept?: string;
}

/** Carries out changes in their order. After a fault a second start goes on from there. */
export async function carryOutAll<By extends Pick<Applying, "context">>(
  changes: readonly Change<By>[],
  by: By,
  write = (done: string) => by.context.note.add(done),
): Promise<void> {
  for (const change of changes) {
    if (by.context.stop.aborted) throw new StoppedError();
    const done = await change.carryOut(by);
    write(done);
    by.context.screen.say(`  ✓ ${done}`);
  }
}

const TRIES = 3;

/** Does something anew after a fault that was foreseen, up to three times in all; says the fault, and what is added. */
export async function again<T>(
  { screen, stop }: Context,
  work: () => Promise<T>,
  { says, pauseMs = 0 }: { says?: (fault: Error) => string | undefined; pauseMs?: number } = {},
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (fault) {
      const isLast = tries === TRIES || stop.aborted || fault instanceof StoppedError;
      if (!isForeseen(fault) || isLast) throw fault;
      screen.say(`  ✗ ${wordsOf(fault)} ${says?.(fault) ?? ""}`.trimEnd());
      await pause(pauseMs, stop);
    }
  }
}

/** A fault with how things stand. */
export function told(fault: unknown, state: string | undefined): SetupError {
  const words = state === undefined ? wordsOf(fault) : `${wordsOf(fault)} ${state}`;
  if (fault instanceof StoppedError) return new StoppedError(words, fault.hint);
  return new SetupError(words, hintOf(fault), fault);
}

/** Whether a person says yes to what was shown; a dry run ends here. */
export async function isAgreed({ options, questions, screen }: Context, question: string, hint?: string) {
  if (options.dryRun) screen.head("Nothing was changed: this was a dry run.");
  else if (!(await questions.yes(question, true))) throw new StoppedError(undefined, hint);
  return options.dryRun !== true;
}

/** Sets a secret wherever the jobs of these settings look for it. */
export async function setSecret(name: string, secret: string, { context, facts, settings }: Applying): Promise<string> {
  const environments = environmentsOf(settings);
  for (const environment of environments.length === 0 ? [undefined] : environments)
    await context.gh.setSecret(name, secret, facts.repository.full_name, environment);
  return `The secret ${name} is set`;
}

/** Where the secrets go, in words. */
export function placeOf(settings: Settings): string {
  const environments = environmentsOf(settings);
  if (environments.length === 0) return "the repository's secrets";
  return `the environment${environments.length > 1 ? "s" : ""} ${environments.join(" and ")}`;
}
