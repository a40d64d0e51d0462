import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SERVICE_OPERATIONS } from "../../../simulator/scenario/fault.ts";
import { underTest } from "../../simulator/support/service.ts";
import { type Asked, type Call, callsOf, makeThings, SCENARIO } from "./calls.ts";
import { differences, PLACES, readVendorDescription, type VendorDescription, vendorFile } from "./description.ts";
import { KNOWN_DIFFERENCES } from "./known-differences.ts";

const file = vendorFile();
if (file === undefined) {
  console.warn(`SKIPPED: the simulator against the vendor's description: there is no ${PLACES.join(" and no ")}.`);
}

/** Statuses left out for many operations although they depend on the key and the pace alone. */
const ANYWHERE = [401, 403, 429];
/** Described, and never answered by the simulator. */
const NEVER_ANSWERED: Readonly<Record<string, readonly number[]>> = {
  // They only read, or their body can't be wrong here.
  ...{ showInstance: [400], showApiKeys: [400] },
  // An address whose numbers are none is no address here.
  ...{ showSshKeys: [400], detachSshKey: [400, 500], rebootInstance: [400], recycleInstance: [400] },
  // A wrong key is a 404 by the same description; its 401 is of what stands before the service.
  showCharges: [401],
  // A failure of the service is a scenario's fault.
  showUser: [500],
};
/** Simulated operations that the description does not have, or has under the name of another. */
const NOT_DESCRIBED = ["getLogFile", "listGpuNames", "getApiKey", "resetApiKey"];

const open = new AsyncDisposableStack();
afterAll(() => open.disposeAsync());

type World = Awaited<ReturnType<typeof start>>;

/** Takes down an answer of an operation. */
type Note = (name: string, answer: { status: number; body: unknown }) => void;

async function start(more: object = {}) {
  const service = await underTest({ scenario: { ...SCENARIO, ...more } });
  open.use(service);
  return { service, calls: callsOf(await makeThings(service)) };
}

const ask = ({ service }: World, [method, path, body]: Call, key?: string) =>
  service.call(method, path, body, key === undefined ? {} : { key });

describe.skipIf(file === undefined)("the simulator against the vendor's own description", () => {
  const description: VendorDescription = file === undefined ? new Map() : readVendorDescription(file);

  /** Asks everything, right and wrong; returns what is not as described, and all statuses. */
  async function askEverything() {
    const found = new Set<string>();
    const seen = new Set<string>();
    const note: Note = (name, { status, body }) => {
      const described = description.get(name)?.has(status);
      seen.add(`${name} ${status}`);
      if (!described && ANYWHERE.includes(status)) return;
      for (const says of differences(description, name, { status, body })) found.add(`${name} ${status} ${says}`);
    };
    const world = await start();
    const gone = new Set(["destroyInstance", "deleteVolume", "deleteApiKey", "deleteSshKey", "deleteTemplate"]);
    // Calls that take something away come last.
    const names = Object.keys(world.calls).toSorted((a, b) => Number(gone.has(a)) - Number(gone.has(b)));
    for (const name of names) {
      const { right, wrong } = world.calls[name] as Asked;
      for (const [status, call] of [...right.map((each) => [200, each] as const), ...wrong]) {
        const answer = await ask(world, call);
        expect(answer.status, `${name}: ${answer.text}`).toBe(status);
        note(name, answer);
      }
    }
    for (const id of [3001, 3002, 3003]) await ask(world, ["DELETE", `/api/v0/ssh/${id}/`]);
    note("getSshKeysUser", await ask(world, ["GET", "/api/v0/ssh/"]));
    const machine: Call = ["PUT", "/api/v0/asks/17/", { image: "debian:13", vm: true }];
    note("createInstance", await ask(world, machine));
    note("createInstance", await ask(await start({ user: { credit: 0 } }), machine));
    return { found, seen, note };
  }

  /** The same calls with a wrong key, and with one that may do nothing of it. */
  async function askWithoutLeave(note: Note) {
    const world = await start({ keys: [{ key: "powerless", scopes: ["machine_read"] }] });
    for (const [name, { right }] of Object.entries(world.calls)) {
      const [call] = right as [Call];
      const [wrong, powerless] = [await ask(world, call, "wrong"), await ask(world, call, "powerless")];
      const stranger = ["searchOffers", "showCharges"].includes(name) ? 404 : 401;
      expect([wrong.status, powerless.status], name).toEqual([stranger, 403]);
      note(name, wrong);
      note(name, powerless);
    }
  }

  /** The same calls too fast: ten searches a minute are not too many, the eleventh is. */
  async function askInHaste(note: Note, limits: "detail" | "json", of = (_name: string) => true) {
    const world = await start({ limits });
    for (const [name, { right }] of Object.entries(world.calls)) {
      if (!of(name)) continue;
      const [call] = right as [Call];
      for (let calls = 0; calls < 10; calls += 1) await ask(world, call);
      const answer = await ask(world, call);
      expect(answer.status, name).toBe(429);
      note(name, answer);
    }
  }

  let asked: Record<"found" | "seen", ReadonlySet<string>>;
  beforeAll(async () => {
    const { note, found, seen } = await askEverything();
    await askWithoutLeave(note);
    await askInHaste(note, "detail");
    // Described in another form than the others, of which all were seen.
    await askInHaste(note, "json", (name) => name === "destroyInstance");
    asked = { found, seen };
  });

  test("every answer is as described, but for what is known", () => {
    const known = KNOWN_DIFFERENCES.flatMap(({ operations, status, says }) =>
      operations.flatMap((operation) => says.map((each) => `${operation} ${status} ${each}`)),
    );
    const found = [...asked.found];
    expect(found.filter((each) => !known.includes(each))).toEqual([]);
    expect(known.filter((each) => !found.includes(each))).toEqual([]);
  });

  test("no described status of these operations is left out", async () => {
    const described = (name: string) => [...(description.get(name)?.keys() ?? [])].map((status) => `${name} ${status}`);
    const all = Object.keys((await start()).calls).flatMap(described);
    const left = all.filter((answer) => !asked.seen.has(answer));
    const known = Object.entries(NEVER_ANSWERED).flatMap(([name, all]) => all.map((status) => `${name} ${status}`));
    expect(left.toSorted()).toEqual(known.toSorted());
  });

  test("the check can fail: an answer that lacks its type, has an invented field, or an invented status", () => {
    const refusal = { status: 401, body: { success: "no" } };
    expect(differences(description, "showUser", refusal)).toEqual(["/success must be boolean, not string"]);
    const invented = { status: 200, body: { success: true, invented: 1 } };
    expect(differences(description, "destroyInstance", invented)).toEqual(["/invented is not named"]);
    expect(differences(description, "destroyInstance", { ...invented, status: 418 })).toEqual(["no such status"]);
  });
});

test("a description that is named and not there is no reason to skip", () => {
  expect(() => vendorFile("/nowhere/openapi.yaml")).toThrow("there is no /nowhere/openapi.yaml");
});

test("every simulated operation is asked, or known not to be described", async () => {
  const { service, calls } = await start();
  const before = service.sim.journal.entries.length;
  for (const { right } of Object.values(calls)) for (const call of right) await ask({ service, calls }, call);
  const asked = new Set(service.sim.journal.entries.slice(before).map(({ operation }) => operation));
  expect(SERVICE_OPERATIONS.filter((name) => !asked.has(name)).toSorted()).toEqual(NOT_DESCRIBED.toSorted());
});
