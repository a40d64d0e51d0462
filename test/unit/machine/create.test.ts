import { beforeEach, describe, expect, test } from "vitest";
import { type RentOutcome, rent } from "../../../src/machine/create.ts";
import * as errors from "../../../src/machine/errors.ts";
import { AuthenticationError, PermissionError } from "../../../src/marketplace/errors.ts";
import type { CreateAnswer, RefusalCode } from "../../../src/marketplace/marketplace.ts";
import { UserError } from "../../../src/shared/user-error.ts";
import { someTerms } from "../support/a-fleet.ts";
import { anOffer } from "../support/an-offer.ts";
import { FakeRunners } from "../support/fake-runners.ts";
import { clock, freshWorld, log, service } from "../support/fresh-world.ts";
import { aRefusal, FAULTS } from "../support/service-faults.ts";

freshWorld();

const PREFIX = "ghr1.1.2-1.abcdef";
const LABEL = `${PREFIX}.1.1798761600`;

let runners: FakeRunners;
let cancel: AbortController;
/** The notes, in order. */
let written: string[];
let pending: (n: number, label: string) => void;

beforeEach(() => {
  runners = new FakeRunners();
  cancel = new AbortController();
  written = [];
  pending = (n, label) => void written.push(`pending ${n} ${label}`);
});

const ledger = {
  runners: () => written.push("runners"),
  pending: (n: number, label: string) => pending(n, label),
  created: (n: number, id: number | "none", isClaimed?: boolean) =>
    written.push(`created ${n} ${id}${isClaimed ? ", by its label alone" : ""}`),
  report: () => written.push("report"),
};

function renting(templateHashId?: string): Promise<RentOutcome> {
  const offer = anOffer();
  const { price } = offer;
  const terms = someTerms({ offer, price });
  const times = { searchedAt: 0, deadlineThere: 3_600_000, uptimeMs: 3_600_000, expiry: 1_798_761_600_000 };
  const request = {
    prefix: PREFIX,
    runnerNamePrefix: "gpu-2-1-abcdef",
    instance: { image: "debian:13", templateHashId, runtype: "ssh_proxy", disk: 32 },
    limits: { bootMs: 1, onlineMs: 1, readyMs: 1, maxLifetime: 1 },
    jobsPerMachine: 1,
    onstart: "#!/bin/bash\n",
    env: ({ deadline }: { deadline: number }) => ({ GHR_DEADLINE: String(deadline) }),
  } as const;
  const deps = { service: service, clock, signal: cancel.signal, runners, ledger, log };
  return clock.run(rent(deps, request, { machineNo: 1, offer, price, terms, ...times, onRegistered: () => {} }));
}

/** A create that made nothing. */
function refused(status: number, sentence: string, code?: RefusalCode): CreateAnswer {
  return { kind: "refused", refusal: aRefusal(status, sentence, code) };
}

test("a create that can't be written down is not sent", async () => {
  const full = new errors.StateNotSavedError(new Error("ENOSPC: no space left on device, write"));
  pending = () => {
    throw full;
  };
  const outcome = await renting();
  expect(outcome).toMatchObject({ kind: "unregistered", fault: { message: full.message, isPassing: false } });
  expect(sent()).toEqual([]);
});

const sent = () => service.of("create").map(({ at }) => at);
const looks = () => service.of("list").map(({ at }) => at);

test("sends once, under a label that was written down before, and brings the id back", async () => {
  expect(await renting()).toMatchObject({ kind: "created", instanceId: 701 });
  expect(service.orders).toMatchObject([{ label: LABEL, env: { GHR_DEADLINE: "3600000" } }]);
  expect(written).toEqual(["runners", `pending 1 ${LABEL}`, "created 1 701", "report"]);
  expect(looks()).toEqual([]);
});

const NO_ANSWER = 'Vast.ai gave no answer to "an operation" (socket hang up)';
const BAD_GATEWAY = "Vast.ai answered 502, Bad Gateway";
const UNREADABLE = "its answer can't be read, as instances: missing";

test.each<[string, CreateAnswer | Error, object, string | undefined]>([
  ["gone", refused(404, "no_such_ask", "offer-gone"), { kind: "refused", refusal: { code: "offer-gone" } }, undefined],
  ["5xx", { kind: "uncertain", refusal: FAULTS.down.refusal }, { kind: "uncertain" }, BAD_GATEWAY],
  ["unreadable", { kind: "uncertain", refusal: FAULTS.unreadable.refusal }, { kind: "uncertain" }, UNREADABLE],
  ["no answer", FAULTS.noAnswer, { kind: "uncertain", sentence: "socket hang up" }, NO_ANSWER],
  // It says that it was not carried out, and was seen to have been.
  ["429", { kind: "refused", refusal: FAULTS.tooFast.refusal }, { refusal: { code: "too-fast" } }, undefined],
  ["a refusal", refused(400, "disk"), { kind: "refused" }, undefined],
])("%s is sent no second time: its runner waits for lists", async (_what, answer, outcome, said) => {
  service.next("create", answer);
  expect(await renting()).toMatchObject(outcome);
  expect([sent(), looks(), runners.removals]).toEqual([[0], [], []]);
  expect(written).toEqual(["runners", `pending 1 ${LABEL}`]);
  expect(log.warnings).toEqual(said === undefined ? [] : [expect.stringContaining(`created: ${said}. The action`)]);
});

test("an error that carries an id made an instance all the same", async () => {
  service.next("create", { kind: "unwanted", instanceId: 7, refusal: aRefusal(400, "low bid") });
  expect(await renting()).toMatchObject({ kind: "created", instanceId: 7, unwanted: "low bid" });
  expect(written).toContain("created 1 7, by its label alone");
  expect(sent()).toEqual([0]);
});

describe("a refusal is reported as plain data, of which the error of its cause is made", () => {
  test.each([
    ["401", refused(401, "Invalid user key", "key"), AuthenticationError],
    ["403", refused(403, "API key lacks permission.", "permission"), PermissionError],
    ["no credit", refused(400, "None", "no-credit"), errors.NoCreditError],
    ["a new account's limit", refused(400, "No", "spend-rate"), errors.NoCreditError],
    ["a bad request", refused(400, "disk"), errors.CreateRefusedError],
    ["a template", refused(404, "template with this hash_id not found", "no-template"), errors.TemplateUnknownError],
  ])("%s", async (_what, answer, kind) => {
    service.next("create", answer);
    const outcome = await renting("4e17");
    const reported = JSON.parse(JSON.stringify(outcome));
    expect(reported).toEqual(outcome);
    expect(reported).toMatchObject({ kind: "refused" });
    const error = errors.createError(reported.refusal, "4e17", "What the bill is.");
    expect(error).toBeInstanceOf(kind);
    expect(error.message).toContain("What the bill is.");
  });

  test("a word about a template where none is asked for is the request's fault", () => {
    const refusal = aRefusal(404, "template with this hash_id not found", "no-template");
    expect(errors.createError(refusal, undefined, "")).toBeInstanceOf(errors.CreateRefusedError);
  });
});

test("a runner that GitHub does not make: no create is sent, and the fault keeps its name", async () => {
  runners.registerRunner = () => Promise.reject(new UserError("GitHub says no.", { hint: "Ask it." }));
  const outcome = await renting();
  if (outcome.kind !== "unregistered") throw new Error(`It was ${outcome.kind}.`);
  expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
  const fault = { name: "UserError", hint: "Ask it.", message: "GitHub says no.", kind: "other", isPassing: false };
  expect(outcome.fault).toEqual(fault);
  expect(sent()).toEqual([]);
});

describe("a cancel", () => {
  test("before it is sent: it is not sent", async () => {
    cancel.abort(new Error("cancelled"));
    await expect(renting()).rejects.toThrow("cancelled");
    expect(service.orders).toEqual([]);
  });

  test("while it is under way: its answer is still taken for 5 s, so that it can be written down", async () => {
    service.next("create", async () => {
      await clock.sleep(4000);
      return { kind: "created", instanceId: 7 };
    });
    clock.at(1000, () => cancel.abort(new Error("cancelled")));
    expect(await renting()).toMatchObject({ kind: "created", instanceId: 7 });
  });

  test("while it is under way, and no answer comes in 5 s: it is cut", async () => {
    service.next("create", () => clock.sleep(60_000).then(() => service.rent()));
    clock.at(1000, () => cancel.abort(new Error("cancelled")));
    await expect(renting()).rejects.toThrow("cancelled");
    expect(clock.elapsed).toBe(6000);
  });
});

test("a bug is not taken for an uncertain create", async () => {
  service.next("create", new TypeError("a bug"));
  await expect(renting()).rejects.toThrow("a bug");
});
