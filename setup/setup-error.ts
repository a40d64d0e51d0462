/** A fault that we foresaw: what failed, then how things stand, and what to do. Shown without a stack. */
export class SetupError extends Error {
  override readonly name: string = "SetupError";
  readonly hint: string | undefined;

  constructor(message: string, hint?: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.hint = hint;
  }
}

/** The person stopped: Ctrl-C, or no to the plan. */
export class StoppedError extends SetupError {
  constructor(message = "Stopped.", hint?: string) {
    super(message, hint);
  }
}

/** The words of a fault in one line. */
export function wordsOf(fault: unknown): string {
  const words = fault instanceof Error ? fault.message : String(fault);
  return words.replaceAll(/\s+/g, " ").trim();
}
