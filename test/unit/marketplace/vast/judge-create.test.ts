import { expect, test } from "vitest";
import { judgeCreate, type RawAnswer } from "../../../../src/marketplace/vast/refusals.ts";
import { parseJson } from "../../../../src/shared/json.ts";

function judged(status: number, body: unknown) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer: RawAnswer = { status, text, json: parseJson(text), retryAfter: undefined };
  return judgeCreate(answer);
}

/** A refusal as the service words it. */
const no = (error: string, msg: string) => ({ success: false, error, msg });

test.each([
  ["as the specification says", 200, { success: true, new_contract: 7, instance_api_key: "k" }],
  ["without a word of success", 200, { new_contract: 7 }],
  ["with a success that can't be read", 200, { success: null, new_contract: 7 }],
  ["with its id in a string", 200, { success: true, new_contract: "7" }],
  ["with a NaN", 200, '{"success": true, "new_contract": 7, "score": NaN}'],
  ["with another status of success", 201, { new_contract: 7 }],
])("created, %s", (_how, status, body) => {
  expect(judged(status, body)).toEqual({ kind: "created", instanceId: 7 });
});

test.each([
  // The table of failures that were seen.
  [404, no("invalid_args", "error 404/3603: no_such_ask Instance type by id 11 is not available."), "offer-gone"],
  [404, no("invalid_args", "template with this hash_id not found."), "no-template"],
  [400, no("invalid_args", "template_hash_id: unknown"), "no-template"],
  [404, { msg: "no_such_ask 11 (template x)" }, "offer-gone"],
  [400, no("insufficient_credit", "Your account lacks credit; see the billing page."), "no-credit"],
  [402, { success: false, error: "insufficient_credit" }, "no-credit"],
  [400, no("spend_rate_limit", "Slow down."), "spend-rate"],
  [400, no("invalid_args", "disk must be >= 8"), "rejected"],
  [400, no("invalid_price", "error 400/3731: the bid for 11 is below the minimum."), "offer-gone"],
  [404, no("no_such_volume", "There is no volume 3."), "rejected"],
  [400, no("invalid_args", "volume 3 is on machine 7"), "rejected"],
  [403, no("invalid_args", "Hosts may not rent: not available to hosts."), "permission"],
  [429, "API requests too frequent: endpoint threshold=4.5*1.0", "too-fast"],
  // A key that is refused is the account's fault: every offer would be refused like it.
  [403, no("not_authorized", "API key lacks permission instance_write."), "permission"],
  [401, { msg: "This machine is not available to this key." }, "key"],
  [404, no("auth_error", "Session expired. Please log in again."), "key"],
  // Without words that we know.
  [400, { success: false, msg: "The moon is full." }, "rejected"],
  [200, { success: false }, "rejected"],
  [404, "", "offer-gone"],
])("%i %j: %s", (status, body, code) => {
  const refusal = { code, status, ownWord: typeof body === "object" };
  expect(judged(status, body)).toMatchObject({ kind: "refused", refusal });
});

// That an id is never overlooked, whatever the status, is in test/property/service-answers.test.ts.
test("bid below the floor: an error with new_contract of a stopped instance, which must be destroyed", () => {
  const refusal = { code: "rejected", sentence: "invalid_price: below the minimum" };
  const body = { ...no("invalid_price", "below the minimum"), new_contract: 7 };
  expect(judged(400, body)).toMatchObject({ kind: "unwanted", instanceId: 7, refusal });
});

test.each([
  [500, no("server_error", "Something went wrong on the server")],
  [504, { success: false, msg: "no_such_ask" }],
  [200, "<html>ok</html>"],
  [200, '{"success": true, "new_contr'],
  [200, ""],
  [200, { success: true, new_contract: 1.5 }],
  [200, { success: true, new_contract: 0 }],
  [200, { success: true }],
  [200, { success: true, new_contract: "soon" }],
  [408, { msg: "Request Timeout" }],
  // A page is not the service's own word.
  [400, "<html>400 Bad Request</html>"],
  [308, ""],
])("uncertain, as an instance may exist: %i %j", (status, body) => {
  expect(judged(status, body).kind).toBe("uncertain");
});
