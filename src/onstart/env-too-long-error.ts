import { KnownError } from "../known-error.ts";

/** The machine's variables are more than the service takes; nothing was rented. */
export class EnvTooLongError extends KnownError {
  override readonly name = "EnvTooLongError";

  constructor(length: number, limit: number) {
    super(`The machine's variables have ${length} characters when packed; the service takes at most ${limit}.`, {
      hint: "Shorten the inputs env and setup: bring what is long in the image, or fetch it in setup.",
    });
  }
}
