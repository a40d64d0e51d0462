import { beforeEach, expect, test } from "vitest";
import type { z } from "zod";
import type { Volume } from "../../../src/marketplace/marketplace.ts";
import type { volumeSchema } from "../../../src/marketplace/vast/schemas.ts";
import type { ServiceClient } from "../../../src/marketplace/vast/service-client.ts";
import { VastMarketplace } from "../../../src/marketplace/vast/vast-marketplace.ts";
import { VolumeUnknownError } from "../../../src/offers/errors.ts";
import { volumeMachine } from "../../../src/offers/volume-place.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { FAULTS } from "../support/service-faults.ts";

const LINKED: Volume = { id: 81, mountPath: "/data" };

let log: RecordedLog;

beforeEach(() => {
  log = new RecordedLog();
});

function placeOf(volume: Volume | undefined, has: z.infer<typeof volumeSchema>[] | Error) {
  const listVolumes = async () => {
    if (has instanceof Error) throw has;
    return has;
  };
  const service = new VastMarketplace({ listVolumes } as unknown as ServiceClient);
  return volumeMachine({ service, log, signal: new AbortController().signal }, volume);
}

test("nothing is asked where there is no volume", async () => {
  expect(await placeOf(undefined, new Error("asked"))).toBeUndefined();
});

test("a volume's machine, among all that the account has", async () => {
  const volumes = [
    { id: 80, machine_id: 7 },
    { id: 81, machine_id: 8 },
  ];
  expect(await placeOf(LINKED, volumes)).toBe(8);
});

test("a volume whose machine is not shown: any may be asked for it, and that is said", async () => {
  expect(await placeOf(LINKED, [{ id: 81 }])).toBeUndefined();
  expect(log.lines).toEqual([]);
  expect(log.warnings.join("\n")).toContain("does not show where the volume is");
});

test("one that is not there ends it", async () => {
  const asked = placeOf(LINKED, []);
  await expect(asked).rejects.toThrow(VolumeUnknownError);
  await expect(asked).rejects.toThrow("The account has no volume 81. Nothing was rented.");
});

test("a list that is refused is reported as that", async () => {
  await expect(placeOf(LINKED, FAULTS.forbidden)).rejects.toBe(FAULTS.forbidden);
});

test("a service of the specification's letter does not show it: goes on, and says so", async () => {
  expect(await placeOf(LINKED, FAULTS.notFound)).toBeUndefined();
  expect(log.warnings.join("\n")).toContain("does not show where the volume is");
});
