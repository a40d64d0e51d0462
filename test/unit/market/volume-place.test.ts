import { beforeEach, expect, test } from "vitest";
import { VolumeUnknownError } from "../../../src/market/errors.ts";
import { volumeMachine } from "../../../src/market/volume-place.ts";
import type { Marketplace, Volume } from "../../../src/marketplace/marketplace.ts";
import type { VolumeOffer, Volume as VolumeRow } from "../../../src/vast/schemas.ts";
import type { ServiceClient } from "../../../src/vast/service-client.ts";
import { VastMarketplace } from "../../../src/vast/vast-marketplace.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { badRequest, FAULTS } from "../support/service-faults.ts";

const LINKED: Volume = { kind: "existing", id: 81, mountPath: "/data" };
const NEW: Volume = { kind: "new", offerId: 71, sizeGb: 30, mountPath: "/data" };

/** The marketplace over a client that has these methods alone. */
function over(client: object): Marketplace {
  return new VastMarketplace(client as ServiceClient);
}

let log: RecordedLog;

beforeEach(() => {
  log = new RecordedLog();
});

function placeOf(volume: Volume | undefined, has: { volumes?: VolumeRow[]; offers?: VolumeOffer[] } | Error) {
  const answer = async <Rows>(rows: (given: { volumes?: VolumeRow[]; offers?: VolumeOffer[] }) => Rows) => {
    if (has instanceof Error) throw has;
    return rows(has);
  };
  const service = {
    listVolumes: () => answer((given) => given.volumes ?? []),
    searchVolumes: () => answer((given) => given.offers ?? []),
  };
  return volumeMachine({ service: over(service), log, signal: new AbortController().signal }, volume);
}

test("nothing is asked where there is no volume", async () => {
  expect(await placeOf(undefined, new Error("asked"))).toBeUndefined();
});

test("a volume's machine, among all that the account has", async () => {
  const volumes = [
    { id: 80, machine_id: 7 },
    { id: 81, machine_id: 8 },
  ];
  expect(await placeOf(LINKED, { volumes })).toBe(8);
});

test("a new volume is made on its offer's machine; what it costs for ever is said", async () => {
  // The filter may not have been applied.
  const offers = [
    { id: 70, machine_id: 7 },
    { id: 71, machine_id: 8, storage_cost: 0.15 },
  ];
  expect(await placeOf(NEW, { offers })).toBe(8);
  expect(log.warnings.join("\n")).toMatch(
    /volume of 30 GB .* machine 8.*outlives this run and bills 4\.50 USD a month/,
  );
});

test.each(["id", "ask_contract_id"])(
  "a volume offer is found by a service whose search takes %s alone",
  async (field) => {
    const offer = { id: 71, machine_id: 8, storage_cost: 0.15 };
    const searchVolumes = async (filters: object) => {
      if (Object.hasOwn(filters, field)) return [offer];
      if (field === "ask_contract_id") return [];
      throw badRequest("ask_contract_id is not a valid search key");
    };
    const service = over({ searchVolumes });
    expect(await volumeMachine({ service, log, signal: new AbortController().signal }, NEW)).toBe(8);
  },
);

test("an unknown search key is no word on the volume offer", async () => {
  const searchVolumes = async (filters: object) => {
    if (Object.hasOwn(filters, "id")) return [];
    throw badRequest("ask_contract_id is not a valid search key");
  };
  const service = over({ searchVolumes });
  const asked = volumeMachine({ service, log, signal: new AbortController().signal }, NEW);
  await expect(asked).rejects.toThrow("The service has no volume offer 71. Nothing was rented.");
});

test("a search that is refused by any name is reported as that", async () => {
  const refusal = badRequest("type is missing");
  const service = over({ searchVolumes: () => Promise.reject(refusal) });
  await expect(volumeMachine({ service, log, signal: new AbortController().signal }, NEW)).rejects.toBe(refusal);
});

test("a volume whose machine is not shown: any may be asked for it, and that is said", async () => {
  expect(await placeOf(LINKED, { volumes: [{ id: 81 }] })).toBeUndefined();
  expect(log.lines).toEqual([]);
  expect(log.warnings.join("\n")).toContain("does not show where the volume is");
});

test.each([
  [LINKED, "The account has no volume 81. Nothing was rented."],
  [NEW, "The service has no volume offer 71. Nothing was rented."],
])("one that is not there ends it", async (volume, says) => {
  const asked = placeOf(volume, { volumes: [], offers: [] });
  await expect(asked).rejects.toThrow(VolumeUnknownError);
  await expect(asked).rejects.toThrow(says);
});

test("a service of the specification's letter does not show it: goes on, and says so", async () => {
  const gone = FAULTS.notFound;
  expect(await placeOf(LINKED, gone)).toBeUndefined();
  expect(log.warnings.join("\n")).toContain("does not show where the volume is");
});
