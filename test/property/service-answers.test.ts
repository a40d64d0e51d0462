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
import { hostileJson, hostileText, MEGABYTES } from "./support/hostile.ts";
import { isPlainLine } from "./support/readings.ts";

const STATUSES = fc.oneof(
  fc.constantFrom(200, 201, 204, 301, 400, 401, 402, 403, 404, 408, 409, 410, 418, 422, 429, 500, 502, 503),
  fc.integer({ min: 100, max: 999 }),
);
const CREATE_FIELDS = ["success", "new_contract", "instance_api_key", "msg", "message", "detail", "error"];

function rawAnswer(body: fc.Arbitrary<unknown>): fc.Arbitrary<RawAnswer> {
  const known = fc
    .tuple(STATUSES, body)
    .map(([status, json]) => ({ status, json: JSON.parse(JSON.stringify(json)), text: JSON.stringify(json) }));
  const page = fc.tuple(STATUSES, hostileText).map(([status, text]) => ({ status, text, json: parseJson(text) }));
  return fc
    .tuple(fc.oneof(known, page), fc.option(hostileText, { nil: undefined }))
    .map(([answer, retryAfter]) => ({ ...answer, retryAfter }));
}

describe("parseJson", () => {
  test("reads whatever JSON holds as JSON does", () => {
    fc.assert(
      fc.property(hostileJson("id", "instances"), fc.constantFrom(0, 1, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test("reads NaN and Infinity as null, and leaves them alone within texts", () => {
    const bare = fc.constantFrom("NaN", "Infinity", "-Infinity");
    fc.assert(
      fc.property(hostileText, bare, hostileText, (before, junk, after) => {
        const text = `{${JSON.stringify(before)}: [${junk}, ${JSON.stringify(after)}], "x y": ${junk}}`;
        expect(parseJson(text)).toEqual(
          Object.fromEntries([
            [before, [null, after]],
            ["x y", null],
          ]),
        );
      }),
    );
  });

  test("never throws, whatever is cut off", () => {
    fc.assert(
      fc.property(hostileJson("id", "env"), fc.double({ min: 0, max: 1, noNaN: true }), (value, share) => {
        const text = JSON.stringify(value);
        parseJson(text.slice(0, Math.floor(text.length * share)));
      }),
    );
  });

  test("a megabyte that was cut off is read in no time", () => {
    for (const [, text] of MEGABYTES) {
      expect(parseJson(`{"status_msg": ${JSON.stringify(text).slice(0, -1)}`)).toBeUndefined();
      expect(parseJson(`{"x": NaN, "status_msg": "${text}`)).toBeUndefined();
    }
  });
});

describe("an answer to create", () => {
  const someAnswer = rawAnswer(hostileJson(...CREATE_FIELDS));

  test("is never taken for a machine without a whole positive id, and is reported in one plain line", () => {
    fc.assert(
      fc.property(someAnswer, (answer) => {
        const { id = 1, sentence = "" } = judgeCreate(answer) as { id?: number; sentence?: string };
        expect(id > 0 && Number.isSafeInteger(id)).toBe(true);
        expect(isPlainLine(sentence)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("that is no answer is never taken for a refusal: a second machine would be rented", () => {
    fc.assert(
      fc.property(someAnswer, (answer) => {
        fc.pre(answer.status >= 500 || answer.status === 408);
        expect(["uncertain", "unwanted"]).toContain(judgeCreate(answer).kind);
      }),
    );
  });

  test("that says yes never makes the next offer be taken", () => {
    fc.assert(
      fc.property(someAnswer, (answer) => {
        fc.pre(answer.status >= 200 && answer.status < 300 && !saysNo(answer));
        expect(["created", "uncertain"]).toContain(judgeCreate(answer).kind);
      }),
    );
  });

  test("with an id is never forgotten, whatever its status says", () => {
    const ids = fc.integer({ min: 1 });
    fc.assert(
      fc.property(
        STATUSES,
        ids,
        fc.record({ success: fc.boolean(), msg: hostileText, error: hostileText }),
        (status, id, rest) => {
          const json = { ...rest, new_contract: id };
          const verdict = judgeCreate({ status, json, text: JSON.stringify(json), retryAfter: undefined });
          expect(verdict).toMatchObject({ instanceId: id });
        },
      ),
    );
  });
});

test("a refusal is reported in one plain line, and waits no longer than a minute", () => {
  fc.assert(
    fc.property(rawAnswer(hostileJson("msg", "message", "detail", "error")), (answer) => {
      const error = answerError(answer, {
        operation: "list instances",
        permission: "instance_read",
        intervalMs: 1000,
      });
      expect(isPlainLine(error.message)).toBe(true);
      expect(isPlainLine(errorSentence(answer.json, answer.text))).toBe(true);
      const { waitMs = 0 } = error as { waitMs?: number };
      expect(waitMs >= 0 && waitMs <= 60_000).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

const INSTANCE_FIELDS = "id label actual_status intended_status cur_state status_msg ports ssh_host".split(" ");

test("an instance that can be read has a whole id, and is judged in plain lines", () => {
  fc.assert(
    fc.property(hostileJson(...INSTANCE_FIELDS, "start_date", "dph_total", "machine_id"), (row) => {
      const instance = instanceSchema.safeParse(row).data;
      if (instance === undefined) return;
      expect(instance.id > 0 && Number.isSafeInteger(instance.id)).toBe(true);
      const verdict = judgeInstance(instanceOf(instance));
      expect(isPlainLine(verdict.status)).toBe(true);
      if (verdict.kind === "failed") expect(isPlainLine(verdict.why)).toBe(true);
      // Nothing that is unknown costs a machine.
      if (instance.actual_status === undefined && instance.status_msg === undefined && instance.cur_state === undefined)
        expect(verdict.kind).toBe("pending");
    }),
    { numRuns: 2000 },
  );
});

test("an offer that can be read has a whole id and prices that are none of a gift", () => {
  const fields = "id num_gpus gpu_name dph_total dph_base storage_cost storage_total_cost inet_down_cost".split(" ");
  fc.assert(
    fc.property(hostileJson(...fields, "machine_id", "score"), (row) => {
      const offer = offerSchema.safeParse(row).data;
      if (offer === undefined) return;
      expect(offer.id > 0 && Number.isSafeInteger(offer.id)).toBe(true);
      const { dph_total, dph_base = 0, storage_cost = 0, storage_total_cost = 0, inet_down_cost = 0 } = offer;
      const prices = [dph_total, dph_base, storage_cost, storage_total_cost, inet_down_cost];
      expect(prices.filter((price) => !(price >= 0 && Number.isFinite(price)))).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});
