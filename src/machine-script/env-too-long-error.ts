import { UserError } from "../shared/user-error.ts";

/** An input that decides how long a machine's variables are. */
export type LongInput = "jobs-per-machine" | "env" | "setup" | "probe";

/** A machine's variables are more than the service takes; nothing was rented. */
export class EnvTooLongError extends UserError {
  override readonly name = "EnvTooLongError";
  readonly input: LongInput;

  /**
   * @param input the one that takes the most.
   * @param allowed what is allowed of it while the others stay, as the end of a sentence.
   */
  constructor(input: LongInput, allowed: string, sizes: { length: number; limit: number }) {
    const most = `The machine's variables have ${sizes.length} characters when packed; the service takes at most ${sizes.limit}.`;
    super(`${most} ${input} takes most of what is yours: allowed is ${allowed}. Nothing was rented.`, {
      hint: "Shorten env and setup: bring what is long in the image, or fetch it in setup. Or lower jobs-per-machine.",
    });
    this.input = input;
  }
}
