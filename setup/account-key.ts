import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Context } from "./context.ts";
import { type Account, isForeseen, Service, serviceUrl } from "./service.ts";
import { SetupError, wordsOf } from "./setup-error.ts";

/** The service's own pages, for the account's owner. */
export const CONSOLE = "https://cloud.vast.ai";
const TRIES = 3;

/** A client of the service by the account's own key, and who that is. */
export interface OpenAccount {
  service: Service;
  account: Account;
}

/** Finds or asks the account's key, and proves it. It is never written anywhere. */
export async function openAccount(context: Context): Promise<OpenAccount> {
  const found = keyAtHand(context);
  if (found !== undefined) return await open(context, found);
  for (let tries = 1; ; tries += 1) {
    const key = await context.questions.secret(
      `The account's API key (${CONSOLE}/manage-keys/). It stays in this process`,
    );
    if (key === undefined)
      throw new SetupError("There is no key of the rental service.", "Set RENTAL_API_KEY, or run this at a terminal.");
    try {
      return await open(context, key);
    } catch (fault) {
      if (!isForeseen(fault) || tries === TRIES) throw fault;
      context.screen.say(`  ✗ ${wordsOf(fault)}`);
    }
  }
}

/** The same where the key is at hand; undefined where it is not, and nobody is asked. */
export async function openAccountAtHand(context: Context): Promise<OpenAccount | undefined> {
  const found = keyAtHand(context);
  return found === undefined ? undefined : await open(context, found);
}

async function open({ secrets, variable }: Context, key: string): Promise<OpenAccount> {
  const url = serviceUrl(variable("RENTAL_API_URL"));
  const service = new Service({ url, key: secrets.keep(key), secrets });
  try {
    return { service, account: await service.account() };
  } catch (fault) {
    await service[Symbol.asyncDispose]();
    throw fault;
  }
}

/** From the environment, or where the service's own command line keeps it. */
function keyAtHand({ variable }: Context): string | undefined {
  const given = variable("RENTAL_API_KEY") ?? variable("VAST_API_KEY");
  if (given !== undefined) return given;
  const config = variable("XDG_CONFIG_HOME") ?? join(homedir(), ".config");
  const places = [join(config, "vastai/vast_api_key"), join(homedir(), ".vast_api_key")];
  const place = places.find((path) => existsSync(path));
  return place === undefined ? undefined : readFileSync(place, "utf8").trim() || undefined;
}

/** Says who the account is. Throws where nothing could ever be rented with it. */
export async function introduceAccount({ screen }: Context, { service, account }: OpenAccount): Promise<void> {
  const { email, credit, isEmailVerified, permissions } = account;
  const has = credit === undefined ? "an unknown credit" : `${credit.toFixed(2)} USD of credit`;
  screen.say(`  ✓ ${email ?? "The account"} has ${has}.`);
  if (permissions !== undefined && !permissions.includes("user_write"))
    throw new SetupError(
      "This key may not make the key for CI: it lacks user_write.",
      `Give the account's first key (${CONSOLE}/manage-keys/).`,
    );
  if (isEmailVerified === false)
    throw new SetupError(
      "The account's e-mail address is not verified: the service rents nothing to it.",
      "Follow the link in the service's e-mail, and run this again.",
    );
  if (credit !== undefined && credit <= 0)
    throw new SetupError(
      "The account has no credit: nothing can be rented.",
      `Add 10 USD (${CONSOLE}/billing/), without automatic recharge.`,
    );
  screen.say(isEmailVerified ? "  ✓ Its e-mail address is verified." : `  ? ${UNKNOWN_EMAIL}`);
  screen.say(describeVariables(await service.variables()));
}

const UNKNOWN_EMAIL =
  "The service does not say whether the e-mail address is verified. Follow the link in its e-mail, if you did not yet.";

/** The line about the account's own variables; undefined: the service has no list of them. */
function describeVariables(names: readonly string[] | undefined): string {
  if (names === undefined) return "  ? The service does not say whether the account has environment variables.";
  if (names.length === 0) return "  ✓ It has no environment variables.";
  return `  ! It has environment variables: ${names.join(", ")}. The service gives them to every machine, and the machine's owner can read them. Delete them (${CONSOLE}/account/), or use an account for CI alone.`;
}
