import { describe, expect, test } from "vitest";
import {
  AuthenticationError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RequestRejectedError,
  ServerError,
} from "../../../../src/marketplace/errors.ts";
import { ENDPOINTS } from "../../../../src/marketplace/vast/endpoints.ts";
import { answerError, type RawAnswer, saysNo, tooFastWait } from "../../../../src/marketplace/vast/refusals.ts";

const CALL = { operation: "destroy an instance", permission: "instance_write", intervalMs: 3000 };

function answer(status: number, body: unknown = { success: false, msg: "No." }, retryAfter?: string): RawAnswer {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, text, json: typeof body === "string" ? undefined : body, retryAfter };
}

describe("refusalError", () => {
  test.each([
    [401, AuthenticationError],
    [403, PermissionError],
    [404, NotFoundError],
    [429, RateLimitError],
    [400, RequestRejectedError],
    [410, RequestRejectedError],
    [422, RequestRejectedError],
    [301, RequestRejectedError],
    [308, RequestRejectedError],
    [200, RequestRejectedError],
    [500, ServerError],
    [502, ServerError],
    [599, ServerError],
  ])("%i is the error of its kind", (status, kind) => {
    const error = answerError(answer(status), CALL);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ status, sentence: "No." });
    expect(error.message).toBe(`Vast.ai refused "destroy an instance" (${status}): No.`);
  });

  test.each([
    [401, /permission instance_write/],
    [403, /permission instance_write/],
  ])("%i names the permission that the key needs", (status, hint) => {
    expect(answerError(answer(status), CALL).hint).toMatch(hint);
  });

  test.each([
    [401, " (DELETE /api/v0/instances/7/ needs the permission instance_write)"],
    [403, " (DELETE /api/v0/instances/7/ needs the permission instance_write)"],
    [404, ""],
    [500, ""],
  ])("%i: the message names permission and route where it is the key that is refused", (status, end) => {
    const error = answerError(answer(status), { ...CALL, route: "DELETE /api/v0/instances/7/" });
    expect(error.message).toBe(`Vast.ai refused "destroy an instance" (${status}): No.${end}`);
  });

  test.each([
    ["1795305600", "2026-11-22 00:00 UTC"],
    ["1e300", "midnight UTC"],
    [undefined, "midnight UTC"],
  ])("a used up quota of searches does not pass, and says until when: reset %j", (quotaReset, until) => {
    const body = { success: false, error: "search_quota_exceeded", msg: "Daily search quota exceeded." };
    const error = answerError({ ...answer(429, body), quotaReset }, CALL);
    expect(error).toBeInstanceOf(RequestRejectedError);
    expect(error).toMatchObject({ isPassing: false, refusal: { code: "quota" } });
    expect(error.hint).toContain(`It may search again at ${until}: `);
    const date = "Sat, 21 Nov 2026 14:00:00 GMT";
    // Where no header names the moment, the day ends by the service's own clock.
    expect(answerError({ ...answer(429, body), date }, CALL).hint).toContain("at 2026-11-22 00:00 UTC: ");
  });

  test("a used up quota is no 429 by which calls are paced, whatever Retry-After says", () => {
    const used = answer(429, { success: false, error: "search_quota_exceeded", msg: "Used up." }, "3600");
    expect(tooFastWait(used, ENDPOINTS.searchOffers)).toBeUndefined();
    expect(tooFastWait(answer(429, "", "3600"), ENDPOINTS.searchOffers)).toEqual({ waitMs: 3_600_000 });
  });

  test("a 401 that is not JSON is a 401", () => {
    const error = answerError(answer(401, "<h1>Unauthorized</h1>"), CALL);
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error.refusal).toMatchObject({ code: "key", ownWord: false, sentence: "<h1>Unauthorized</h1>" });
  });

  test.each([
    ["an expired session", { msg: "Session expired. Please log in again." }],
    ["a bad key, as the vendor describes it for a search", { error: "auth_error", msg: "Invalid user key" }],
    ["a bad key without a sentence", { error: "auth_error" }],
    ["a bad key without a code", { msg: "Invalid user key" }],
  ])("%s, which the service reports as 404, is never 'the instance is gone'", (_what, body) => {
    const error = answerError(answer(404, body), CALL);
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).not.toBeInstanceOf(NotFoundError);
  });
});

describe("a redirect, which no key follows", () => {
  const redirect = (location?: string) => answerError({ ...answer(308, ""), location }, CALL);

  test("is reported by where it leads, without what its address may carry", () => {
    const error = redirect("https://console.vast.ai/api/v0/instances/7/?api_key=SECRET");
    expect(error).toBeInstanceOf(RequestRejectedError);
    expect(error.message).toBe('Vast.ai refused "destroy an instance" (308): it is at https://console.vast.ai');
    expect(error.hint).toMatch(/^Set api-url to the address/);
  });

  test.each([undefined, "/api/v0/instances/7", "mailto:x", "https://"])(
    "to %s: api-url is to be checked",
    (location) => {
      expect(redirect(location).message).toBe('Vast.ai refused "destroy an instance" (308): no reason given');
      expect(redirect(location).hint).toMatch(/api-url/);
    },
  );
});

describe("how long a 429 asks to wait", () => {
  test.each([
    ["the threshold in plain text", "API requests too frequent: endpoint threshold=4.5*1.0", undefined, 4500],
    [
      "the threshold in JSON",
      { success: false, error: "rate_limit_exceeded", msg: "threshold 12.0" },
      undefined,
      12_000,
    ],
    ["Retry-After before the threshold", "threshold=4.5", "7", 7000],
    ["a Retry-After that is a date: the threshold", "threshold=4.5", "Wed, 21 Oct 2026 07:28:00 GMT", 4500],
    ["no figure at all: the interval of the call", "API requests too frequent", undefined, 3000],
    ["a figure below the interval of the call", "threshold=1.0", undefined, 3000],
    ["a figure beyond reason: no longer than an instance may bill that is to go", "threshold=86400", undefined, 30_000],
    ["a Retry-After of minutes", "", "300", 30_000],
    ["a Retry-After below zero: the threshold", "threshold=-4 threshold=x", "-1", 4000],
  ])("%s", (_what, body, retryAfter, waitMs) => {
    expect(answerError(answer(429, body, retryAfter), CALL)).toMatchObject({ waitMs });
  });

  test("a search and a create are held back as long as Retry-After asks, and a threshold holds them for a minute", () => {
    const waits = (body: string, retryAfter?: string) =>
      [ENDPOINTS.searchOffers, ENDPOINTS.createInstance].map(
        (endpoint) => answerError(answer(429, body, retryAfter), endpoint).refusal.waitMs,
      );
    expect(waits("", "300")).toEqual([300_000, 300_000]);
    expect(waits("threshold=86400")).toEqual([60_000, 60_000]);
    // No timer counts for ever.
    expect(waits("", "99999999")).toEqual([21_600_000, 21_600_000]);
  });

  test("what shows or ends an instance is never held back for longer than 30 s", () => {
    const { createInstance: _create, searchOffers: _search, ...others } = ENDPOINTS;
    for (const endpoint of Object.values(others))
      expect(answerError(answer(429, "", "300"), endpoint), endpoint.operation).toMatchObject({ waitMs: 30_000 });
  });
});

describe("saysNo", () => {
  test.each([
    [{ success: false }, true],
    [{ success: false, new_contract: 7 }, true],
    [{ success: true }, false],
    [{ success: null }, false],
    [{}, false],
    [null, false],
    [[], false],
    ["success: false", false],
  ])("of %j is %s", (json, no) => {
    expect(saysNo({ status: 200, text: "", json, retryAfter: undefined })).toBe(no);
  });
});
