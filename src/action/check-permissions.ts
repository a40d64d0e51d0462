import { UserError } from "../shared/user-error.ts";
import { permissionsOf } from "../vast/schemas/api-key.ts";
import type { User } from "../vast/schemas/user.ts";
import type { Checklist } from "./checklist.ts";
import type { Clients } from "./clients.ts";

const WHAT = "api-key may create and destroy (instance_write)";

/**
 * The permissions of the key, where the service shows them: the current user tells its id. Else a
 * note: creating and destroying are one permission, which only a real create would prove.
 */
export async function checkPermissions(
  { service }: Pick<Clients, "service">,
  user: User | undefined,
  list: Checklist,
  signal: AbortSignal,
): Promise<void> {
  const permissions = await permissionsOfKey(service, user, signal);
  if (permissions === undefined) return list.note(WHAT, "not asked: it would take a real machine");
  const words = `its permissions are ${permissions.join(", ") || "none"}`;
  await list.check(WHAT, async () => {
    if (!permissions.includes("instance_write"))
      list.fail(
        `${words}; instance_write is missing`,
        "Give the key instance_write, or make one that has it; the README lists what it needs.",
      );
    return words;
  });
}

/** Best effort: it only saves a surprise. */
async function permissionsOfKey(
  service: Clients["service"],
  user: User | undefined,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  if (user?.key_id === undefined) return undefined;
  try {
    return permissionsOf(await service.getApiKey(user.key_id, signal));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof UserError)) throw error;
    return undefined;
  }
}
