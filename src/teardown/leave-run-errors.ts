import { UserError } from "../shared/user-error.ts";

/** The GPU job had not ended when this job did, so that its machine was destroyed under it. */
export class DestroyedUnderJobError extends UserError {
  override readonly name = "DestroyedUnderJobError";

  constructor(what: string) {
    super(
      `The machine was given back while ${what}: this job ended before the GPU job did. Nothing is rented any more.`,
      {
        hint: "Leave hold at auto, so that the step waits for the GPU job; with hold: false, keep this job running until the GPU job is over.",
      },
    );
  }
}

/** The GPU job waits for a machine that does not come, and the run could not be cancelled. */
export class RunNotCancelledError extends UserError {
  override readonly name = "RunNotCancelledError";

  constructor(job: string, cause: UserError) {
    super(
      `The GPU job waits for a machine that does not come, and its run could not be cancelled. ${cause.message} Nothing is rented. The job that waits, for up to a day: ${job}`,
      {
        cause,
        hint: "Cancel the run by hand. Give the job that rents `permissions: { actions: write }`, or set if-no-machine: leave if it is to wait.",
      },
    );
  }
}
