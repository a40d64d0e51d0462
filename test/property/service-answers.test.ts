import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judgeInstance } from "../../src/machine/instance.ts";
import {
  answerError,
  errorSentence,
  judgeCreate,
  type RawAnswer,
  saysNo,
} from "../../src/marketplace/vast/refusals.ts";
import { instanceSchema, offerSchema } from "../../src/marketplace/vast/schemas.ts";
import { instanceOf } from "../../src/marketplace/vast/translate.ts";
import { parseJson } from "../../src/shared/json.ts";
import { always } from "./support/always.ts";
import { hostileJson, hostileText, httpStatus, MEGABYTES, orNone } from "./support/hostile.ts";
import { isPlainLine } from "./support/readings.ts";

const STATUSES = fc.oneof(httpStatus, fc.integer({ min: 100, max: 999 }));
const CREATE_FIELDS = ["success", "new_contract", "instance_api_key", "msg", "message", "detail", "error"];

function rawAnswer(body: fc.Arbitrary<unknown>): fc.Arbitrary<RawAnswer> {
  const known = fc
    .tuple(STATUSES, body)
    .map(([status, json]) => ({ status, json: JSON.parse(JSON.stringify(json)), text: JSON.stringify(json) }));
  const page = fc.tuple(STATUSES, hostileText).map(([status, text]) => ({ status, text, json: parseJson(text) }));
  return fc
    .tuple(fc.oneof(known, page), orNone(hostileText))
    .map(([answer, retryAfter]) => ({ ...answer, retryAfter }));
}

describe("parseJson", () => {
  test("reads whatever JSON holds as JSON does", () =>
    always(100, [hostileJson("id", "instances"), fc.constantFrom(0, 1, 2)], (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }));

  test("reads NaN and Infinity as null, and leaves them alone within texts", () => {
    const bare = fc.constantFrom("NaN", "Infinity", "-Infinity");
    always(100, [hostileText, bare, hostileText], (before, junk, after) => {
      const text = `{${JSON.stringify(before)}: [${junk}, ${JSON.stringify(after)}], "x y": ${junk}}`;
      const read = [[before, [null, after]] as const, ["x y", null] as const];
      expect(parseJson(text)).toEqual(Object.fromEntries(read));
    });
  });

  test("a megabyte that was cut off is read in no time", () => {
    for (const [, text] of MEGABYTES) {
      expect(parseJson(`{"status_msg": ${JSON.stringify(text).slice(0, -1)}`)).toBeUndefined();
      expect(parseJson(`{"x": NaN, "status_msg": "${text}`)).toBeUndefined();
    }
  });
});

describe("an answer to create", () => {
  test("is a machine with a whole positive id, or one plain line; no answer is no refusal, and no yes asks the next offer", () =>
    always(2000, [rawAnswer(hostileJson(...CREATE_FIELDS))], (answer) => {
      const judged = judgeCreate(answer);
      const { id = 1, sentence = "" } = judged as { id?: number; sentence?: string };
      expect(id > 0 && Number.isSafeInteger(id)).toBe(true);
      expect(isPlainLine(sentence)).toBe(true);
      // A second machine would be rented.
      if (answer.status >= 500 || answer.status === 408) expect(["uncertain", "unwanted"]).toContain(judged.kind);
      if (answer.status >= 200 && answer.status < 300 && !saysNo(answer))
        expect(["created", "uncertain"]).toContain(judged.kind);
    }));

  test("with an id is never forgotten, whatever its status says", () => {
    const told = fc.record({ success: fc.boolean(), msg: hostileText, error: hostileText });
    always(100, [STATUSES, fc.integer({ min: 1 }), told], (status, id, rest) => {
      const json = { ...rest, new_contract: id };
      const verdict = judgeCreate({ status, json, text: JSON.stringify(json), retryAfter: undefined });
      expect(verdict).toMatchObject({ instanceId: id });
    });
  });
});

const LIST = { operation: "list instances", permission: "instance_read", intervalMs: 1000 } as const;

test("a refusal is reported in one plain line, and waits no longer than a minute", () =>
  always(1000, [rawAnswer(hostileJson("msg", "message", "detail", "error"))], (answer) => {
    const error = answerError(answer, LIST);
    expect(isPlainLine(error.message)).toBe(true);
    expect(isPlainLine(errorSentence(answer.json, answer.text))).toBe(true);
    const { waitMs = 0 } = error as { waitMs?: number };
    expect(waitMs >= 0 && waitMs <= 60_000).toBe(true);
  }));

const INSTANCE_FIELDS = "id label actual_status intended_status cur_state status_msg ports ssh_host".split(" ");

test("an instance that can be read has a whole id, and is judged in plain lines", () =>
  always(2000, [hostileJson(...INSTANCE_FIELDS, "start_date", "dph_total", "machine_id")], (row) => {
    const instance = instanceSchema.safeParse(row).data;
    if (instance === undefined) return;
    expect(instance.id > 0 && Number.isSafeInteger(instance.id)).toBe(true);
    const verdict = judgeInstance(instanceOf(instance));
    expect(isPlainLine(verdict.status)).toBe(true);
    if (verdict.kind === "failed") expect(isPlainLine(verdict.why)).toBe(true);
    // Nothing that is unknown costs a machine.
    if (instance.actual_status === undefined && instance.status_msg === undefined && instance.cur_state === undefined)
      expect(verdict.kind).toBe("pending");
  }));

test("an offer that can be read has a whole id and prices that are none of a gift", () => {
  const fields = "id num_gpus gpu_name dph_total dph_base storage_cost storage_total_cost inet_down_cost".split(" ");
  always(2000, [hostileJson(...fields, "machine_id", "score")], (row) => {
    const offer = offerSchema.safeParse(row).data;
    if (offer === undefined) return;
    expect(offer.id > 0 && Number.isSafeInteger(offer.id)).toBe(true);
    const { dph_total, dph_base = 0, storage_cost = 0, storage_total_cost = 0, inet_down_cost = 0 } = offer;
    const prices = [dph_total, dph_base, storage_cost, storage_total_cost, inet_down_cost];
    expect(prices.filter((price) => !(price >= 0 && Number.isFinite(price)))).toEqual([]);
  });
});
