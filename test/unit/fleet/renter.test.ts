import { beforeEach, describe, expect, test } from "vitest";
import type { RentRequest } from "../../../src/fleet/rent-one.ts";
import { type Ready, Renter } from "../../../src/fleet/renter.ts";
import {
  AttemptsExhaustedError,
  ImageUnusableError,
  InstanceNotDestroyedError,
  OffersExhaustedError,
  ReadyTimeoutError,
} from "../../../src/machine/provisioning-errors.ts";
import { NoOfferError } from "../../../src/market/market-errors.ts";
import { createAnswer } from "../support/fake-service.ts";
import { RentingWorld } from "../support/renting-world.ts";
import { FAULTS } from "../support/service-faults.ts";

const GONE = createAnswer(404, { success: false, error: "invalid_args", msg: "no_such_ask" });

let world: RentingWorld;

beforeEach(() => {
  world = new RentingWorld();
});

function renterFor(request: Partial<RentRequest> = {}): Renter {
  return new Renter(world.deps, world.request(request));
}

const renting = (request: Partial<RentRequest> = {}) => world.clock.run(renterFor(request).rent());

async function rentReady(renter: Renter): Promise<Ready> {
  const machine = await world.clock.run(renter.rent());
  if (machine === undefined) throw new Error("No machine was rented.");
  return machine;
}

const offersAsked = () => world.service.of("createInstance").map(({ id }) => id);

/** Instances of these ids show this from their creation on. */
function bootsInto(fields: Record<string, unknown>, ...instanceIds: number[]): void {
  world.clock.at(0, function look() {
    for (const id of instanceIds) world.shows(id, fields);
    world.clock.at(world.clock.elapsed + 1000, look);
  });
}

test("what the service says of a machine is told without that machine's secrets", async () => {
  bootsInto({ actual_status: "exited", status_msg: "docker run -e GHR_JIT=configuration-of-21 failed" }, 701);
  const error: Error = await renting({ attempts: 1 }).catch((fault) => fault);
  expect(error.message).toContain("GHR_JIT=[GHR_JIT] failed");
  expect(
    [error.message, ...world.written, ...world.log.lines].filter((text) => text.includes("configuration-of")),
  ).toEqual([]);
});

test("rents the cheapest offer and waits until its runner is online", async () => {
  world.becomesReady(701, 61, 21);
  expect(await renting()).toMatchObject({
    instanceId: 701,
    n: 1,
    candidate: { offer: { id: 1 } },
    instance: { actual_status: "running" },
    secondsToReady: 70,
  });
  expect(offersAsked()).toEqual([1]);
  expect(world.written.at(-1)).toBe("report_1: ready");
});

describe("an offer that is gone", () => {
  test("leads to the next one", async () => {
    world.service.next("createInstance", GONE, GONE);
    world.becomesReady(701, 61, 23);
    expect(await renting()).toMatchObject({ n: 3, candidate: { offer: { id: 3 } } });
  });

  test("costs no attempt", async () => {
    world.service.next("createInstance", GONE, GONE, GONE);
    world.becomesReady(701, 61, 24);
    expect(await renting({ attempts: 1 })).toMatchObject({ candidate: { offer: { id: 4 } } });
  });

  test("and so are all the others: says that nothing was rented", async () => {
    world.service.always("createInstance", GONE);
    const error = await renting().catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(OffersExhaustedError);
    expect(error).toMatchObject({ message: expect.stringMatching(/5 matching offers.*Nothing was rented\./) });
    expect(world.runners.removals).toHaveLength(5);
  });

  test("and one create gave no answer: does not say that nothing was rented", async () => {
    world.service.next("createInstance", FAULTS.noAnswer);
    world.service.always("createInstance", GONE);
    await expect(renting()).rejects.toThrow(/^(?!.*Nothing was rented).*post step/);
  });
});

describe("a machine that fails", () => {
  test("is destroyed, its runner first, and another machine is taken", async () => {
    bootsInto({ actual_status: "exited" }, 701);
    world.becomesReady(702, 90, 22);
    expect(await renting()).toMatchObject({ instanceId: 702, candidate: { offer: { id: 2 } } });
    expect(world.runners.removals[0]).toBe(21);
    expect([...world.service.instances.keys()]).toEqual([702]);
    expect(world.written).toContain("report_1: it is exited");
  });

  test("is never taken again, nor is another offer on it", async () => {
    for (const offer of world.service.offers) if (offer.id <= 3) offer.machine_id = 100;
    bootsInto({ actual_status: "exited" }, 701);
    world.becomesReady(702, 90, 22);
    await renting();
    expect(offersAsked()).toEqual([1, 4]);
  });

  test("counts as an attempt: as many as `attempts`, and each is told", async () => {
    bootsInto({ actual_status: "exited", status_msg: "exit code 1" }, 701, 702);
    const error = await renting({ attempts: 2 }).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(AttemptsExhaustedError);
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /Attempt 1, offer 1.*exit code 1.*Attempt 2, offer 2.*Nothing is rented any more\./,
      ),
    });
    expect([...world.service.instances.keys()]).toEqual([]);
  });

  test("and the market has no other: tells what failed, not that nothing was rented", async () => {
    world.service.offers = world.service.offers.slice(0, 1);
    bootsInto({ actual_status: "exited" }, 701);
    await expect(renting()).rejects.toBeInstanceOf(AttemptsExhaustedError);
  });

  test("and can't be destroyed: stops, because it may still bill", async () => {
    bootsInto({ actual_status: "exited" }, 701);
    world.service.always("destroyInstance", FAULTS.successFalse);
    await expect(renting()).rejects.toBeInstanceOf(InstanceNotDestroyedError);
    expect(offersAsked()).toEqual([1]);
  });
});

describe("the last lines of a machine that is given up", () => {
  beforeEach(() => {
    bootsInto({ actual_status: "exited" }, 701);
    world.becomesReady(702, 90, 22);
  });

  test("are shown after its runner went and before it is destroyed, in a group of their own", async () => {
    world.service.logs.container = "one\ntwo\n";
    world.service.logs.daemon = "OCI runtime create failed";
    await renting();
    expect(world.log.stages).toContain("Last lines of instance 701");
    expect(world.log.lines).toContain("  container | two");
    expect(world.log.lines).toContain("  daemon    | OCI runtime create failed");
    const order = world.service.calls.filter(({ id }) => id === 701).map(({ operation }) => operation);
    expect(order.indexOf("requestLogs")).toBeLessThan(order.indexOf("destroyInstance"));
    expect(order.lastIndexOf("requestLogs")).toBeLessThan(order.indexOf("destroyInstance"));
  });

  test("the runner configuration is not among them", async () => {
    world.service.logs.container = "GHR_JIT=configuration-of-21";
    await renting();
    expect(world.log.lines).toContain("  container | GHR_JIT=[GHR_JIT]");
    expect(world.log.lines.join("\n")).not.toContain("configuration-of-21");
  });

  test("that can't be had cost nothing but a line", async () => {
    world.service.always("requestLogs", FAULTS.noAnswer);
    expect(await renting()).toMatchObject({ instanceId: 702 });
    expect(world.log.lines.filter((line) => line.startsWith("Not all logs of instance 701"))).toHaveLength(1);
  });

  test("are not waited for after a cancel", async () => {
    world.service.always("requestLogs", () => {
      world.cancel.abort(new Error("cancelled"));
      return new Promise<string>(() => {});
    });
    await expect(renting()).rejects.toThrow("cancelled");
    expect(world.service.of("destroyInstance")).toEqual([]);
  });
});

test("tells of every machine what became of it, and how many offers were gone", async () => {
  const lowBid = createAnswer(400, { success: false, msg: "Low bid.", new_contract: 7 });
  world.service.next("createInstance", GONE, lowBid);
  bootsInto({ actual_status: "exited" }, 701);
  world.becomesReady(702, 90, 24);
  const renter = renterFor();
  await rentReady(renter);
  expect(renter.taken).toBe(1);
  expect(renter.attempts.map(({ instanceId, offer, last }) => [instanceId, offer.id, last])).toEqual([
    [7, 2, "Low bid."],
    [701, 3, "it is exited"],
    [702, 4, "ready"],
  ]);
  const [, failed, good] = renter.attempts;
  expect(failed?.at).toMatchObject({ searched: world.clock.start, gone: expect.any(Number) });
  expect(good?.at.searched).toBeGreaterThan(world.clock.start);
  expect(good?.at.gone).toBeUndefined();
});

describe("before a machine is given up, its runner goes", () => {
  beforeEach(() => {
    bootsInto({ actual_status: "running" }, 701);
  });

  test("422: a job runs on it, and it is kept", async () => {
    world.runners.removal = "busy";
    expect(await renting()).toMatchObject({ instanceId: 701 });
    expect(world.service.of("destroyInstance")).toEqual([]);
  });

  test("a job ran on it and is over: it was online, and is done", async () => {
    world.runners.ran.add(21);
    expect(await renting()).toMatchObject({ instanceId: 701 });
    expect(world.runners.removals).toEqual([]);
  });

  test("GitHub can't be asked, and its container runs: it may have the job, and is kept until GitHub can say", async () => {
    world.runners.removal = "unknown";
    world.clock.at(1_000_000, () => {
      world.runners.removal = "busy";
    });
    expect(await renting()).toMatchObject({ instanceId: 701 });
    expect(world.service.of("destroyInstance")).toEqual([]);
    expect(world.clock.elapsed).toBeGreaterThanOrEqual(1_000_000);
  });

  test("GitHub can't be asked, and the machine's own deadline is over: it is destroyed", async () => {
    world.runners.removal = "unknown";
    await expect(renting({ attempts: 1 })).rejects.toBeInstanceOf(AttemptsExhaustedError);
    expect([...world.service.instances.keys()]).toEqual([]);
    expect(world.clock.elapsed).toBeGreaterThanOrEqual(8_100_000);
  });

  test("jobs that can't be read don't keep a failed machine", async () => {
    world.runners.jobsReadable = false;
    world.becomesReady(702, 400, 22);
    expect(await renting()).toMatchObject({ instanceId: 702 });
    expect([...world.service.instances.keys()]).toEqual([702]);
  });
});

describe("before a machine that never ran is given up", () => {
  test("GitHub is asked four times to remove its runner; then it is destroyed without that word", async () => {
    bootsInto({ actual_status: "exited" }, 701);
    world.runners.removal = "unknown";
    world.becomesReady(702, 200, 22);
    expect(await renting()).toMatchObject({ instanceId: 702 });
    expect(world.runners.removals).toEqual([21, 21, 21, 21]);
    expect([...world.service.instances.keys()]).toEqual([702]);
  });

  test("a runner that is gone may have had the job: the list, which lags, is looked at twice", async () => {
    bootsInto({ actual_status: "loading" }, 701);
    world.runners.statuses.set(21, "gone");
    world.clock.at(10_000, () => world.runners.ran.add(21));
    expect(await renting()).toMatchObject({ instanceId: 701 });
  });
});

describe("the image's fault", () => {
  const unpullable = { actual_status: "loading", status_msg: "manifest unknown" };

  test("is believed when a second machine says the same", async () => {
    bootsInto(unpullable, 701, 702, 703);
    const error = await renting().catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(ImageUnusableError);
    expect(error).toMatchObject({ message: expect.stringContaining("debian:13") });
    expect(offersAsked()).toEqual([1, 2]);
    expect([...world.service.instances.keys()]).toEqual([]);
  });

  test("one machine may be wrong about it", async () => {
    bootsInto(unpullable, 701);
    world.becomesReady(702, 90, 22);
    expect(await renting()).toMatchObject({ instanceId: 702 });
  });

  test("a host's fault is no image's fault, however often", async () => {
    bootsInto({ actual_status: "loading", status_msg: "no space left on device" }, 701, 702, 703);
    world.becomesReady(704, 150, 24);
    expect(await renting()).toMatchObject({ instanceId: 704 });
  });
});

describe("ready-timeout", () => {
  test("ends it all, machines that are still coming included", async () => {
    bootsInto({ actual_status: "loading" }, 701, 702, 703);
    const error = await renting().catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(ReadyTimeoutError);
    expect(error).toMatchObject({ message: expect.stringMatching(/ready-timeout \(25m\).*boot-timeout/) });
    expect([...world.service.instances.keys()]).toEqual([]);
  });

  test("offers that are gone cost time, too", async () => {
    world.service.always("createInstance", async () => {
      await world.clock.sleep(20 * 60_000);
      return GONE;
    });
    await expect(renting()).rejects.toBeInstanceOf(ReadyTimeoutError);
    expect(offersAsked()).toEqual([1, 2]);
  });
});

describe("an error that carries an id", () => {
  test("costs an attempt, and its machine is not taken again", async () => {
    const lowBid = createAnswer(400, { success: false, msg: "Low bid.", new_contract: 7 });
    world.service.next("createInstance", lowBid, lowBid);
    await expect(renting({ attempts: 2 })).rejects.toBeInstanceOf(AttemptsExhaustedError);
    expect(offersAsked()).toEqual([1, 2]);
  });
});

describe("an uncertain create", () => {
  beforeEach(() => {
    world.service.next("createInstance", FAULTS.noAnswer);
  });

  test("no other offer is taken while it is uncertain", async () => {
    world.becomesReady(701, 90, 22);
    await renting();
    expect(world.service.of("createInstance").map(({ at }) => at)).toEqual([0, 40]);
  });

  test("what turns up under its label later is destroyed while main waits for the next machine", async () => {
    world.clock.at(55_000, () => world.service.put({ id: 7, label: world.service.creates[0]?.label }));
    world.becomesReady(701, 90, 22);
    expect(await renting()).toMatchObject({ instanceId: 701, n: 2 });
    expect([...world.service.instances.keys()]).toEqual([701]);
  });

  test("whose job ran and is over: there is nothing to rent any more", async () => {
    world.runners.ran.add(21);
    expect(await renting()).toBeUndefined();
  });
});

describe("a machine that is lost after it was ready", () => {
  test("is given up, never taken again, and counts as an attempt", async () => {
    const renter = renterFor({ attempts: 2 });
    world.becomesReady(701, 60, 21);
    const first = await rentReady(renter);
    expect(await world.clock.run(renter.giveUpReady(first, "the machine was lost"))).toBe("destroyed");
    world.becomesReady(702, 200, 22);
    const second = await rentReady(renter);
    expect(second).toMatchObject({ n: 2, candidate: { offer: { id: 2 } } });
    const last = world.clock.run(renter.giveUpReady(second, "the machine was lost"));
    await expect(last).rejects.toBeInstanceOf(AttemptsExhaustedError);
    expect([...world.service.instances.keys()]).toEqual([]);
  });

  test("is kept when its runner has a job after all", async () => {
    const renter = renterFor();
    world.becomesReady(701, 60, 21);
    const machine = await rentReady(renter);
    world.runners.removal = "busy";
    expect(await world.clock.run(renter.giveUpReady(machine, "the machine was lost"))).toBe("kept");
    expect(world.service.of("destroyInstance")).toEqual([]);
  });

  test("the second rent has a ready-timeout of its own", async () => {
    const renter = renterFor();
    world.becomesReady(701, 60, 21);
    const first = await rentReady(renter);
    await world.clock.advance(3_600_000);
    await world.clock.run(renter.giveUpReady(first, "the machine was lost"));
    world.becomesReady(702, 3800, 22);
    expect(await rentReady(renter)).toMatchObject({ instanceId: 702 });
  });
});

test("nothing matches: nothing is asked for", async () => {
  world.service.offers = [];
  await expect(renting()).rejects.toBeInstanceOf(NoOfferError);
  expect(world.runners.minted).toEqual([]);
});

test("a cancel in the wait leaves everything to post", async () => {
  world.clock.at(30_000, () => world.cancel.abort(new Error("cancelled")));
  await expect(renting()).rejects.toThrow("cancelled");
  expect(world.service.of("destroyInstance")).toEqual([]);
  expect(world.written).toContain("created_1=701");
});
