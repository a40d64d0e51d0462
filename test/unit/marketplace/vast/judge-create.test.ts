import { describe, expect, test } from "vitest";
import { judgeCreate, type RawAnswer } from "../../../../src/marketplace/vast/refusals.ts";
import { parseJson } from "../../../../src/shared/json.ts";

function answer(status: number, body: unknown): RawAnswer {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, text, json: parseJson(text), retryAfter: undefined };
}

describe("created", () => {
  test.each([
    ["as the specification says", { success: true, new_contract: 7, instance_api_key: "k" }],
    ["without its key", { success: true, new_contract: 7 }],
    ["without a word of success", { new_contract: 7 }],
    ["with a success that can't be read", { success: null, new_contract: 7 }],
    ["with its id in a string", { success: true, new_contract: "7" }],
    ["with a NaN", '{"success": true, "new_contract": 7, "score": NaN}'],
  ])("%s", (_how, body) => {
    expect(judgeCreate(answer(200, body))).toEqual({ kind: "created", instanceId: 7 });
  });

  test("with another status of success", () => {
    expect(judgeCreate(answer(201, { new_contract: 7 }))).toEqual({ kind: "created", instanceId: 7 });
  });
});

describe("the table of failures that were seen", () => {
  test.each([
    [
      "offer unknown or taken",
      404,
      {
        success: false,
        error: "invalid_args",
        msg: "error 404/3603: no_such_ask Instance type by id 11 is not available.",
        ask_id: 11,
      },
      "offer-gone",
    ],
    [
      "taken, with cancel_unavail",
      410,
      {
        success: false,
        error: "no_such_ask",
        msg: "error 410/3907: no_such_ask Instance type 11 is no longer available.",
      },
      "offer-gone",
    ],
    [
      "a template that nobody has",
      404,
      { success: false, error: "invalid_args", msg: "template with this hash_id not found." },
      "no-template",
    ],
    [
      "the same as 400",
      400,
      { success: false, error: "invalid_args", msg: "template_hash_id: unknown" },
      "no-template",
    ],
    ["a taken offer, whatever it says of templates", 404, { msg: "no_such_ask 11 (template x)" }, "offer-gone"],
    ["the same as 400", 400, { success: false, error: "invalid_args", msg: "error 400: no_such_ask" }, "offer-gone"],
    [
      "the same as 200",
      200,
      { success: false, error: "invalid_args", msg: "no_such_ask 11 is not available" },
      "offer-gone",
    ],
    [
      "no credit",
      400,
      { success: false, error: "insufficient_credit", msg: "Your account lacks credit; see the billing page." },
      "no-credit",
    ],
    ["no credit as 402", 402, { success: false, error: "insufficient_credit" }, "no-credit"],
    [
      "no credit as 200",
      200,
      { success: false, error: "insufficient_credit", msg: "Your account lacks credit" },
      "no-credit",
    ],
    [
      "spending limit of a new account",
      400,
      { success: false, error: "spend_rate_limit", msg: "Slow down." },
      "spend-rate",
    ],
    ["bad arguments", 400, { success: false, error: "invalid_args", msg: "disk must be >= 8" }, "rejected"],
    ["bad bid", 400, { success: false, error: "invalid_price", msg: "price must be below 128" }, "rejected"],
    [
      "a bid that is too low by now",
      400,
      { success: false, error: "invalid_price", msg: "error 400/3731: the bid for 11 is below the minimum." },
      "offer-gone",
    ],
    ["an unknown volume", 404, { success: false, error: "no_such_volume", msg: "There is no volume 3." }, "rejected"],
    ["a volume elsewhere", 400, { success: false, error: "invalid_args", msg: "volume 3 is on machine 7" }, "rejected"],
    ["VM without ssh key", 400, { success: false, error: "no_ssh_key_for_vm", msg: "Add a key." }, "rejected"],
    [
      "hosts renting others' machines",
      403,
      { success: false, error: "invalid_args", msg: "Hosts may not rent: not available to hosts." },
      "permission",
    ],
    ["rate", 429, "API requests too frequent: endpoint threshold=4.5*1.0", "too-fast"],
    ["rate, as JSON", 429, { success: false, error: "rate_limit_exceeded", msg: "threshold 4.5" }, "too-fast"],
  ])("%s", (_case, status, body, code) => {
    const refusal = { code, status, ownWord: typeof body === "object" };
    expect(judgeCreate(answer(status, body))).toMatchObject({ kind: "refused", refusal });
  });

  test("bid below the floor: an error with new_contract of a stopped instance, which must be destroyed", () => {
    const body = { success: false, error: "invalid_price", msg: "below the minimum", new_contract: 7 };
    expect(judgeCreate(answer(400, body))).toMatchObject({
      kind: "unwanted",
      instanceId: 7,
      refusal: { code: "rejected", sentence: "invalid_price: below the minimum" },
    });
  });
});

describe("an id is never overlooked, whatever the status", () => {
  test.each([200, 400, 402, 403, 404, 410, 429, 500, 502])("%i with success: false", (status) => {
    expect(judgeCreate(answer(status, { success: false, msg: "no_such_ask", new_contract: 7 }))).toMatchObject({
      kind: "unwanted",
      instanceId: 7,
    });
  });

  test("500 with success: true", () => {
    expect(judgeCreate(answer(500, { success: true, new_contract: 7 }))).toMatchObject({
      kind: "unwanted",
      instanceId: 7,
    });
  });
});

describe("a key that the service does not accept is the account's fault, and every offer would be refused like it", () => {
  test.each([
    [401, { success: false, error: "auth_error", msg: "Invalid user key" }],
    [401, "Unauthorized"],
    [403, { success: false, error: "not_authorized", msg: "API key lacks permission instance_write." }],
    [401, { msg: "This machine is not available to this key." }],
    [404, { success: false, error: "auth_error", msg: "Session expired. Please log in again." }],
    [404, { success: false, error: "auth_error", msg: "Invalid user key" }],
  ])("%i %j", (status, body) => {
    const code = status === 403 ? "permission" : "key";
    expect(judgeCreate(answer(status, body))).toMatchObject({ kind: "refused", refusal: { code } });
  });
});

describe("uncertain: an instance may exist", () => {
  test.each([
    ["500", 500, { msg: "boom" }],
    [
      "500, as for an image without a tag",
      500,
      { success: false, error: "server_error", msg: "Something went wrong on the server" },
    ],
    ["502 of a proxy", 502, "<html>Bad Gateway</html>"],
    ["503 that speaks of availability", 503, "Service not available"],
    ["504 that says no_such_ask", 504, { success: false, msg: "no_such_ask" }],
    ["a success that is not JSON", 200, "<html>ok</html>"],
    ["half a success", 200, '{"success": true, "new_contr'],
    ["an empty success", 200, ""],
    ["a success whose id is none", 200, { success: true, new_contract: 1.5 }],
    ["a success whose id is 0", 200, { success: true, new_contract: 0 }],
    ["a success without an id", 200, { success: true }],
    ["a success whose id is null", 200, { success: true, new_contract: null }],
    ["a success whose id is no number", 200, { success: true, new_contract: "soon" }],
    ["an array", 200, []],
    ["408 of a gateway", 408, { msg: "Request Timeout" }],
    ["a refusal that is a page, and not the service's own", 400, "<html>400 Bad Request</html>"],
    ["a redirect", 308, ""],
  ])("%s", (_what, status, body) => {
    expect(judgeCreate(answer(status, body)).kind).toBe("uncertain");
  });
});

test("a refusal without words that we know stops, with the service's sentence", () => {
  expect(judgeCreate(answer(400, { success: false, msg: "The moon is full." }))).toMatchObject({
    kind: "refused",
    refusal: { code: "rejected", sentence: "The moon is full." },
  });
  expect(judgeCreate(answer(200, { success: false }))).toMatchObject({ kind: "refused" });
});

test.each([404, 410])("%i without words that we know still means that the offer is gone", (status) => {
  expect(judgeCreate(answer(status, ""))).toMatchObject({ kind: "refused", refusal: { code: "offer-gone" } });
});
