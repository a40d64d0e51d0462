import { UserError, type UserErrorOptions } from "../shared/user-error.ts";
import type { Refusal } from "./marketplace.ts";

/** A call to the marketplace failed. `refusal` has its facts as plain data. */
export class MarketplaceError extends UserError {
  override readonly name: string = "MarketplaceError";
  readonly refusal: Refusal;

  constructor(message: string, refusal: Refusal, options: UserErrorOptions = {}) {
    super(message, options);
    this.refusal = refusal;
  }
}

/** Brings the facts of a call that failed; undefined for a fault that is not the marketplace's. */
export function refusalOf(error: unknown): Refusal | undefined {
  return error instanceof MarketplaceError ? error.refusal : undefined;
}
