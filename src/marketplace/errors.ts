import { oneLine } from "../shared/foreign-text.ts";
import { UserError, type UserErrorOptions } from "../shared/user-error.ts";
import type { Refusal, RefusalCode } from "./marketplace.ts";

/** Says that a call to the marketplace failed. `refusal` has its facts as plain data. */
export class MarketplaceError extends UserError {
  readonly refusal: Refusal;

  constructor(message: string, refusal: Refusal, options: UserErrorOptions = {}) {
    super(message, options);
    this.refusal = refusal;
  }
}

/** Returns the facts of a call that failed; undefined for a fault that is not the marketplace's. */
export function refusalOf(error: unknown): Refusal | undefined {
  return error instanceof MarketplaceError ? error.refusal : undefined;
}

/** Says that the marketplace answered, and refused. */
export class ServiceError extends MarketplaceError {
  readonly status: number;
  /** The service's own, in one line. */
  readonly sentence: string;

  constructor(refusal: Refusal) {
    const { code, operation, sentence, status = 0, waitMs = 0 } = refusal;
    super(`Vast.ai refused "${operation}" (${status}): ${sentence}${needOf(refusal)}`, refusal, {
      hint: hintOf(refusal),
      isPassing: code === "too-fast" || code === "fault",
      waitMs: code === "too-fast" ? waitMs : 0,
    });
    this.status = status;
    this.sentence = sentence;
  }
}

/** Names the permission that a key would need: the service's own sentence was seen to name none. */
function needOf({ needs, ownWord, status }: Refusal): string {
  const isOfKey = ownWord && (status === 401 || status === 403);
  return isOfKey && needs?.route !== undefined ? ` (${needs.route} needs the permission ${needs.permission})` : "";
}

/** 401: the API key is missing, mistyped, expired or revoked. */
export class AuthenticationError extends ServiceError {}

/** 403: the key is known, and may not do this; or its user is blocked. */
export class PermissionError extends ServiceError {}

/** 404: nothing of that id is there. A page, as any gateway sends it, is no evidence that anything is gone. */
export class NotFoundError extends ServiceError {}

/** 429: calls followed each other too fast. A create was seen to have made an instance even so. */
export class RateLimitError extends ServiceError {}

/** 5xx: the service failed. Whether it carried the call out is unknown. */
export class ServerError extends ServiceError {}

/** Any other 3xx or 4xx, or a 2xx with `success: false`: the request or the account is at fault. */
export class RequestRejectedError extends ServiceError {}

/** The error that stands for a refusal, by its code. All other codes reject the request. */
const CLASSES: { readonly [code in RefusalCode]?: new (refusal: Refusal) => ServiceError } = {
  key: AuthenticationError,
  permission: PermissionError,
  "not-found": NotFoundError,
  "too-fast": RateLimitError,
  fault: ServerError,
};

/** Makes the error that a refusal stands for. Its class says who can mend it. */
export function refusalError(refusal: Refusal): MarketplaceError {
  const { code, operation, sentence } = refusal;
  if (code === "no-answer") return new NoAnswerError(operation, sentence);
  if (code === "unreadable") return new UnexpectedAnswerError(operation, sentence);
  return new (CLASSES[code] ?? RequestRejectedError)(refusal);
}

/** What to do about a refusal, by its code. */
const HINTS: { readonly [code in RefusalCode]?: (refusal: Refusal) => string } = {
  key: ({ needs }) =>
    `Check the secret behind api-key: a key that is mistyped, revoked or lacks the permission ${needs?.permission} is refused like this.`,
  permission: ({ needs }) =>
    `Give the API key the permission ${needs?.permission} (README, "API key"), or ask Vast.ai why the account is blocked.`,
  "not-found": () => "Check api-url: what answers there may be another program, or another service.",
  "too-fast": () => "Run fewer jobs with the same API key at the same time.",
  quota: ({ againAt }) =>
    `The account's searches of this day are used up. It may search again at ${againAt === undefined ? "midnight UTC" : `${new Date(againAt).toISOString().slice(0, 16).replace("T", " ")} UTC`}: run the job again then, or ask Vast.ai for more.`,
  fault: () => "Vast.ai has a fault of its own: run the job again in some minutes.",
};

/** Says what to do about a refusal: where it is no answer of the service's own, whatever its code. */
function hintOf(refusal: Refusal): string {
  const { code, ownWord, status = 0 } = refusal;
  if (!ownWord && status >= 400)
    return "A page answered in place of the service, as a gateway's or a proxy's does: run the job again in some minutes. If it stays, check api-url and api-key.";
  const hint = HINTS[code]?.(refusal);
  if (hint === undefined && status >= 300 && status < 400)
    return "Set api-url to the address where the service is: a redirect is not followed, as the API key would go along.";
  return hint ?? "The service's sentence says what is wrong with the request, or with the account.";
}

/** Says that no answer came: refused, reset, or too late. Nobody knows whether the call was carried out. */
export class NoAnswerError extends MarketplaceError {
  constructor(operation: string, cause: unknown) {
    // Where each of a host's addresses fails, Node's error has a code alone.
    const reason = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : cause;
    // A certificate's names are foreign text, and OpenSSL ends its sentences with a line break.
    const sentence = oneLine(String(reason || "connection lost"));
    super(
      `Vast.ai gave no answer to "${operation}" (${sentence}).`,
      { code: "no-answer", operation, ownWord: false, sentence },
      { cause, isPassing: true, hint: "Check api-url, and whether the service is up." },
    );
  }
}

/** Says that a 2xx answer breaks the specification. Not a ServiceError: the call was carried out. */
export class UnexpectedAnswerError extends MarketplaceError {
  constructor(operation: string, what: string) {
    super(
      `Vast.ai's answer to "${operation}" could not be read: ${what}.`,
      { code: "unreadable", operation, ownWord: false, sentence: what },
      { hint: "Check that api-url is the service's own address; if it is, report this: the service may have changed." },
    );
  }
}
