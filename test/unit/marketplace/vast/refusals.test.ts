import { expect, test } from "vitest";
import * as errors from "../../../../src/marketplace/errors.ts";
import { ENDPOINTS } from "../../../../src/marketplace/vast/endpoints.ts";
import { answerError, errorSentence, type RawAnswer, tooFastWait } from "../../../../src/marketplace/vast/refusals.ts";

const CALL = { operation: "destroy an instance", permission: "instance_write", intervalMs: 3000 };
const ROUTE = "DELETE /api/v0/instances/7/";
const REFUSED = 'Vast.ai refused "destroy an instance"';

function answer(status: number, body: unknown = { success: false, msg: "No." }, retryAfter?: string): RawAnswer {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, text, json: typeof body === "string" ? undefined : body, retryAfter };
}

test.each([
  [401, errors.AuthenticationError],
  [403, errors.PermissionError],
  [404, errors.NotFoundError],
  [429, errors.RateLimitError],
  [301, errors.RequestRejectedError],
  [200, errors.RequestRejectedError],
  [500, errors.ServerError],
])("%i is the error of its kind, which names permission and route where the key is refused", (status, kind) => {
  const isOfKey = status === 401 || status === 403;
  const error = answerError(answer(status), CALL);
  expect(error).toBeInstanceOf(kind);
  expect(error).toMatchObject({ status, sentence: "No.", message: `${REFUSED} (${status}): No.` });
  expect(/permission instance_write/.test(error.hint ?? "")).toBe(isOfKey);
  const end = isOfKey ? ` (${ROUTE} needs the permission instance_write)` : "";
  expect(answerError(answer(status), { ...CALL, route: ROUTE }).message).toBe(`${REFUSED} (${status}): No.${end}`);
});

test.each([
  ["1795305600", "2026-11-22 00:00 UTC"],
  ["1e300", "midnight UTC"],
  [undefined, "midnight UTC"],
])("a used up quota of searches does not pass, and says until when: reset %j", (quotaReset, until) => {
  const body = { success: false, error: "search_quota_exceeded", msg: "Daily search quota exceeded." };
  const error = answerError({ ...answer(429, body), quotaReset }, CALL);
  expect(error).toBeInstanceOf(errors.RequestRejectedError);
  expect(error).toMatchObject({ isPassing: false, refusal: { code: "quota" } });
  expect(error.hint).toContain(`It may search again at ${until}: `);
  const date = "Sat, 21 Nov 2026 14:00:00 GMT";
  // Where no header names the moment, the day ends by the service's own clock.
  expect(answerError({ ...answer(429, body), date }, CALL).hint).toContain("at 2026-11-22 00:00 UTC: ");
  // No 429 by which calls are paced, whatever Retry-After says.
  expect(tooFastWait(answer(429, body, "3600"), ENDPOINTS.searchOffers)).toBeUndefined();
});

test.each([
  [401, "<h1>Unauthorized</h1>", false],
  [404, { msg: "Session expired. Please log in again." }, true],
  [404, { error: "auth_error" }, true],
])("%i %j refuses the key, and is never 'the instance is gone'", (status, body, ownWord) => {
  const error = answerError(answer(status, body), CALL);
  expect(error).toBeInstanceOf(errors.AuthenticationError);
  expect(error.refusal).toMatchObject({ code: "key", ownWord });
});

test.each([
  ["https://console.vast.ai/api/v0/instances/7/?api_key=SECRET", "it is at https://console.vast.ai"],
  [undefined, "no reason given"],
  ["/api/v0/instances/7", "no reason given"],
  ["mailto:x", "no reason given"],
])("a redirect to %s is not followed: it says where it leads, and no more of its address", (location, where) => {
  const error = answerError({ ...answer(308, ""), location }, CALL);
  expect(error).toBeInstanceOf(errors.RequestRejectedError);
  expect(error.message).toBe(`${REFUSED} (308): ${where}`);
  expect(error.hint).toMatch(/^Set api-url to the address/);
});

test.each([
  ["the threshold in plain text", "API requests too frequent: endpoint threshold=4.5*1.0", undefined, 4500],
  ["the threshold in JSON", { error: "rate_limit_exceeded", msg: "threshold 12.0" }, undefined, 12_000],
  ["Retry-After before the threshold", "threshold=4.5", "7", 7000],
  ["a Retry-After that is a date: the threshold", "threshold=4.5", "Wed, 21 Oct 2026 07:28:00 GMT", 4500],
  ["no figure at all: the interval of the call", "API requests too frequent", undefined, 3000],
  ["a figure below the interval of the call", "threshold=1.0", undefined, 3000],
  ["a figure beyond reason: no longer than an instance may bill that is to go", "threshold=86400", undefined, 30_000],
  ["a Retry-After of minutes", "", "300", 30_000],
  ["a Retry-After below zero: the threshold", "threshold=-4 threshold=x", "-1", 4000],
])("a 429: %s", (_what, body, retryAfter, waitMs) => {
  expect(answerError(answer(429, body, retryAfter), CALL)).toMatchObject({ waitMs });
});

test.each([
  ["", "300", 300_000],
  ["threshold=86400", undefined, 60_000],
  // No timer counts for ever.
  ["", "99999999", 21_600_000],
])("a 429: searches and creates are held back as Retry-After asks, or a minute: %j %s", (body, retryAfter, waitMs) => {
  for (const endpoint of [ENDPOINTS.searchOffers, ENDPOINTS.createInstance])
    expect(answerError(answer(429, body, retryAfter), endpoint).refusal.waitMs).toBe(waitMs);
});

test("a 429: what shows or ends an instance is never held back for longer than 30 s", () => {
  const { createInstance: _create, searchOffers: _search, ...others } = ENDPOINTS;
  for (const endpoint of Object.values(others))
    expect(answerError(answer(429, "", "300"), endpoint), endpoint.operation).toMatchObject({ waitMs: 30_000 });
});

const PLAIN = "API requests too frequent: endpoint threshold=4.5*1.0";

test.each([
  // The specification's forms, then others that were seen.
  [{ msg: "The owner can't be removed." }, "The owner can't be removed."],
  [{ success: false, error: "forbidden", msg: "Blocked." }, "forbidden: Blocked."],
  [{ status: "failure", message: "Member not found." }, "Member not found."],
  [{ detail: "Too many requests" }, "Too many requests"],
  [{ msg: "", message: "Full." }, "Full."],
  [{ msg: "error 404/3603:\n no_such_ask" }, "error 404/3603: no_such_ask"],
  // No object is shown as it came; an unknown one is not, as it could repeat a secret.
  ["Gone.", '"Gone."'],
  [{ env: { GHR_JIT: "the-runner-configuration" } }, "no reason given"],
])("the sentence of %j", (body, sentence) => {
  expect(errorSentence(body, JSON.stringify(body))).toBe(sentence);
});

test("plain text is a sentence, blanks give no reason, and a page without an end is cut", () => {
  expect(errorSentence(undefined, `${PLAIN}\n`)).toBe(PLAIN);
  expect(["", " \n "].map((text) => errorSentence(undefined, text))).toEqual(["no reason given", "no reason given"]);
  expect(errorSentence(undefined, `<html>${"x".repeat(100_000)}`).length).toBe(301);
});

test("a refusal that repeats what was sent says no key of it", () => {
  const sent = "env: -e TOKEN=ghp_0123456789abcdefABCDEF0123456789abcd";
  expect(errorSentence({ msg: `invalid ${sent}` }, "")).toBe("invalid env: -e [46 characters]");
  expect(errorSentence(undefined, sent)).toBe("env: -e [46 characters]");
});
