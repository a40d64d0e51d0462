import type { Finding } from "./check.ts";
import type { Context } from "./context.ts";
import type { Facts } from "./facts.ts";
import type { Service } from "./service.ts";
import { StoppedError } from "./setup-error.ts";
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
export interface Change {
  /** What it will do, and its own lines below that. */
  says: readonly string[];
  /** Whether a file is another one then, which is to be committed. */
  isOfFiles?: true;
  /** Does it, and gives what is done then. */
  carryOut(applying: Applying): Promise<string> | string;
}

/** One part of a set-up, compared with what it should be. */
export interface Part {
  /** What doctor says of it. */
  findings: Finding[];
  /** What makes it as it should be. */
  changes: Change[];
  /** What stays as it is, and why that matters. */
  kept: string[];
}

/** Several parts as one. */
export function joined(parts: readonly Part[]): Part {
  return {
    findings: parts.flatMap(({ findings }) => findings),
    changes: parts.flatMap(({ changes }) => changes),
    kept: parts.flatMap(({ kept }) => kept),
  };
}

/** One thing that init made, and how it is taken back. */
export interface Removal {
  thing: string;
  fate: "deleted" | "disabled at GitHub" | "revoked";
  carryOut(by: Pick<Applying, "context" | "facts"> & { service: Service }): Promise<unknown> | unknown;
}

/** Carries out changes in their order. After a fault a second start goes on from there. */
export async function carryOutAll(changes: readonly Change[], applying: Applying): Promise<void> {
  const { screen, note, stop } = applying.context;
  for (const change of changes) {
    if (stop.aborted) throw new StoppedError();
    const done = await change.carryOut(applying);
    note.add(done);
    screen.say(`  ✓ ${done}`);
  }
}

/** Sets a secret wherever the jobs of these settings look for it. */
export async function setSecret(name: string, secret: string, { context, facts, settings }: Applying): Promise<string> {
  const repository = facts.repository.full_name;
  const environments = environmentsOf(settings);
  for (const environment of environments.length === 0 ? [undefined] : environments)
    await context.gh.setSecret(name, secret, repository, environment);
  return `The secret ${name} is set`;
}

/** Where the secrets go, in words. */
export function placeOf(settings: Settings): string {
  const environments = environmentsOf(settings);
  if (environments.length === 0) return "the repository's secrets";
  return `the environment${environments.length > 1 ? "s" : ""} ${environments.join(" and ")}`;
}
