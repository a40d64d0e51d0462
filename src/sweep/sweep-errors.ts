import { DESTROY_BY_HAND } from "../create/errors.ts";
import { UserError } from "../shared/user-error.ts";

/** The service: something that had to go could not be destroyed, or not be seen to be gone. */
export class SweepError extends UserError {
  override readonly name = "SweepError";

  /** Each of `undestroyed` names one instance and the reason, in words. */
  constructor(undestroyed: readonly string[]) {
    super(`The sweep could not destroy what had to go: ${undestroyed.join("; ")}. It may still be billing.`, {
      hint: DESTROY_BY_HAND,
    });
  }
}
