import { UserError } from "../shared/user-error.ts";

/** The way to end a bill by hand, in a sentence that is all that some people see. */
export const DESTROY_BY_HAND =
  'Destroy it in the service\'s console, or by: curl -X DELETE -H "Authorization: Bearer $KEY" https://console.vast.ai/api/v0/instances/ID/';

/** MONEY: an instance could not be confirmed to be gone. */
export class InstanceNotDestroyedError extends UserError {
  override readonly name = "InstanceNotDestroyedError";

  constructor(what: string, reason: string, cause?: unknown) {
    super(`${what} may still be billing: its destruction could not be confirmed (${reason}).`, {
      cause,
      hint: DESTROY_BY_HAND,
    });
  }
}
