/** What post must know of an error to tell how the use came out and what becomes of the run. */
export type ErrorKind =
  /** No machine could be had for a job. */
  | "no-machine"
  /** A GPU job failed by itself. */
  | "job-failed"
  /** A machine went while a job ran on it. */
  | "lost"
  /** `check: true` found something; nothing was to be rented. */
  | "check"
  /** Another use serves the jobs of this label. */
  | "label-in-use"
  | "other";

/** What a named error carries beside its sentence. */
export interface KnownErrorOptions {
  /** What to do, as a sentence that starts with a verb and names the input or permission. */
  hint?: string;
  kind?: ErrorKind;
  cause?: unknown;
}

/**
 * The base of every fault that we foresaw. Its message stands alone: first what failed, then what may still bill.
 * A KnownError is shown without a stack; anything else is a bug of ours and is shown with one.
 */
export class KnownError extends Error {
  override readonly name: string = "KnownError";
  readonly hint: string | undefined;
  readonly kind: ErrorKind;

  constructor(message: string, options: KnownErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.hint = options.hint;
    this.kind = options.kind ?? "other";
  }

  /** Says one thing more at its end, if it does not yet, and is the same error. */
  and(sentence: string): this {
    if (!this.message.includes(sentence)) this.message += `${/[.!?]$/.test(this.message) ? "" : "."} ${sentence}`;
    return this;
  }
}
