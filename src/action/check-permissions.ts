import type { Account, KeyRights } from "../marketplace/marketplace.ts";
import { UserError } from "../shared/user-error.ts";
import type { Checklist } from "./checklist.ts";
import type { Clients } from "./clients.ts";

const WHAT = "api-key may create and destroy (instance_write)";

/**
 * The permissions of the key, where the service shows them: the current user tells its id. Else a
 * note: creating and destroying are one permission, which only a real create would prove.
 */
export async function checkPermissions(
  { service }: Pick<Clients, "service">,
  user: Account | undefined,
  list: Checklist,
  signal: AbortSignal,
): Promise<void> {
  const rights = await rightsOfKey(service, user, signal);
  if (rights === undefined) return list.note(WHAT, "not asked: it would take a real machine");
  const missing = rights.missing.join(", ");
  const words = `its permissions are ${rights.permissions.join(", ") || "none"}`;
  await list.check(WHAT, async () => {
    if (missing !== "")
      list.fail(
        `${words}; ${missing} is missing`,
        `Give the key ${missing}, or make one that has it; the README lists what it needs.`,
      );
    return words;
  });
}

/** Best effort: it only saves a surprise. */
async function rightsOfKey(
  service: Clients["service"],
  user: Account | undefined,
  signal: AbortSignal,
): Promise<KeyRights | undefined> {
  if (user === undefined) return undefined;
  try {
    return await service.keyRights(user, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof UserError)) throw error;
    return undefined;
  }
}
