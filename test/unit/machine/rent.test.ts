import { beforeEach, describe, expect, test } from "vitest";
import { CreateRefusedError, NoCreditError, rentError, TemplateUnknownError } from "../../../src/create/errors.ts";
import { type RentOutcome, rent } from "../../../src/create/rent.ts";
import { AuthenticationError, PermissionError } from "../../../src/marketplace/errors.ts";
import { UserError } from "../../../src/shared/user-error.ts";
import { someTerms } from "../support/a-fleet.ts";
import { anOffer } from "../support/an-offer.ts";
import { FakeRunners } from "../support/fake-runners.ts";
import { createAnswer, FakeService } from "../support/fake-service.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { FAULTS } from "../support/service-faults.ts";

const PREFIX = "ghr1.1.2-1.abcdef";
const LABEL = `${PREFIX}.1.1798761600`;

let clock: HandWoundClock;
let service: FakeService;
let runners: FakeRunners;
let log: RecordedLog;
let cancel: AbortController;
/** The notes, in order. */
let written: string[];

beforeEach(() => {
  clock = new HandWoundClock();
  service = new FakeService(clock);
  runners = new FakeRunners();
  log = new RecordedLog();
  cancel = new AbortController();
  written = [];
});

const ledger = {
  runners: () => written.push("runners"),
  pending: (n: number, label: string) => written.push(`pending ${n} ${label}`),
  created: (n: number, id: number | "none") => written.push(`created ${n} ${id}`),
  report: () => written.push("report"),
};

function renting(templateHashId?: string): Promise<RentOutcome> {
  const offer = anOffer();
  const { price } = offer;
  const terms = someTerms({ offer, price });
  const times = { searchedAt: 0, deadline: 3600, uptimeMs: 3_600_000, expiry: 1_798_761_600 };
  const request = {
    prefix: PREFIX,
    runnerNamePrefix: "gpu-2-1-abcdef",
    instance: { image: "debian:13", templateHashId, runtype: "ssh_proxy", diskGb: 32 },
    limits: { bootMs: 1, onlineMs: 1, readyMs: 1, lifetimeMs: 1, idleMs: 1 },
    jobsPerMachine: 1,
    onstart: "#!/bin/bash\n",
    env: ({ jitConfigs }: { jitConfigs: readonly string[] }) => ({ GHR_JIT: jitConfigs.join(" ") }),
  } as const;
  const deps = { service: service.client, clock, signal: cancel.signal, runners, ledger, log };
  return clock.run(rent(deps, request, { n: 1, offer, price, terms, ...times, onRegistered: () => {} }));
}

const sent = () => service.of("createInstance").map(({ at }) => at);
const looks = () => service.of("listInstances").map(({ at }) => at);

test("sends once, under a label that was written down before, and brings the id back", async () => {
  expect(await renting()).toMatchObject({ kind: "created", instanceId: 701 });
  expect(service.creates.map(({ label }) => label)).toEqual([LABEL]);
  expect(written).toEqual(["runners", `pending 1 ${LABEL}`, "created 1 701", "report"]);
  expect(looks()).toEqual([]);
});

test.each([
  ["gone", createAnswer(404, { success: false, msg: "no_such_ask" }), { kind: "not-made", why: "gone" }],
  [
    "an error that carries an id",
    createAnswer(400, { success: false, msg: "low bid", new_contract: 7 }),
    { kind: "created", instanceId: 7, unwanted: "low bid" },
  ],
  ["5xx", createAnswer(502, { msg: "Bad Gateway" }), { kind: "not-made", why: "unknown" }],
  ["an unreadable success", createAnswer(200, null), { kind: "not-made", why: "unknown" }],
  [
    "429, which says that it was not carried out, and was seen to have been",
    createAnswer(429, { msg: "API requests too frequent: endpoint threshold=4.5*1.0" }),
    { kind: "not-made", why: "too-fast" },
  ],
])("%s is sent no second time", async (_what, answer, outcome) => {
  service.next("createInstance", answer);
  expect(await renting()).toMatchObject(outcome);
  expect(sent()).toEqual([0]);
});

test("no answer is uncertain, and sent no second time", async () => {
  service.next("createInstance", FAULTS.noAnswer);
  expect(await renting()).toMatchObject({ kind: "not-made", why: "unknown", refusal: { code: "no-answer" } });
  expect(log.warnings.join()).toContain('the service gave no answer to "an operation" (socket hang up)');
  expect(sent()).toEqual([0]);
});

test("a refusal that made an instance all the same, as the list shows, is one to be destroyed", async () => {
  service.next("createInstance", () => {
    service.put({ id: 7, label: LABEL });
    return createAnswer(400, { error: "invalid_args", msg: "disk" });
  });
  expect(await renting()).toMatchObject({ kind: "created", instanceId: 7, unwanted: "invalid_args: disk" });
});

test("while no list can be read after a refusal, nothing is written down: post goes on looking", async () => {
  service.next("createInstance", createAnswer(400, { error: "invalid_args", msg: "disk" }));
  service.always("listInstances", FAULTS.down);
  expect(await renting()).toMatchObject({ kind: "refused", isListed: false });
  expect(written.filter((line) => line.startsWith("created"))).toEqual([]);
});

describe("a refusal stops, as plain data, of which the error of its cause is made", () => {
  const key = createAnswer(401, { msg: "Invalid user key" });
  const session = createAnswer(404, { msg: "Session expired. Please log in again." });
  test.each([
    ["401", key, "account", AuthenticationError],
    ["403", createAnswer(403, { msg: "API key lacks permission." }), "account", PermissionError],
    ["a session that ran out", session, "account", AuthenticationError],
    ["no credit", createAnswer(400, { error: "insufficient_credit", msg: "None" }), "account", NoCreditError],
    ["a new account's limit", createAnswer(400, { error: "spend_rate_limit", msg: "No" }), "spend-rate", NoCreditError],
    ["a bad request", createAnswer(400, { error: "invalid_args", msg: "disk" }), "request", CreateRefusedError],
    ["a template", createAnswer(404, { msg: "template with this hash_id not found" }), "request", TemplateUnknownError],
  ])("%s", async (_what, answer, by, kind) => {
    service.next("createInstance", answer);
    const outcome = await renting("4e17");
    expect(outcome).toMatchObject({ kind: "refused", by, isListed: true });
    const told = JSON.parse(JSON.stringify(outcome));
    expect(told).toEqual(outcome);
    expect(rentError(told, "What the bill is.")).toBeInstanceOf(kind);
    expect(rentError(told, "What the bill is.").message).toContain("What the bill is.");
  });

  test("a word about a template where none is asked for is the request's fault", async () => {
    service.next("createInstance", createAnswer(404, { msg: "template with this hash_id not found" }));
    const outcome = await renting();
    if (outcome.kind !== "refused") throw new Error(`It was ${outcome.kind}.`);
    expect(rentError(outcome, "")).toBeInstanceOf(CreateRefusedError);
  });
});

test("a runner that GitHub does not make: no create is sent, and the fault keeps its name", async () => {
  runners.registerRunner = () => Promise.reject(new UserError("GitHub says no.", { hint: "Ask it." }));
  const outcome = await renting();
  if (outcome.kind !== "unregistered") throw new Error(`It was ${outcome.kind}.`);
  expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
  const error = rentError(outcome, "Nothing was rented.");
  expect(error).toMatchObject({ name: "UserError", hint: "Ask it.", message: "GitHub says no. Nothing was rented." });
  expect(sent()).toEqual([]);
});

describe("a cancel", () => {
  test("before it is sent: it is not sent", async () => {
    cancel.abort(new Error("cancelled"));
    await expect(renting()).rejects.toThrow("cancelled");
    expect(service.creates).toEqual([]);
  });

  test("while it is under way: its answer is still taken for 5 s, so that it can be written down", async () => {
    service.next("createInstance", async () => {
      await clock.sleep(4000);
      return createAnswer(200, { success: true, new_contract: 7 });
    });
    clock.at(1000, () => cancel.abort(new Error("cancelled")));
    expect(await renting()).toMatchObject({ kind: "created", instanceId: 7 });
  });

  test("while it is under way, and no answer comes in 5 s: it is cut", async () => {
    service.next("createInstance", () => clock.sleep(60_000).then(() => createAnswer(200, { new_contract: 7 })));
    clock.at(1000, () => cancel.abort(new Error("cancelled")));
    await expect(renting()).rejects.toThrow("cancelled");
    expect(clock.elapsed).toBe(6000);
  });
});

test("a bug is not taken for an uncertain create", async () => {
  service.next("createInstance", new TypeError("a bug"));
  await expect(renting()).rejects.toThrow("a bug");
});

describe("settling an uncertain create", () => {
  beforeEach(() => service.next("createInstance", FAULTS.noAnswer));

  test("adopts the instance that carries its label, at the first look that shows it", async () => {
    clock.at(6000, () => service.put({ id: 7, label: LABEL }));
    expect(await renting()).toMatchObject({ kind: "created", instanceId: 7 });
    expect(looks()).toEqual([0, 2, 5, 10]);
  });

  test("takes nothing but its own label", async () => {
    service.put({ id: 5, label: `${LABEL}0` });
    service.put({ id: 6, label: `${PREFIX}.2.1798761600` });
    service.put({ id: 8 });
    expect(await renting()).toMatchObject({ kind: "not-made", why: "unknown" });
  });

  test("looks at 0, 2, 5, 10, 20 and 40 s; then it counts as not carried out", async () => {
    expect(await renting()).toMatchObject({ kind: "not-made", why: "unknown", isListed: false });
    expect(looks()).toEqual([0, 2, 5, 10, 20, 40]);
  });

  test("a look that failed on the way takes nothing away from the ones that follow", async () => {
    service.next("listInstances", FAULTS.down, FAULTS.noAnswer);
    service.put({ id: 7, label: LABEL });
    expect(await renting()).toMatchObject({ kind: "created", instanceId: 7 });
    expect(looks()).toEqual([0, 2, 5]);
  });

  test("a cancel ends it at once", async () => {
    clock.at(3000, () => cancel.abort(new Error("cancelled")));
    await expect(renting()).rejects.toThrow("cancelled");
    expect(looks()).toEqual([0, 2]);
  });
});
