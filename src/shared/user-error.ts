/** The sorts of errors by which post tells the result and decides about the run. */
export type ErrorKind =
  /** No machine could be had for a job. */
  | "no-machine"
  /** A GPU job failed by itself. */
  | "job-failed"
  /** A machine went while a job ran on it. */
  | "lost"
  /** Another session serves the jobs of this label. */
  | "label-in-use"
  /** A job asks for a label that was meant to be ours: it counts as ours. */
  | "mistyped-label"
  | "other";

/** Facts that a named error carries beside its sentence. */
export interface UserErrorOptions {
  /** The way out, as a sentence that starts with a verb and names the input or permission. */
  hint?: string;
  kind?: ErrorKind;
  /** It may be gone a moment later, and is no evidence of anything. */
  isPassing?: boolean;
  /** Who refused wants to be asked again after so many milliseconds. */
  waitMs?: number;
  /** The ids of jobs that it names: no other annotation tells of them. */
  jobIds?: readonly number[];
  /** Ends its annotation, for a program that reads it there. */
  mark?: string;
  cause?: unknown;
}

/**
 * The base of every fault that we foresaw, shown without a stack; all else is a bug of ours. Its
 * message stands alone: first what failed, then what may still bill.
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

  /** Says one thing more at its end, if it does not yet, and is the same error. */
  and(sentence: string): this {
    if (!this.message.includes(sentence)) this.message += `${/[.!?]$/.test(this.message) ? "" : "."} ${sentence}`;
    return this;
  }
}

/** True for a fault that may be gone a moment later. */
export function isPassing(error: unknown): error is UserError {
  return error instanceof UserError && error.isPassing;
}

/** A UserError as plain data, for what is written down. */
export interface Fault {
  name: string;
  message: string;
  hint?: string | undefined;
  kind: ErrorKind;
  isPassing: boolean;
}

/** Brings an error's facts as plain data. */
export function faultOf({ name, message, hint, kind, isPassing }: UserError): Fault {
  return { name, message, hint, kind, isPassing };
}

/** Makes the error again that a fault was taken of, under its own name. */
export function faultError(fault: Fault): UserError {
  return new ToldError(fault);
}

class ToldError extends UserError {
  override readonly name: string;

  constructor({ hint, isPassing, kind, message, name }: Fault) {
    super(message, { kind, isPassing, ...(hint === undefined ? {} : { hint }) });
    this.name = name;
  }
}

/** The platform asked this step to stop. Not a fault: post gives back what is rented. */
export class CancelledError extends Error {
  override readonly name = "CancelledError";

  constructor(signal: string) {
    super(`Stopped by ${signal}. The post step gives back whatever is rented.`);
  }
}
