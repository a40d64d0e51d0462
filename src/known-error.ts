/** What a named error carries beside its sentence. */
export interface KnownErrorOptions {
  /** What to do, as a sentence that starts with a verb and names the input or permission. */
  hint?: string;
  cause?: unknown;
}

/**
 * The base of every fault that we foresaw. Its message stands alone: first what failed, then what may still bill.
 * A KnownError is shown without a stack; anything else is a bug of ours and is shown with one.
 */
export class KnownError extends Error {
  override readonly name: string = "KnownError";
  readonly hint: string | undefined;

  constructor(message: string, options: KnownErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.hint = options.hint;
  }
}
