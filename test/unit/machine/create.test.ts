import { beforeEach, describe, expect, test } from "vitest";
import { findByLabel, sendCreate, settleUncertain } from "../../../src/create/create.ts";
import { CreateRefusedError, NoCreditError } from "../../../src/create/create-errors.ts";
import { AuthenticationError, PermissionError } from "../../../src/vast/service-errors.ts";
import { aConfig } from "../support/an-instance-config.ts";
import { createAnswer, FakeService } from "../support/fake-service.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";
import { FAULTS } from "../support/service-faults.ts";

const LABEL = "ghr1.1.2-1.abcdef.1.1798761600";
const CONFIG = aConfig({ label: LABEL });

let clock: HandWoundClock;
let service: FakeService;
let cancel: AbortController;

beforeEach(() => {
  clock = new HandWoundClock();
  service = new FakeService(clock);
  cancel = new AbortController();
});

function creating() {
  const tools = { service: service.client, clock, signal: cancel.signal };
  return clock.run(sendCreate(tools, 11, CONFIG, () => {}));
}

const moments = () => service.of("createInstance").map(({ at }) => at);

test("sends once, and brings the id back", async () => {
  expect(await creating()).toEqual({ kind: "created", id: 701 });
  expect(service.calls).toEqual([{ operation: "createInstance", id: 11, at: 0 }]);
});

test.each([
  ["gone", createAnswer(404, { success: false, msg: "no_such_ask" }), "gone"],
  ["an error that carries an id", createAnswer(400, { success: false, msg: "low bid", new_contract: 7 }), "unwanted"],
  ["5xx", createAnswer(502, { msg: "Bad Gateway" }), "uncertain"],
  ["an unreadable success", createAnswer(200, null), "uncertain"],
])("%s is sent no second time", async (_what, answer, kind) => {
  service.next("createInstance", answer);
  expect((await creating()).kind).toBe(kind);
  expect(moments()).toEqual([0]);
});

test("no answer is uncertain, and sent no second time", async () => {
  service.next("createInstance", FAULTS.noAnswer);
  expect(await creating()).toEqual({ kind: "uncertain", sentence: FAULTS.noAnswer.message });
  expect(moments()).toEqual([0]);
});

test("429 is sent no second time: it says that it was not carried out, and was seen to have been", async () => {
  service.next("createInstance", createAnswer(429, { msg: "API requests too frequent: endpoint threshold=4.5*1.0" }));
  expect(await creating()).toEqual({ kind: "too-fast" });
  expect(moments()).toEqual([0]);
});

describe("a refusal stops, with the error of its cause", () => {
  test.each([
    ["401", createAnswer(401, { msg: "Invalid user key" }), AuthenticationError],
    ["403", createAnswer(403, { msg: "API key lacks permission." }), PermissionError],
    [
      "a session that ran out",
      createAnswer(404, { msg: "Session expired. Please log in again." }),
      AuthenticationError,
    ],
    ["no credit", createAnswer(400, { error: "insufficient_credit", msg: "Your account lacks credit" }), NoCreditError],
    ["a new account's limit", createAnswer(400, { error: "spend_rate_limit", msg: "Slow down" }), NoCreditError],
    ["a bad request", createAnswer(400, { error: "invalid_args", msg: "disk" }), CreateRefusedError],
  ])("%s", async (_what, answer, kind) => {
    service.next("createInstance", answer);
    const outcome = await creating();
    if (outcome.kind !== "refused") throw new Error(`It was ${outcome.kind}.`);
    expect(outcome.error("What the bill is.")).toBeInstanceOf(kind);
    expect(outcome.error("What the bill is.").message).toContain("What the bill is.");
    expect(moments()).toEqual([0]);
  });
});

test("what is refused for the request's sake says what the bill is", async () => {
  service.next("createInstance", createAnswer(400, { error: "invalid_args", msg: "disk" }));
  const outcome = await creating();
  expect(outcome.kind === "refused" && outcome.error("Nothing was rented.").message).toContain("Nothing was rented.");
});

describe("a cancel", () => {
  test("before it is sent: it is not sent", async () => {
    cancel.abort(new Error("cancelled"));
    await expect(creating()).rejects.toThrow("cancelled");
    expect(service.creates).toEqual([]);
  });

  test("while it is under way: its answer is still taken for 5 s, so that it can be written down", async () => {
    service.next("createInstance", async () => {
      await clock.sleep(4000);
      return createAnswer(200, { success: true, new_contract: 7 });
    });
    clock.at(1000, () => cancel.abort(new Error("cancelled")));
    expect(await creating()).toEqual({ kind: "created", id: 7 });
  });

  test("while it is under way, and no answer comes in 5 s: it is cut", async () => {
    service.next("createInstance", () => clock.sleep(60_000).then(() => createAnswer(200, { new_contract: 7 })));
    clock.at(1000, () => cancel.abort(new Error("cancelled")));
    await expect(creating()).rejects.toThrow("cancelled");
    expect(clock.elapsed).toBe(6000);
  });
});

test("a bug is not taken for an uncertain create", async () => {
  service.next("createInstance", new TypeError("a bug"));
  await expect(creating()).rejects.toThrow("a bug");
});

describe("settling an uncertain create", () => {
  const settling = () => clock.run(settleUncertain({ service: service.client, clock, signal: cancel.signal }, LABEL));
  const looks = () => service.of("listInstances").map(({ at }) => at);

  test("adopts the instance that carries its label, at the first look that shows it", async () => {
    clock.at(6000, () => service.put({ id: 7, label: LABEL }));
    expect(await settling()).toBe(7);
    expect(looks()).toEqual([0, 2, 5, 10]);
  });

  test("takes nothing but its own label", async () => {
    service.put({ id: 5, label: `${LABEL}0` });
    service.put({ id: 6, label: "ghr1.1.2-1.abcdef.2.1798761600" });
    service.put({ id: 8 });
    expect(await settling()).toBeUndefined();
  });

  test("looks at 0, 2, 5, 10, 20 and 40 s; then it counts as not carried out", async () => {
    expect(await settling()).toBeUndefined();
    expect(looks()).toEqual([0, 2, 5, 10, 20, 40]);
  });

  test("a look that failed on the way takes nothing away from the ones that follow", async () => {
    service.next("listInstances", FAULTS.down, FAULTS.noAnswer);
    service.put({ id: 7, label: LABEL });
    expect(await settling()).toBe(7);
    expect(looks()).toEqual([0, 2, 5]);
  });

  test("a list that can't be read is not the same as one that lacks it", async () => {
    const look = () => clock.run(findByLabel({ service: service.client, clock, signal: cancel.signal }, LABEL));
    expect(await look()).toBeUndefined();
    service.next("listInstances", FAULTS.down);
    expect(await look()).toBe("unreadable");
    service.put({ id: 7, label: LABEL });
    expect(await look()).toBe(7);
  });

  test("a cancel ends it at once", async () => {
    clock.at(3000, () => cancel.abort(new Error("cancelled")));
    await expect(settling()).rejects.toThrow("cancelled");
    expect(looks()).toEqual([0, 2]);
  });
});
