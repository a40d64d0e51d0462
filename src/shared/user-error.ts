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
export type UserErrorOptions = Partial<
  Pick<UserError, "cause" | "hint" | "isPassing" | "jobIds" | "kind" | "mark" | "waitMs">
>;

/**
 * The base of every error that we foresaw. Such an error is shown without a stack; any other error
 * is a bug of ours. The message must be clear without its hint: it says first what failed, then
 * what may still bill. Its name is that of its class, the heading in docs/troubleshooting.md.
 */
export class UserError extends Error {
  /** The way out, as a sentence that starts with a verb and names the input or permission. */
  readonly hint: string | undefined;
  readonly kind: ErrorKind;
  /** True if the fault may be gone a moment later. Such a fault is no evidence of anything. */
  readonly isPassing: boolean;
  /** How many milliseconds the side that refused wants us to wait before we ask again. */
  readonly waitMs: number;
  /** The ids of the jobs that the message names. These jobs get no other annotation. */
  readonly jobIds: readonly number[];
  /** A mark at the end of the error's annotation, which a program reads there. */
  readonly mark: string | undefined;

  constructor(message: string, options: UserErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = new.target.name;
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

/** Awaits an answer. A UserError becomes what `instead` makes of it. An abort and a bug are thrown on. */
export async function orElse<Answer, Other>(
  ask: () => Promise<Answer>,
  instead: (fault: UserError) => Other,
  signal?: AbortSignal,
): Promise<Answer | Other> {
  try {
    return await ask();
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof UserError)) throw error;
    return instead(error);
  }
}

/** A UserError as plain data, so that it can be written down. */
export type Fault = Pick<UserError, "name" | "message" | "kind" | "isPassing"> &
  Partial<Pick<UserError, "hint" | "waitMs">>;

/** Turns a UserError into plain data. */
export function faultOf({ name, message, hint, kind, isPassing, waitMs }: UserError): Fault {
  return { name, message, hint, kind, isPassing, ...(waitMs > 0 && { waitMs }) };
}

class ToldError extends UserError {}

/** Turns plain data back into an error with its former name. */
export function faultError({ hint, isPassing, kind, message, name }: Fault): UserError {
  return Object.assign(new ToldError(message, { kind, isPassing, hint }), { name });
}

/** Says that the platform asked this step to stop. That is no fault: post releases what is rented. */
export class CancelledError extends Error {
  override readonly name = "CancelledError";

  constructor(signal: string) {
    super(`Stopped by ${signal}. The post step gives back whatever is rented.`);
  }
}
