import {
  NoAnswerError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  type Refusal,
  RequestRejectedError,
  ServerError,
  UnexpectedAnswerError,
} from "../../../src/vast/service-errors.ts";

function refusal(status: number, sentence: string): Refusal {
  return { operation: "an operation", status, sentence, permission: "instance_write" };
}

/** The service's 400, in these words. */
export function badRequest(sentence: string): RequestRejectedError {
  return new RequestRejectedError(refusal(400, sentence));
}

/** One error of each kind that a call can end with. */
export const FAULTS = {
  noAnswer: new NoAnswerError("an operation", new Error("socket hang up")),
  tooFast: new RateLimitError(refusal(429, "API requests too frequent"), 3000),
  down: new ServerError(refusal(502, "Bad Gateway")),
  forbidden: new PermissionError(refusal(403, "API key lacks permission instance_write.")),
  notFound: new NotFoundError(refusal(404, "There is no such path.")),
  successFalse: new RequestRejectedError(refusal(200, "The machine did not answer.")),
  badRequest: badRequest("lte is not a valid search op"),
  unreadable: new UnexpectedAnswerError("an operation", "instances: missing"),
} as const;
