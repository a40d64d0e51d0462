import { NOTHING_RENTED } from "../money/errors.ts";
import { UserError } from "../shared/user-error.ts";
import type { Explanation } from "./explain-no-offer.ts";

/** Says that no offer meets the inputs. */
export class NoOfferError extends UserError {
  readonly requirements: string;
  readonly explanation: Explanation;

  /** `after`: what that means for the bill. */
  constructor(requirements: string, explanation: Explanation, after: string = NOTHING_RENTED) {
    const { hint, sentence } = explanation;
    super(`${sentence} ${after} No offer matches: ${requirements}.`, { hint, kind: "no-machine" });
    this.requirements = requirements;
    this.explanation = explanation;
  }
}

/** Says that the volume of volume-id is not there. */
export class VolumeUnknownError extends UserError {
  constructor(id: number) {
    super(`The account has no volume ${id}. ${NOTHING_RENTED}`, {
      hint: "Check volume-id: it is the id of a volume of this account.",
    });
  }
}
