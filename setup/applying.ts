import type { Context } from "./context.ts";
import type { Facts } from "./facts.ts";
import type { Service } from "./service.ts";
import { environmentsOf, type Settings } from "./workflows.ts";

/** What applying a plan needs, and what it makes on its way. */
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

/** Sets a secret wherever the jobs of these settings look for it. */
export async function setSecret(name: string, secret: string, { context, facts, settings }: Applying): Promise<string> {
  const repository = facts.repository.full_name;
  const environments = environmentsOf(settings);
  for (const environment of environments.length === 0 ? [undefined] : environments)
    await context.gh.setSecret(name, secret, { repository, environment });
  return `The secret ${name} is set`;
}
