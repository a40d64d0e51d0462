import { type Applying, type Part, placeOf, type Removal, setSecret } from "./change.ts";
import { type Finding, rightsFinding } from "./check.ts";
import { type Facts, findSecret } from "./facts.ts";
import type { KeyRow, Service } from "./service.ts";
import { SetupError } from "./setup-error.ts";
import type { Settings } from "./workflows.ts";

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
  if (keys === undefined) return { findings: [{ about, is: "unknown", says: "not asked." }], changes: [], kept: [] };
  const [key] = keys;
  const hasSecret = findSecret(facts, "RENTAL_API_KEY") !== undefined;
  const findings = [key === undefined ? missing(about, hasSecret) : rightsFinding(about, key)];
  if (hasSecret && (key !== undefined || !replacesForeign)) {
    const what = key === undefined ? "" : "the key for CI and ";
    const whose = key === undefined ? ", which init did not make" : "";
    return { findings, changes: [], kept: [`${what}the secret RENTAL_API_KEY${whose}`] };
  }
  const name = keyName(facts.repository.full_name);
  const old = keys.map(({ id }) => id);
  const revoked = old.length > 0 ? ` The key of an earlier start, ${old.join(", ")}, is revoked.` : "";
  const says = [
    `Make the key "${name}" at the rental service, and put it into ${placeOf(settings)} as RENTAL_API_KEY.${revoked}`,
  ];
  return { findings, changes: [{ says, carryOut: (applying) => makeKey(name, old, applying) }], kept: [] };
}

function missing(about: string, hasSecret: boolean): Finding {
  const says = "none of init's is on the account; the secret holds another one, or a revoked one.";
  return hasSecret ? { about, is: "doubtful", says } : { about, is: "bad", says: "there is none." };
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
export function keyRemovals(keys: readonly KeyRow[]): Removal[] {
  return keys.map(({ id, name }) => {
    const carryOut: Removal["carryOut"] = ({ service }) => service.revokeKey(id);
    return { thing: `The key ${id}, "${name}",`, fate: "revoked", carryOut };
  });
}
