import { beforeEach, expect, test } from "vitest";
import { type RentOutcome, rent } from "../../../src/machine/create.ts";
import * as errors from "../../../src/machine/errors.ts";
import { AuthenticationError, PermissionError } from "../../../src/marketplace/errors.ts";
import type { CreateAnswer, RefusalCode } from "../../../src/marketplace/marketplace.ts";
import { UserError } from "../../../src/shared/user-error.ts";
import { anOffer } from "../support/an-offer.ts";
import { someTerms } from "../support/machine-parts.ts";
import { PREFIX, RentingWorld } from "../support/renting-world.ts";
import { aRefusal, FAULTS } from "../support/service-faults.ts";

const NOTED = ["runner_1=21", `pending_1=${PREFIX}.1.1798761600`];

let world: RentingWorld;

beforeEach(() => {
  world = new RentingWorld();
});

function renting(): Promise<RentOutcome> {
  const offer = anOffer();
  const { price } = offer;
  const times = { searchedAt: 0, deadlineThere: 3_600_000, uptimeMs: 3_600_000, expiry: 1_798_761_600_000 };
  const machine = { machineNo: 1, offer, price, terms: someTerms({ offer, price }), ...times, onRegistered() {} };
  return world.clock.run(rent(world.deps, world.request(), machine));
}

/** When creates were sent, in seconds. */
const sent = () => world.service.of("create").map(({ at }) => at);

/** A create that made nothing. */
function refused(status: number, sentence: string, code?: RefusalCode): CreateAnswer {
  return { kind: "refused", refusal: aRefusal(status, sentence, code) };
}

test("a create that can't be written down is not sent", async () => {
  const full = new errors.StateNotSavedError(new Error("ENOSPC: no space left on device, write"));
  world.deps.ledger.pending = () => {
    throw full;
  };
  const fault = { message: full.message, isPassing: false };
  expect(await renting()).toMatchObject({ kind: "unregistered", fault });
  expect(sent()).toEqual([]);
});

test("sends once, under a label that was written down before, and brings the id back", async () => {
  expect(await renting()).toMatchObject({ kind: "created", instanceId: 701 });
  expect(world.service.orders).toMatchObject([{ label: `${PREFIX}.1.1798761600`, env: { GHR_DEADLINE: "3600000" } }]);
  expect(world.written).toEqual([...NOTED, "created_1=701", "report_1=701: created"]);
});

const NO_ANSWER = 'Vast.ai gave no answer to "an operation" (socket hang up)';
const BAD_GATEWAY = "Vast.ai answered 502, Bad Gateway";
const UNREADABLE = "its answer can't be read, as instances: missing";

test.each<[string, CreateAnswer | Error, object, string | undefined]>([
  ["5xx", { kind: "uncertain", refusal: FAULTS.down.refusal }, { kind: "uncertain" }, BAD_GATEWAY],
  ["unreadable", { kind: "uncertain", refusal: FAULTS.unreadable.refusal }, { kind: "uncertain" }, UNREADABLE],
  ["no answer", FAULTS.noAnswer, { kind: "uncertain", sentence: "socket hang up" }, NO_ANSWER],
  // It says that it was not carried out, and was seen to have been.
  ["429", { kind: "refused", refusal: FAULTS.tooFast.refusal }, { refusal: { code: "too-fast" } }, undefined],
])("%s is sent no second time: its runner waits for lists", async (_what, answer, outcome, said) => {
  world.service.next("create", answer);
  expect(await renting()).toMatchObject(outcome);
  expect([sent(), world.service.of("list"), world.runners.removals]).toEqual([[0], [], []]);
  expect(world.written).toEqual(NOTED);
  expect(world.log.warnings).toEqual(
    said === undefined ? [] : [expect.stringContaining(`created: ${said}. The action`)],
  );
});

test("an error that carries an id made an instance all the same", async () => {
  world.service.next("create", { kind: "unwanted", instanceId: 7, refusal: aRefusal(400, "low bid") });
  expect(await renting()).toMatchObject({ kind: "created", instanceId: 7, unwanted: "low bid" });
  expect(world.written).toContain("created_1=7, by its label alone");
});

test.each([
  ["401", refused(401, "Invalid user key", "key"), AuthenticationError],
  ["403", refused(403, "API key lacks permission.", "permission"), PermissionError],
  ["no credit", refused(400, "None", "no-credit"), errors.NoCreditError],
  ["a new account's limit", refused(400, "No", "spend-rate"), errors.NoCreditError],
  ["a bad request", refused(400, "disk"), errors.CreateRefusedError],
  ["a template", refused(404, "template with this hash_id not found", "no-template"), errors.TemplateUnknownError],
])("a refusal is plain data, of which the error of its cause is made: %s", async (_what, answer, kind) => {
  world.service.next("create", answer);
  const outcome = await renting();
  const reported = JSON.parse(JSON.stringify(outcome));
  expect(reported).toEqual(outcome);
  const error = errors.createError(reported.refusal, "4e17", "What the bill is.");
  expect(error).toBeInstanceOf(kind);
  expect(error.message).toContain("What the bill is.");
});

test("a refusal is plain data, of which the error of its cause is made: a word about a template where none is asked for is the request's fault", () => {
  const refusal = aRefusal(404, "template with this hash_id not found", "no-template");
  expect(errors.createError(refusal, undefined, "")).toBeInstanceOf(errors.CreateRefusedError);
});

test("a runner that GitHub does not make: no create is sent, and the fault keeps its name, as plain data", async () => {
  world.runners.registerError = new UserError("GitHub says no.", { hint: "Ask it." });
  const fault = { name: "UserError", hint: "Ask it.", message: "GitHub says no.", kind: "other", isPassing: false };
  expect(JSON.parse(JSON.stringify(await renting()))).toEqual({ kind: "unregistered", fault });
  expect(sent()).toEqual([]);
});

const cancel = () => world.cancel.abort(new Error("cancelled"));

test("a cancel before it is sent: it is not sent", async () => {
  cancel();
  await expect(renting()).rejects.toThrow("cancelled");
  expect(sent()).toEqual([]);
});

test("a cancel while it is under way: its answer is still taken for 5 s, so that it can be written down", async () => {
  world.service.next("create", () => world.clock.sleep(4000).then(() => world.service.rent()));
  world.at(1, cancel);
  expect(await renting()).toMatchObject({ kind: "created", instanceId: 701 });
});

test("a cancel while it is under way, and no answer comes in 5 s: it is cut", async () => {
  world.service.next("create", () => world.clock.sleep(60_000).then(() => world.service.rent()));
  world.at(1, cancel);
  await expect(renting()).rejects.toThrow("cancelled");
  expect(world.clock.elapsed).toBe(6000);
});
