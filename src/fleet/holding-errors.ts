import { KnownError } from "../known-error.ts";

/** Holding, or waiting for a job, came to an end that makes this job fail: who is to do what stands in the hint. */
export class HoldError extends KnownError {
  override readonly name = "HoldError";

  constructor(why: string, hint: string) {
    super(why, { hint });
  }
}

/** The GPU job did not succeed, so this job fails with it: "Re-run failed jobs" then re-runs both. */
export class GpuJobFailedError extends KnownError {
  override readonly name = "GpuJobFailedError";

  constructor(conclusions: readonly string[], url: string | undefined) {
    const where = url ? `: ${url}` : "";
    super(
      `The GPU job did not succeed (${conclusions.join(", ")}${where}); this job fails with it. The machine is given back.`,
      {
        hint: 'Look at the GPU job. "Re-run failed jobs" runs both again, on a new machine.',
      },
    );
  }
}
