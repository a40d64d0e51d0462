import { type CallOptions, type ContextOf, call } from "../call.ts";
import { removeTeamMember } from "../endpoints/remove-team-member.ts";

/** The account's team. Methods throw as those of ServiceClient. */
export class Team {
  readonly #context: ContextOf;

  constructor(context: ContextOf) {
    this.#context = context;
  }

  /**
   * Removes a member by user id, and with it the keys that came with the membership. NotFoundError:
   * no such member (any more); RequestRejectedError: it is the owner, who can't be removed.
   */
  async remove(userId: number, options?: CallOptions): Promise<void> {
    await call(removeTeamMember, userId, this.#context(options));
  }
}
