import { KnownError } from "../../known-error.ts";

/** MONEY: an instance could not be confirmed to be gone. */
export class InstanceNotDestroyedError extends KnownError {
  override readonly name = "InstanceNotDestroyedError";

  constructor(what: string, reason: string, cause?: unknown) {
    super(`${what} may still be billing: its destruction could not be confirmed (${reason}).`, {
      cause,
      hint: "Destroy it in the service's console, or run this with an API key: DELETE /api/v0/instances/ID/.",
    });
  }
}
