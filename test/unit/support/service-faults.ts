import {
  NoAnswerError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RequestRejectedError,
  ServerError,
  UnexpectedAnswerError,
} from "../../../src/marketplace/errors.ts";
import type { Refusal, RefusalCode } from "../../../src/marketplace/marketplace.ts";

/** A refusal in the service's own JSON. */
export function aRefusal(status: number, sentence: string, code: RefusalCode = "rejected"): Refusal {
  return { code, operation: "an operation", status, ownWord: true, sentence, needs: { permission: "instance_write" } };
}

/** The service's 400, in these words. */
export function badRequest(sentence: string): RequestRejectedError {
  return new RequestRejectedError(aRefusal(400, sentence));
}

/** One error of each kind that a call can end with. */
export const FAULTS = {
  noAnswer: new NoAnswerError("an operation", new Error("socket hang up")),
  tooFast: new RateLimitError({ ...aRefusal(429, "API requests too frequent", "too-fast"), waitMs: 3000 }),
  down: new ServerError(aRefusal(502, "Bad Gateway", "fault")),
  forbidden: new PermissionError(aRefusal(403, "API key lacks permission instance_write.", "permission")),
  notFound: new NotFoundError(aRefusal(404, "There is no such path.", "not-found")),
  successFalse: new RequestRejectedError(aRefusal(200, "The machine did not answer.")),
  badRequest: badRequest("lte is not a valid search op"),
  unreadable: new UnexpectedAnswerError("an operation", "instances: missing"),
} as const;
