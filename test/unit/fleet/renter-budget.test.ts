import { beforeEach, expect, test } from "vitest";
import { type Ready, Renter } from "../../../src/fleet/renter.ts";
import { NoOfferError } from "../../../src/market/market-errors.ts";
import { BudgetError } from "../../../src/money/budget-errors.ts";
import { createAnswer } from "../support/fake-service.ts";
import { RentingWorld } from "../support/renting-world.ts";

// Offers 1, 2, … at 0.10, 0.20, … USD per hour. The shortest use is 20 minutes, with its end 21.

import { FAULTS } from "../support/service-faults.ts";

let world: RentingWorld;

beforeEach(() => {
  world = new RentingWorld();
});

const renterWith = (maxCost: number) => new Renter(world.deps, world.request({ money: { maxCost } }));

/** Rents the n-th machine, which is ready 60 s later. */
async function rentReady(renter: Renter, n: number): Promise<Ready> {
  world.becomesReady(700 + n, world.clock.elapsed / 1000 + 60, 20 + n);
  const machine = await world.clock.run(renter.rent());
  if (machine === undefined) throw new Error("No machine was rented.");
  return machine;
}

/** Minutes from the n-th create to the deadline that its machine got. */
const minutesOf = (n: number) =>
  (Number(world.service.creates[n - 1]?.env?.GHR_DEADLINE) - (world.service.of("createInstance")[n - 1]?.at ?? 0)) /
    60 -
  world.clock.start / 60_000;

async function loseAfterAnHour(renter: Renter, machine: Ready): Promise<void> {
  await world.clock.advance(3_600_000 - world.clock.elapsed);
  await world.clock.run(renter.giveUpReady(machine, "the machine was lost"));
}

test("a machine that can be paid to the end keeps its whole time", async () => {
  expect(await rentReady(renterWith(10), 1)).toMatchObject({ cutBy: "max-lifetime" });
  expect(minutesOf(1)).toBe(135);
});

test("what an earlier machine of the use cost cuts the time of the next one", async () => {
  const renter = renterWith(0.3);
  await loseAfterAnHour(renter, await rentReady(renter, 1));
  const second = await rentReady(renter, 2);
  expect(second).toMatchObject({ cutBy: "max-cost", candidate: { offer: { id: 2 } } });
  // 0.20 USD are left, at 0.20 an hour; less a minute for the end and a little for what is seen late.
  expect(minutesOf(2)).toBeGreaterThan(57);
  expect(minutesOf(2)).toBeLessThan(59.5);
  expect(renter.attempts).toHaveLength(2);
});

test("when it leaves too little for any other, nothing else is rented", async () => {
  const renter = renterWith(0.15);
  await loseAfterAnHour(renter, await rentReady(renter, 1));
  const error = await world.clock.run(renter.rent()).catch((fault: unknown) => fault);
  expect(error).toBeInstanceOf(BudgetError);
  expect(String(error)).toMatch(
    /About 0\.0\d+ USD of max-cost \(0\.15 USD\).*the machine was lost.*Nothing is rented any more\./,
  );
  expect(world.service.of("createInstance")).toHaveLength(1);
  expect([...world.service.instances.keys()]).toEqual([]);
});

test("when no use can be paid at all, it is the market's error, with max-cost in its hint", async () => {
  const error = await world.clock.run(renterWith(0.03).rent()).catch((fault: unknown) => fault);
  expect(error).toBeInstanceOf(NoOfferError);
  expect(error).toMatchObject({ input: "max-cost", hint: expect.stringContaining("max-cost") });
  expect(world.runners.minted).toEqual([]);
});

test("an instance that was made by mistake counts, too, before the next offer of the same search is taken", async () => {
  const made = createAnswer(400, { success: false, msg: "Low bid.", new_contract: 7 });
  world.service.next("createInstance", made);
  world.service.put({ id: 7 });
  // It takes 30 s to be rid of it.
  world.service.next("destroyInstance", ...Array<Error>(10).fill(FAULTS.down));
  // The shortest use of offer 2 is 0.07 USD.
  await expect(world.clock.run(renterWith(0.0705).rent())).rejects.toBeInstanceOf(BudgetError);
  expect(world.service.of("createInstance").map(({ id }) => id)).toEqual([1]);
});

test("a machine that had gone by itself is billed until that was seen, not until it was given up", async () => {
  const renter = renterWith(10);
  const machine = await rentReady(renter, 1);
  world.service.instances.clear();
  machine.report.at.gone = world.clock.now();
  await world.clock.advance(600_000);
  await world.clock.run(renter.giveUpReady(machine, "the machine was lost"));
  expect(machine.report.at.gone).toBe(world.clock.now() - 600_000);
});

test("that it runs, and its bytes, are written down at once: post must know it, whatever ends main", async () => {
  const renter = renterWith(10);
  const at = (seconds: number, fields: Record<string, unknown>) =>
    world.clock.at(seconds * 1000, () => world.shows(701, fields));
  at(15, { actual_status: "loading", inet_down_billed: 3_000_000 });
  at(25, { actual_status: "running", inet_down_billed: 3_000_000 });
  world.clock.at(35_000, () => world.cancel.abort(new Error("cancelled")));
  await expect(world.clock.run(renter.rent())).rejects.toThrow("cancelled");
  expect(world.written.filter((line) => line.startsWith("report_"))).toHaveLength(3);
  expect(renter.attempts[0]).toMatchObject({
    at: { searched: world.clock.start, running: world.clock.start + 25_000 },
    traffic: { downGb: 3, upGb: 0 },
  });
});
