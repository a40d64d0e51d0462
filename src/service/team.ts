import { type CallContext, call, type Limits } from "./call.ts";
import { removeTeamMember } from "./endpoints/remove-team-member.ts";

/** The account's team. Methods throw as those of ServiceClient. */
export class Team {
  readonly #context: (limits?: Limits) => CallContext;

  constructor(context: (limits?: Limits) => CallContext) {
    this.#context = context;
  }

  /**
   * Removes a member by user id, and with it the keys that came with the membership. NotFoundError: no such member (any more);
   * RequestRejectedError: it is the owner, who can't be removed.
   */
  async remove(userId: number, limits?: Limits): Promise<void> {
    await call(removeTeamMember, userId, this.#context(limits));
  }
}
