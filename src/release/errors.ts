import { UserError } from "../shared/user-error.ts";

/** How to end a bill by hand. Some people see only this sentence. */
export const DESTROY_BY_HAND =
  'Destroy it in the service\'s console, or by: curl -X DELETE -H "Authorization: Bearer $KEY" https://console.vast.ai/api/v0/instances/ID/';

/** Says that an instance may still bill, because its end could not be confirmed. */
export class InstanceNotDestroyedError extends UserError {
  constructor(what: string, reason: string, cause?: unknown) {
    super(`${what} may still be billing: its destruction could not be confirmed (${reason}).`, {
      cause,
      hint: DESTROY_BY_HAND,
    });
  }
}
