import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Finding } from "./check.ts";
import type { Context } from "./context.ts";
import { type Account, isForeseen, Service, serviceUrl } from "./service.ts";
import { SetupError, wordsOf } from "./setup-error.ts";

/** The service's own pages, for the account's owner. */
export const CONSOLE = "https://cloud.vast.ai";
/** USD. */
const LITTLE = 1;
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
  const home = variable("HOME") ?? homedir();
  const config = variable("XDG_CONFIG_HOME") ?? join(home, ".config");
  const places = [join(config, "vastai/vast_api_key"), join(home, ".vast_api_key")];
  const place = places.find((path) => existsSync(path));
  return place === undefined ? undefined : readFileSync(place, "utf8").trim() || undefined;
}

/** Throws for a key by which none can be made for CI. */
export function refuseWeak({ account: { permissions } }: OpenAccount): void {
  if (permissions === undefined || permissions.includes("user_write")) return;
  throw new SetupError(
    "This key may not make the key for CI: it lacks user_write.",
    `Give the account's first key (${CONSOLE}/manage-keys/).`,
  );
}

/** Who the account is, and what keeps it from renting, or gives its secrets away. */
export async function accountFindings({ service, account }: OpenAccount): Promise<Finding[]> {
  const about = "The rental account";
  const { email, credit, isEmailVerified } = account;
  const has = `${email ?? "it"} has ${credit === undefined ? "an unknown credit" : `${credit.toFixed(2)} USD of credit`}`;
  const way = `Add 10 USD (${CONSOLE}/billing/), without automatic recharge.`;
  const money: Omit<Finding, "about"> =
    credit === undefined || credit >= LITTLE
      ? { is: "good", says: `${has}.` }
      : credit > 0
        ? { is: "doubtful", says: `${has}, and nothing is rented with that for long. ${way}` }
        : { is: "bad", says: `it has no credit: nothing can be rented. ${way}` };
  const letter = "Follow the link in the service's e-mail";
  const mail = {
    true: { is: "good", says: "its e-mail address is verified." },
    false: { is: "bad", says: `its e-mail address is not verified: the service rents nothing to it. ${letter}.` },
    undefined: {
      is: "unknown",
      says: `the service does not say whether its e-mail address is verified. ${letter}, if you did not yet.`,
    },
  }[String(isEmailVerified) as "true" | "false" | "undefined"] as Omit<Finding, "about">;
  return [money, mail, variablesFinding(await service.variables())].map((finding) => ({ about, ...finding }));
}

/** The account's own variables; undefined: the service has no list of them. */
function variablesFinding(names: readonly string[] | undefined): Omit<Finding, "about"> {
  if (names === undefined)
    return { is: "unknown", says: "the service does not say whether it has environment variables." };
  if (names.length === 0) return { is: "good", says: "it has no environment variables." };
  const why = "The service gives them to every machine, and the machine's owner can read them.";
  const way = `Delete them (${CONSOLE}/account/), or use an account for CI alone.`;
  return { is: "doubtful", says: `it has environment variables: ${names.join(", ")}. ${why} ${way}` };
}
