import { expect, test } from "vitest";
import {
  AuthenticationError,
  NoAnswerError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RequestRejectedError,
  refusalError,
  ServerError,
  UnexpectedAnswerError,
} from "../../../src/marketplace/errors.ts";
import { isPassing } from "../../../src/shared/user-error.ts";
import { aRefusal } from "../support/service-faults.ts";

test.each([
  ["too-fast", RateLimitError],
  ["fault", ServerError],
  ["no-answer", NoAnswerError],
] as const)("%s may be gone a moment later", (code, kind) => {
  const error = refusalError(aRefusal(400, "No.", code));
  expect(error).toBeInstanceOf(kind);
  expect(isPassing(error)).toBe(true);
});

test.each([
  ["key", AuthenticationError],
  ["permission", PermissionError],
  ["not-found", NotFoundError],
  ["offer-gone", RequestRejectedError],
  ["no-credit", RequestRejectedError],
  ["rejected", RequestRejectedError],
  ["quota", RequestRejectedError],
  ["unreadable", UnexpectedAnswerError],
] as const)("%s is not mended by asking again", (code, kind) => {
  const error = refusalError(aRefusal(400, "No.", code));
  expect(error).toBeInstanceOf(kind);
  expect(isPassing(error)).toBe(false);
});

test("a bug is not mended by asking again", () => {
  expect(isPassing(new Error("a bug"))).toBe(false);
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
  expect(error.message).toBe(`Vast.ai gave no answer to "list instances" (${reason}).`);
  expect(error.cause).toBe(cause);
});
