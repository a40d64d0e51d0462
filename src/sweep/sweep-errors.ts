import { KnownError } from "../known-error.ts";

/** The service: something that had to go could not be destroyed, or not be seen to be gone. */
export class SweepError extends KnownError {
  override readonly name = "SweepError";

  /** Each of `undestroyed` names one instance and the reason, in words. */
  constructor(undestroyed: readonly string[]) {
    super(`The sweep could not destroy what had to go: ${undestroyed.join("; ")}. It may still be billing.`, {
      hint: "Destroy it in the service's console, or run this with an API key: DELETE /api/v0/instances/ID/.",
    });
  }
}

/** The workflow: too many machines of this repository are alive at once. */
export class MachineLimitError extends KnownError {
  override readonly name = "MachineLimitError";

  constructor(alive: number, most: number) {
    const machines = alive === 1 ? "1 machine of this repository is" : `${alive} machines of this repository are`;
    super(`${machines} alive, and machines-per-repository allows ${most} with this one. Nothing was rented.`, {
      hint: "Wait until other runs are over, raise machines-per-repository, or look for leftovers: the README's section on the sweep says how.",
    });
  }
}
