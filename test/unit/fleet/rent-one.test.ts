import { beforeEach, describe, expect, test } from "vitest";
import { rentOne } from "../../../src/fleet/rent-one.ts";
import { CreateUncertainError, NoCreditError } from "../../../src/machine/provisioning-errors.ts";
import type { Candidate } from "../../../src/market/search.ts";
import { Budget } from "../../../src/money/budget.ts";
import { anOffer } from "../support/an-offer.ts";
import { createAnswer } from "../support/fake-service.ts";
import { PREFIX, RentingWorld } from "../support/renting-world.ts";
import { FAULTS } from "../support/service-faults.ts";

const CANDIDATE: Candidate = { offer: anOffer({ id: 11 }), price: { total: 0.4, storage: 0.01 } };

let world: RentingWorld;

beforeEach(() => {
  world = new RentingWorld();
});

const renting = () =>
  world.clock.run(rentOne(world.deps, world.request(), 3, CANDIDATE, new Budget({}, world.request().limits)));

/** Unix seconds of the deadline and of the label's expiry: 2 h 15 min, and 15 min more. */
const DEADLINE = Date.UTC(2026, 0, 1) / 1000 + 8100;
const LABEL = `${PREFIX}.3.${DEADLINE + 900}`;

describe("before a line that may rent there is a line that makes the rented thing findable", () => {
  test("runner, then pending, then the create, then its outcome", async () => {
    const seen: string[] = [];
    world.service.next("createInstance", () => {
      seen.push(...world.written);
      return createAnswer(200, { success: true, new_contract: 7 });
    });
    await renting();
    expect(seen).toEqual(["runner_3=21", `pending_3=${LABEL}`]);
    expect(world.written.slice(2)).toEqual(["created_3=7", "report_3: created"]);
  });

  test("the label that is sent is the one that was written down", async () => {
    await renting();
    expect(world.service.creates[0]?.label).toBe(LABEL);
    expect(world.runners.minted).toEqual([{ id: 21, name: "gpu-2-1-abcdef-3" }]);
  });
});

test("the machine is told its runner and its deadline; the instance is known to the caller", async () => {
  const outcome = await renting();
  expect(world.service.creates[0]).toMatchObject({
    cancel_unavail: true,
    env: { GHR_JIT: "configuration-of-21", GHR_DEADLINE: String(DEADLINE) },
  });
  expect(outcome).toMatchObject({
    kind: "rented",
    rented: { n: 3, instanceId: 701, runner: { id: 21, name: "gpu-2-1-abcdef-3" }, deadline: DEADLINE },
  });
});

test("with boot-timeout: auto the image and the offer's speed decide the deadline, the label and what the machine is told", async () => {
  const image = { bytes: 12e9, isDevel: false, decidesBoot: true };
  const offer = anOffer({ id: 11, inet_down: 1600 });
  const limits = { ...world.request().limits, bootMs: 25 * 60_000 };
  const told: number[] = [];
  const env = (machine: { deadline: number; uptimeMs: number }) => {
    told.push(machine.uptimeMs / 60_000);
    return { GHR_DEADLINE: String(machine.deadline) };
  };
  const request = world.request({ image, limits, env });
  await world.clock.run(rentOne(world.deps, request, 3, { ...CANDIDATE, offer }, new Budget({}, limits)));
  // 21 min: three times 2 min of download and 4 of unpacking, and 3; 11 more than the 10 of the other tests.
  expect(told).toEqual([21 + 5 + 120]);
  expect(world.service.creates[0]).toMatchObject({
    env: { GHR_DEADLINE: String(DEADLINE + 660) },
    label: `${PREFIX}.3.${DEADLINE + 900 + 660}`,
  });
  expect(world.log.lines).toContain("It has 21m to boot; about 6 min to pull 12.0 GB at 1600 Mbit/s.");
});

test("no line of the log shows the runner's configuration", async () => {
  await renting();
  expect([...world.log.lines, ...world.log.warnings].join("\n")).not.toContain("configuration-of");
});

describe("the offer is gone", () => {
  test("writes down that nothing was created, and removes the runner", async () => {
    world.service.next("createInstance", createAnswer(410, { success: false, error: "no_such_ask", msg: "Gone." }));
    expect(await renting()).toEqual({ kind: "gone" });
    expect(world.written.at(-1)).toBe("created_3=none");
    expect(world.runners.removals).toEqual([21]);
  });
});

describe("refused", () => {
  test("writes down that nothing was created, and removes the runner; what to say of the bill is the caller's", async () => {
    world.service.next("createInstance", createAnswer(400, { error: "insufficient_credit", msg: "No credit." }));
    const outcome = await renting();
    if (outcome.kind !== "refused") throw new Error(`It was ${outcome.kind}.`);
    expect(outcome.error("Nothing was rented.")).toBeInstanceOf(NoCreditError);
    expect(world.written.at(-1)).toBe("created_3=none");
    expect(world.runners.removals).toEqual([21]);
  });
});

describe("an error that carries an id", () => {
  beforeEach(() => {
    world.service.put({ id: 7, label: LABEL });
    world.service.next("createInstance", createAnswer(400, { success: false, msg: "Low bid.", new_contract: 7 }));
  });

  test("is written down, and the instance is destroyed", async () => {
    expect(await renting()).toMatchObject({ kind: "lost", why: "Low bid." });
    expect(world.written.slice(-2)).toEqual(["created_3=7", "report_3: Low bid."]);
    expect([...world.service.instances]).toEqual([]);
  });

  test("and whose runner has taken the job is the machine: it is not taken from the job", async () => {
    world.runners.removal = "busy";
    expect(await renting()).toMatchObject({ kind: "rented", rented: { instanceId: 7 } });
    expect(world.written.slice(-2)).toEqual(["created_3=7", "report_3: created"]);
    expect([...world.service.instances.keys()]).toEqual([7]);
  });

  test("that can't be destroyed stops everything: it may still bill", async () => {
    world.service.always("destroyInstance", FAULTS.successFalse);
    await expect(renting()).rejects.toThrow("Instance 7 may still be billing");
  });
});

describe("an uncertain create", () => {
  beforeEach(() => {
    world.service.next("createInstance", FAULTS.noAnswer);
  });

  test("is adopted when its label turns up: one machine, and not a second one", async () => {
    world.clock.at(4000, () => world.service.put({ id: 7, label: LABEL }));
    expect(await renting()).toMatchObject({ kind: "rented", rented: { instanceId: 7 } });
    expect(world.written).toContain("created_3=7");
    expect(world.runners.removals).toEqual([]);
  });

  test("that never turns up counts as not carried out; its outcome stays open in the ledger, and it is expected", async () => {
    expect(await renting()).toEqual({ kind: "gone" });
    expect(world.runners.removals).toEqual([21]);
    expect(world.written.filter((line) => line.startsWith("created"))).toEqual([]);
    expect(world.deps.fleet.mayGrow).toBe(true);
    expect(world.clock.elapsed).toBe(40_000);
  });

  test("whose runner is busy has a machine: it is looked for on, and found", async () => {
    world.runners.removal = "busy";
    world.clock.at(70_000, () => world.service.put({ id: 7, label: LABEL }));
    expect(await renting()).toMatchObject({ kind: "rented", rented: { instanceId: 7 } });
  });

  test("whose runner stays busy while no list shows it: nothing else is rented beside it", async () => {
    world.runners.removal = "busy";
    await expect(renting()).rejects.toBeInstanceOf(CreateUncertainError);
  });

  test("whose runner ran the job, and is gone, is over", async () => {
    world.runners.ran.add(21);
    expect(await renting()).toEqual({ kind: "over" });
  });

  test("that could not be looked for: nothing else is rented", async () => {
    world.service.always("listInstances", FAULTS.down);
    await expect(renting()).rejects.toBeInstanceOf(CreateUncertainError);
    expect(world.deps.fleet.mayGrow).toBe(true);
    expect(world.written.filter((line) => line.startsWith("created"))).toEqual([]);
  });
});
