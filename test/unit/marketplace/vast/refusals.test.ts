import { expect, test } from "vitest";
import * as errors from "../../../../src/marketplace/errors.ts";
import { ENDPOINTS } from "../../../../src/marketplace/vast/endpoints.ts";
import {
  answerError,
  errorSentence,
  judgeCreate,
  type RawAnswer,
  tooFastWait,
} from "../../../../src/marketplace/vast/refusals.ts";
import { parseJson } from "../../../../src/shared/json.ts";

const CALL = { operation: "destroy an instance", permission: "instance_write", intervalMs: 3000 };
const ROUTE = "DELETE /api/v0/instances/7/";
const REFUSED = 'Vast.ai refused "destroy an instance"';

function answer(status: number, body: unknown = { success: false, msg: "No." }, retryAfter?: string): RawAnswer {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, text, json: parseJson(text), retryAfter };
}

test.each([
  [401, errors.AuthenticationError],
  [403, errors.PermissionError],
  [404, errors.NotFoundError],
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
  [404, { msg: "Session expired. Please log in again." }, true],
  [404, { error: "auth_error" }, true],
])("%i %j refuses the key, and is never 'the instance is gone'", (status, body, ownWord) => {
  const error = answerError(answer(status, body), CALL);
  expect(error).toBeInstanceOf(errors.AuthenticationError);
  expect(error.refusal).toMatchObject({ code: "key", ownWord });
});

test.each([
  ["https://console.vast.ai/api/v0/instances/7/?api_key=SECRET", "it is at https://console.vast.ai"],
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

test.each([
  // The specification's forms, then others that were seen.
  [{ msg: "The owner can't be removed." }, "The owner can't be removed."],
  [{ success: false, error: "no_such_instance" }, "no_such_instance"],
  [{ msg: "", message: "Full." }, "Full."],
  // No object is shown as it came; an unknown one is not, as it could repeat a secret.
  [{ env: { GHR_JIT: "the-runner-configuration" } }, "no reason given"],
])("the sentence of %j", (body, sentence) => {
  expect(errorSentence(body, JSON.stringify(body))).toBe(sentence);
});

test("a refusal that repeats what was sent says no key of it", () => {
  const sent = "env: -e TOKEN=ghp_0123456789abcdefABCDEF0123456789abcd";
  expect(errorSentence({ msg: `invalid ${sent}` }, "")).toBe("invalid env: -e [46 characters]");
  expect(errorSentence(undefined, sent)).toBe("env: -e [46 characters]");
});

// What an answer to a create says.

/** A refusal as the service words it. */
const no = (error: string, msg: string) => ({ success: false, error, msg });

test.each([
  ["as the specification says", 200, { success: true, new_contract: 7, instance_api_key: "k" }],
  ["without a word of success", 200, { new_contract: 7 }],
])("created, %s", (_how, status, body) => {
  expect(judgeCreate(answer(status, body))).toEqual({ kind: "created", instanceId: 7 });
});

test.each([
  // The table of failures that were seen.
  [404, no("invalid_args", "error 404/3603: no_such_ask Instance type by id 11 is not available."), "offer-gone"],
  [400, no("invalid_args", "template_hash_id: unknown"), "no-template"],
  [400, no("insufficient_credit", "Your account lacks credit; see the billing page."), "no-credit"],
  [400, no("spend_rate_limit", "Slow down."), "spend-rate"],
  [400, no("invalid_args", "disk must be >= 8"), "rejected"],
  [400, no("invalid_price", "error 400/3731: the bid for 11 is below the minimum."), "offer-gone"],
  [400, no("invalid_args", "volume 3 is on machine 7"), "rejected"],
  [403, no("invalid_args", "Hosts may not rent: not available to hosts."), "permission"],
  [429, "API requests too frequent: endpoint threshold=4.5*1.0", "too-fast"],
  // A key that is refused is the account's fault: every offer would be refused like it.
  [403, no("not_authorized", "API key lacks permission instance_write."), "permission"],
  [401, { msg: "This machine is not available to this key." }, "key"],
  [404, no("auth_error", "Session expired. Please log in again."), "key"],
  // Without words that we know.
  [200, { success: false }, "rejected"],
  [404, "", "offer-gone"],
  [410, "", "offer-gone"],
])("%i %j: %s", (status, body, code) => {
  const refusal = { code, status, ownWord: typeof body === "object" };
  expect(judgeCreate(answer(status, body))).toMatchObject({ kind: "refused", refusal });
});

// That an id is never overlooked, whatever the status, is in test/property/service-answers.test.ts.
test("bid below the floor: an error with new_contract of a stopped instance, which must be destroyed", () => {
  const refusal = { code: "rejected", sentence: "invalid_price: below the minimum" };
  const body = { ...no("invalid_price", "below the minimum"), new_contract: 7 };
  expect(judgeCreate(answer(400, body))).toMatchObject({ kind: "unwanted", instanceId: 7, refusal });
});

test.each([
  [500, no("server_error", "Something went wrong on the server")],
  [200, '{"success": true, "new_contr'],
  [200, ""],
  [200, { success: true }],
  [200, { success: true, new_contract: "soon" }],
  [408, { msg: "Request Timeout" }],
  // A page is not the service's own word.
  [308, ""],
])("uncertain, as an instance may exist: %i %j", (status, body) => {
  expect(judgeCreate(answer(status, body)).kind).toBe("uncertain");
});
