import { UserError } from "../shared/user-error.ts";

/** This machine: what failing jobs on it takes could not be had. People read it in a warning. */
export class JobsNotFailedError extends UserError {
  override readonly name = "JobsNotFailedError";

  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
  }
}
