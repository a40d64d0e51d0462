import { KnownError } from "../known-error.ts";
import type { Explanation } from "../market/explain-no-offer.ts";

/** The state of the bill when no create was ever sent. */
export const NOTHING_RENTED = "Nothing was rented.";
/** … when what was rented is destroyed. */
export const NOTHING_LEFT = "Nothing is rented any more.";
/** … when an instance may still turn up. */
export const MAY_TURN_UP = "One create gave no answer: the post step looks for what may come of it.";

/** The market: no offer meets the inputs. */
export class NoOfferError extends KnownError {
  override readonly name = "NoOfferError";

  /** The input that alone keeps offers away, if there is one. */
  readonly input: string | undefined;

  constructor(wishes: string, { sentence, hint, input }: Explanation) {
    super(`No offer matches: ${wishes}. ${sentence} ${NOTHING_RENTED}`, { kind: "no-machine", ...(hint === undefined ? {} : { hint }) });
    this.input = input;
  }
}

/** The volume: what volume-id names is not there. */
export class VolumeUnknownError extends KnownError {
  override readonly name = "VolumeUnknownError";

  constructor(sentence: string) {
    super(`${sentence} ${NOTHING_RENTED}`, {
      hint: "Check volume-id: with volume-create-new: true it is the id of a volume offer, else that of a volume of this account.",
    });
  }
}

/** The service: whether an instance was created could not be found out. Post looks again. */
export class CreateUncertainError extends KnownError {
  override readonly name = "CreateUncertainError";

  constructor(label: string, cause: unknown) {
    super(
      `It is not known whether an instance was created: the service gave no answer. If it was, its label is ${label}.`,
      {
        cause,
        hint: "The post step looks for it and destroys it; look into the service's console if the post step fails as well.",
      },
    );
  }
}

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

