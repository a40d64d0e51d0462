import { beforeEach, describe, expect, test } from "vitest";
import { makeLabel } from "../../../src/machine/label.ts";
import type { CreateAnswer, Instance, InstanceOrder } from "../../../src/marketplace/marketplace.ts";
import { ownInstances } from "../../../src/release/own-instances.ts";
import { freshWorld, service } from "../support/fresh-world.ts";
import { aRefusal } from "../support/service-faults.ts";
import { aMarketInstance } from "../support/stand-in-market.ts";

freshWorld();

const PREFIX = "ghr1.1.2-1.abcdef";
const OURS = makeLabel(PREFIX, 3, 9000);

let foreign: [number, number | undefined][];

beforeEach(() => {
  foreign = [];
});

const owned = (claimed: readonly number[] = []) =>
  ownInstances(service, { prefix: PREFIX, claimed, onForeign: (id, machineNo) => void foreign.push([id, machineNo]) });

/** An instance of the account under a label. */
function there(id: number, label: string | undefined): Instance {
  const instance = aMarketInstance({ id, label });
  service.instances.set(id, instance);
  service.texts.container = "what its log says";
  return instance;
}

const destroyed = () => service.of("destroy").map(({ id }) => id);

describe("an id that only a label can prove", () => {
  test("under ours is destroyed", async () => {
    there(7, OURS);
    expect([await owned([7]).destroy(7), destroyed()]).toEqual(["asked", [7]]);
  });

  test.each(["my own work", "ghr1.1.2-1.abcdefg.1.9", "ghr1.1.2-1.abcdef"])("under %s is left alone", async (label) => {
    there(7, label);
    const own = owned([7]);
    expect(await own.destroy(7)).toBe("gone");
    expect(await own.get(7)).toBe("gone");
    expect(await own.logs({ id: 7, lines: 1, log: "container" })).toBe("");
    expect(await own.list()).toEqual([]);
    expect(destroyed()).toEqual([]);
    expect(foreign).toEqual([[7, undefined]]);
  });

  test("without a label, or while nobody can look, is not destroyed, and does not count as gone", async () => {
    there(7, undefined);
    const own = owned([7]);
    await expect(own.destroy(7)).rejects.toThrow("nothing shows yet whose it is");
    expect(await own.logs({ id: 7, lines: 1, log: "container" })).toBe("");
    service.next("get", new Error("away"));
    await expect(own.destroy(7)).rejects.toThrow("away");
    expect(destroyed()).toEqual([]);
  });

  test("is proven by a list, too", async () => {
    there(7, OURS);
    const own = owned([7]);
    await own.list();
    service.next("get", new Error("away"));
    expect(await own.destroy(7)).toBe("asked");
  });
});

describe("an id of a create's answer", () => {
  const order = { label: OURS } as InstanceOrder;
  const GOOD = { kind: "created", instanceId: 7 } as const;
  const REFUSED = { kind: "unwanted", instanceId: 7, refusal: aRefusal(400, "no") } as const;
  const asks = async (answer: CreateAnswer) => {
    service.next("create", answer);
    const own = owned();
    await own.create(order);
    return own;
  };

  test("that was good, and is listed under another label, is none of ours from then on", async () => {
    const own = await asks(GOOD);
    there(7, "my own work");
    expect(await own.list()).toEqual([]);
    expect(await own.destroy(7)).toBe("gone");
    expect([destroyed(), foreign]).toEqual([[], [[7, 3]]]);
  });

  test("that names one of others once more makes it no more ours, and one of ours no less", async () => {
    const own = await asks(REFUSED);
    there(7, "my own work");
    await own.list();
    service.next("create", GOOD, { ...GOOD, instanceId: 8 }, { ...REFUSED, instanceId: 8 });
    for (let create = 0; create < 3; create += 1) await own.create(order);
    for (const id of [7, 8]) await own.destroy(id);
    expect(destroyed()).toEqual([8]);
  });

  test("that was seen under ours stays ours, whatever somebody labels it later", async () => {
    const own = await asks(GOOD);
    there(7, OURS);
    await own.list();
    there(7, "renamed");
    expect(await own.destroy(7)).toBe("asked");
  });

  test("that was a refusal is destroyed under our label alone", async () => {
    const own = await asks(REFUSED);
    there(7, "my own work");
    expect([await own.destroy(7), destroyed()]).toEqual(["gone", []]);
  });
});

test("of others' instances nothing changes: the sweep lists them", async () => {
  const other = there(8, "my own work");
  expect(await owned().list()).toEqual([other]);
  expect(await owned().account()).toBeDefined();
});
