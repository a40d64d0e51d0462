import { expect, test } from "vitest";
import {
  AuthenticationError,
  NoAnswerError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RequestRejectedError,
  ServerError,
  UnexpectedAnswerError,
} from "../../../src/marketplace/errors.ts";
import { isPassing } from "../../../src/shared/user-error.ts";
import { aRefusal } from "../support/service-faults.ts";

const REFUSAL = aRefusal(400, "No.");

test.each([
  new NoAnswerError("list instances", new Error("socket hang up")),
  new RateLimitError(REFUSAL),
  new ServerError(REFUSAL),
])("$name may be gone a moment later", (error) => {
  expect(isPassing(error)).toBe(true);
});

test.each([
  new AuthenticationError(REFUSAL),
  new PermissionError(REFUSAL),
  new NotFoundError(REFUSAL),
  new RequestRejectedError(REFUSAL),
  new UnexpectedAnswerError("list instances", "offers: missing"),
  new Error("a bug"),
])("$name is not mended by asking again", (error) => {
  expect(isPassing(error)).toBe(false);
});

test.each([
  [new Error("socket hang up"), "socket hang up"],
  [Object.assign(new Error("emptied"), { message: "" }), "connection lost"],
  ["reset", "reset"],
  // A host with several addresses: Node's error has no sentence of its own.
  [Object.assign(new Error("emptied"), { message: "", code: "ENETUNREACH" }), "ENETUNREACH"],
  // As OpenSSL ends its sentences, and as a certificate may have any names.
  [new Error("tlsv1 alert no application protocol\n"), "tlsv1 alert no application protocol"],
  [new Error("DNS:a\n::error::b"), "DNS:a ::error::b"],
])("no answer: says what is known of the reason (%s)", (cause, reason) => {
  const error = new NoAnswerError("list instances", cause);
  expect(error.message).toBe(`The service gave no answer to "list instances" (${reason}).`);
  expect(error.cause).toBe(cause);
});
