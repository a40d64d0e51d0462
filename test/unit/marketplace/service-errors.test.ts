import { expect, test } from "vitest";
import * as errors from "../../../src/marketplace/errors.ts";
import { isPassing } from "../../../src/shared/user-error.ts";
import { aRefusal } from "../support/service-faults.ts";

test.each([
  ["too-fast", errors.RateLimitError, true],
  ["fault", errors.ServerError, true],
  ["no-answer", errors.NoAnswerError, true],
  ["key", errors.AuthenticationError, false],
  ["no-credit", errors.RequestRejectedError, false],
  ["rejected", errors.RequestRejectedError, false],
  ["unreadable", errors.UnexpectedAnswerError, false],
] as const)("of %s is made the error of its kind, which may be gone a moment later or not", (code, kind, passes) => {
  const error = errors.refusalError(aRefusal(400, "No.", code));
  expect(error).toBeInstanceOf(kind);
  expect(isPassing(error)).toBe(passes);
});

test.each([
  [Object.assign(new Error("emptied"), { message: "" }), "connection lost"],
  // A host with several addresses: Node's error has no sentence of its own.
  // As OpenSSL ends its sentences, and as a certificate may have any names.
  [new Error("DNS:a\n::error::b"), "DNS:a ::error::b"],
])("no answer: says what is known of the reason (%s)", (cause, reason) => {
  const error = new errors.NoAnswerError("list instances", cause);
  expect(error.message).toBe(`Vast.ai gave no answer to "list instances" (${reason}).`);
  expect(error.cause).toBe(cause);
});
