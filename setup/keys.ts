import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Applying, again, type Part, placeOf, setSecret, takesBack } from "./change.ts";
import { rightsFinding } from "./check.ts";
import type { Context } from "./context.ts";
import { type Facts, findSecret } from "./facts.ts";
import { bad, doubtful, type Finding, good, unasked } from "./finding.ts";
import { type Account, type KeyRow, Service } from "./service.ts";
import { SetupError } from "./setup-error.ts";
import type { Settings } from "./workflows.ts";

/** The service's own pages, for the account's owner. */
export const CONSOLE = "https://cloud.vast.ai";
/** USD. */
const LITTLE = 1;

/** A client of the service by the account's own key, and who that is. */
export interface OpenAccount {
  service: Service;
  account: Account;
}

/** Finds or asks the account's key, and proves it. It is never written anywhere. */
export async function openAccount(context: Context): Promise<OpenAccount> {
  const found = await openAccountAtHand(context);
  if (found !== undefined) return found;
  if (!context.questions.asks)
    throw new SetupError("There is no key of the rental service.", "Set RENTAL_API_KEY, or run this at a terminal.");
  const question = `The account's API key (${CONSOLE}/manage-keys/). It stays in this process`;
  return await again(context, async () => await open(context, await context.questions.secret(question)));
}

/** The same where the key is at hand; undefined where it is not, and nobody is asked. */
export async function openAccountAtHand(context: Context): Promise<OpenAccount | undefined> {
  const found = keyAtHand(context);
  return found === undefined ? undefined : await open(context, found);
}

async function open(context: Context, key: string): Promise<OpenAccount> {
  const service = new Service(context, key);
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
  return [moneyOf(account), mailOf(account), variablesFinding(await service.variables())];
}

const ABOUT = "The rental account";

function moneyOf({ email = "it", credit }: Account): Finding {
  const has = `${email} has ${credit === undefined ? "an unknown credit" : `${credit.toFixed(2)} USD of credit`}`;
  const way = `Add 10 USD (${CONSOLE}/billing/), without automatic recharge.`;
  if (credit === undefined || credit >= LITTLE) return good(ABOUT, `${has}.`);
  if (credit > 0) return doubtful(ABOUT, `${has}, and nothing is rented with that for long. ${way}`);
  return bad(ABOUT, `it has no credit: nothing can be rented. ${way}`);
}

function mailOf({ isEmailVerified }: Account): Finding {
  const letter = "Follow the link in the service's e-mail";
  if (isEmailVerified) return good(ABOUT, "its e-mail address is verified.");
  if (isEmailVerified === false)
    return bad(ABOUT, `its e-mail address is not verified: the service rents nothing to it. ${letter}.`);
  return unasked(
    ABOUT,
    `the service does not say whether its e-mail address is verified. ${letter}, if you did not yet.`,
  );
}

/** The account's own variables; undefined: the service has no list of them. */
function variablesFinding(names: readonly string[] | undefined): Finding {
  if (names === undefined) return unasked(ABOUT, "the service does not say whether it has environment variables.");
  if (names.length === 0) return good(ABOUT, "it has no environment variables.");
  const why = "The service gives them to every machine, and the machine's owner can read them.";
  const way = `Delete them (${CONSOLE}/account/), or use an account for CI alone.`;
  return doubtful(ABOUT, `it has environment variables: ${names.join(", ")}. ${why} ${way}`);
}

/** The name by which the account's list shows the key of one repository. */
export function keyName(repository: string): string {
  return `gpu tests of ${repository}`;
}

/** The keys that init made for a repository; a service without a list of keys has none. */
export async function keysOf(service: Service, repository: string): Promise<KeyRow[]> {
  return (await service.keys()).filter(({ name }) => name === keyName(repository));
}

/** The restricted key and its secret. Without the account's key (`keys` undefined) none can be made. */
export function keyPart(
  facts: Facts,
  settings: Settings,
  keys: readonly KeyRow[] | undefined,
  replacesForeign: boolean,
): Part {
  const about = "The key for CI";
  if (keys === undefined) return { finding: unasked(about, "not asked.") };
  const [key] = keys;
  const hasSecret = findSecret(facts, "RENTAL_API_KEY") !== undefined;
  const other = "none of init's is on the account; the secret holds another one, or a revoked one.";
  const missing = hasSecret ? doubtful(about, other) : bad(about, "there is none.");
  const finding = key === undefined ? missing : rightsFinding(about, key);
  if (hasSecret && key !== undefined) return { finding, kept: "the key for CI and the secret RENTAL_API_KEY" };
  if (hasSecret && !replacesForeign) return { finding, kept: "the secret RENTAL_API_KEY, which init did not make" };
  const name = keyName(facts.repository.full_name);
  const old = keys.map(({ id }) => id);
  const revoked = old.length > 0 ? ` The key of an earlier start, ${old.join(", ")}, is revoked.` : "";
  const makes = `Make the key "${name}" at the rental service, and put it into ${placeOf(settings)} as RENTAL_API_KEY.`;
  return { finding, change: { says: [makes + revoked], carryOut: (applying) => makeKey(name, old, applying) } };
}

/** `replaced`: keys of earlier starts, whose secret nobody has any more. */
async function makeKey(name: string, replaced: readonly number[], applying: Applying): Promise<string> {
  const { service } = applying;
  if (service === undefined) throw new SetupError("There is no key of the rental service.", "Set RENTAL_API_KEY.");
  const { id, key } = await service.makeKey(name);
  applying.ciKey = key;
  try {
    await setSecret("RENTAL_API_KEY", key, applying);
  } catch (fault) {
    // Nobody has its secret any more: it is of no use to anybody.
    await service.revokeKey(id);
    throw fault;
  }
  for (const old of replaced) await service.revokeKey(old);
  return `The key "${name}" is made, and the secret RENTAL_API_KEY is set`;
}

/** Takes back the keys that init made. */
export function keyRemovals(keys: readonly KeyRow[]) {
  return keys.map(({ id, name }) =>
    takesBack(`The key ${id}, "${name}",`, "revoked", (by) => by.service.revokeKey(id)),
  );
}
