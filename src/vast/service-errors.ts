import { oneLine } from "../shared/foreign-text.ts";
import { UserError, type UserErrorOptions } from "../shared/user-error.ts";

/** The facts of a refused call. */
export interface Refusal {
  /** The operation in the specification's words. */
  operation: string;
  status: number;
  /** The service's own sentence, in one line. */
  sentence: string;
  /** The scope that a restricted key needs for the call. */
  permission: string;
  /** The request, `PUT /api/v0/asks/11/`, where it is known. */
  route?: string;
  /** True when the answer is JSON, as all of the service's own are. */
  isJson?: boolean;
}

/** The service answered, and its answer is no. */
export class ServiceError extends UserError {
  override readonly name: string = "ServiceError";
  readonly status: number;
  readonly sentence: string;

  constructor(refusal: Refusal, options: UserErrorOptions = {}) {
    super(
      `The service refused "${refusal.operation}" (${refusal.status}): ${refusal.sentence}${needOf(refusal)}`,
      options,
    );
    this.status = refusal.status;
    this.sentence = refusal.sentence;
  }
}

/** The permission that a key would need: the service's own sentence was seen to name none. */
function needOf({ status, route, permission }: Refusal): string {
  const isOfKey = status === 401 || status === 403;
  return isOfKey && route !== undefined ? ` (${route} needs the permission ${permission})` : "";
}

/**
 * 401: the API key is missing, mistyped, expired or revoked. Not a key that lacks a permission, if
 * the service tells them apart.
 */
export class AuthenticationError extends ServiceError {
  override readonly name = "AuthenticationError";

  constructor(refusal: Refusal) {
    super(refusal, {
      hint: `Check the secret behind api-key: a key that is mistyped, revoked or lacks the permission ${refusal.permission} is refused like this.`,
    });
  }
}

/** 403: the key is known, and may not do this; or its user is blocked. */
export class PermissionError extends ServiceError {
  override readonly name = "PermissionError";

  constructor(refusal: Refusal) {
    super(refusal, {
      hint: `Give the API key the permission ${refusal.permission} (README, "API key"), or ask the service why the account is blocked.`,
    });
  }
}

/** 404: what was asked for is not there. */
export class NotFoundError extends ServiceError {
  override readonly name = "NotFoundError";
  /** False: a page, as any gateway sends it; that is no evidence that anything is gone. */
  readonly isOwnWord: boolean;

  constructor(refusal: Refusal) {
    super(refusal, { hint: "Check api-url: what answers there may be another program, or another service." });
    this.isOwnWord = refusal.isJson ?? true;
  }
}

/** 429: calls followed each other too fast. A create was seen to have made an instance even so. */
export class RateLimitError extends ServiceError {
  override readonly name = "RateLimitError";
  /** How long to wait before the next call of this kind, in milliseconds. */
  readonly waitMs: number;

  constructor(refusal: Refusal, waitMs: number) {
    super(refusal, { isPassing: true, hint: "Run fewer jobs with the same API key at the same time." });
    this.waitMs = waitMs;
  }
}

/**
 * Any other 3xx or 4xx, or a 2xx that says `success: false`: the request or the account is at
 * fault; sending it again won't help.
 */
export class RequestRejectedError extends ServiceError {
  override readonly name = "RequestRejectedError";

  constructor(refusal: Refusal) {
    const isElsewhere = refusal.status >= 300 && refusal.status < 400;
    super(refusal, {
      hint: isElsewhere
        ? "Set api-url to the address where the service is: a redirect is not followed, as the API key would go along."
        : "The service's sentence says what is wrong with the request, or with the account.",
    });
  }
}

/** 5xx: the service failed. Whether it carried the call out is unknown. */
export class ServerError extends ServiceError {
  override readonly name = "ServerError";

  constructor(refusal: Refusal) {
    super(refusal, {
      isPassing: true,
      hint: "The service has a fault of its own: run the job again in some minutes.",
    });
  }
}

/** No answer came: refused, reset, or too late. Whether the call was carried out is unknown. */
export class NoAnswerError extends UserError {
  override readonly name = "NoAnswerError";

  constructor(operation: string, cause: unknown) {
    super(`The service gave no answer to "${operation}" (${reasonOf(cause)}).`, {
      cause,
      isPassing: true,
      hint: "Check api-url, and whether the service is up.",
    });
  }
}

/** In one line: a certificate's names are foreign text, and OpenSSL ends its sentences with one. */
function reasonOf(cause: unknown): string {
  // Where each of a host's addresses fails, Node's error has a code alone.
  const told = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : cause;
  return oneLine(String(told || "connection lost"));
}

/** A 2xx answer against the specification. Not a ServiceError: the call was carried out. */
export class UnexpectedAnswerError extends UserError {
  override readonly name = "UnexpectedAnswerError";

  constructor(operation: string, what: string) {
    super(`The service's answer to "${operation}" could not be read: ${what}.`, {
      hint: "Check that api-url is the service's own address; if it is, report this: the service may have changed.",
    });
  }
}
