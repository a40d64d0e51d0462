/** The sorts of errors. Post uses them to report the result and to decide what becomes of the run. */
export const ERROR_KINDS = [
  /** No machine became ready for a job. */
  "no-machine",
  /** A GPU job failed by itself. */
  "job-failed",
  /** A machine went while a job ran on it. */
  "lost",
  /** Another session serves the jobs of this label. */
  "label-in-use",
  /** A job asks for a label that is one step from our label, and counts as our job. */
  "mistyped-label",
  "other",
] as const;

export type ErrorKind = (typeof ERROR_KINDS)[number];

/** The facts of a UserError other than its message. */
export interface UserErrorOptions {
  /** The way out, as a sentence that starts with a verb and names the input or permission. */
  hint?: string | undefined;
  kind?: ErrorKind;
  /** True if the fault may be gone a moment later. Such a fault is no evidence of anything. */
  isPassing?: boolean;
  /** How many milliseconds the side that refused wants us to wait before we ask again. */
  waitMs?: number;
  /** The ids of the jobs that the message names. These jobs get no other annotation. */
  jobIds?: readonly number[];
  /** A mark at the end of the error's annotation, which a program reads there. */
  mark?: string;
  cause?: unknown;
}

/**
 * The base of every error that we foresaw. Such an error is shown without a stack; any other error
 * is a bug of ours. The message must be clear without its hint: it says first what failed, then
 * what may still bill.
 */
export class UserError extends Error {
  override readonly name: string = "UserError";
  readonly hint: string | undefined;
  readonly kind: ErrorKind;
  readonly isPassing: boolean;
  readonly waitMs: number;
  readonly jobIds: readonly number[];
  readonly mark: string | undefined;

  constructor(message: string, options: UserErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.hint = options.hint;
    this.kind = options.kind ?? "other";
    this.isPassing = options.isPassing ?? false;
    this.waitMs = options.waitMs ?? 0;
    this.jobIds = options.jobIds ?? [];
    this.mark = options.mark;
  }

  /** Adds a sentence to the message, before its list if it has one, unless it is in it. Returns the same error. */
  and(sentence: string): this {
    if (this.message.includes(sentence)) return this;
    const [text = "", ...list] = this.message.split("\n");
    this.message = [`${text}${/[.!?]$/.test(text) ? "" : "."} ${sentence}`, ...list].join("\n");
    return this;
  }
}

/** True for a fault that may be gone a moment later. */
export function isPassing(error: unknown): error is UserError {
  return error instanceof UserError && error.isPassing;
}

/** A UserError as plain data, so that it can be written down. */
export type Fault = Pick<UserError, "name" | "message" | "kind" | "isPassing"> &
  Partial<Pick<UserError, "hint" | "waitMs">>;

/** Turns a UserError into plain data. */
export function faultOf({ name, message, hint, kind, isPassing, waitMs }: UserError): Fault {
  return { name, message, hint, kind, isPassing, ...(waitMs > 0 && { waitMs }) };
}

/** Turns plain data back into an error with its former name. */
export function faultError(fault: Fault): UserError {
  return new ToldError(fault);
}

class ToldError extends UserError {
  override readonly name: string;

  constructor({ hint, isPassing, kind, message, name }: Fault) {
    super(message, { kind, isPassing, hint });
    this.name = name;
  }
}

/** Says that the platform asked this step to stop. That is no fault: post releases what is rented. */
export class CancelledError extends Error {
  override readonly name = "CancelledError";

  constructor(signal: string) {
    super(`Stopped by ${signal}. The post step gives back whatever is rented.`);
  }
}
