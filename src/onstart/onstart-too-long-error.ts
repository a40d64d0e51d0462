import { KnownError } from "../known-error.ts";

/** The script does not fit the field `onstart`, not even packed; nothing was rented. */
export class OnstartTooLongError extends KnownError {
  override readonly name = "OnstartTooLongError";

  constructor(length: number, limit: number) {
    super(`The onstart script has ${length} characters when packed; the service takes at most ${limit}.`, {
      hint: "Shorten onstart/bootstrap.sh.",
    });
  }
}
