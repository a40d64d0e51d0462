import { expect, test } from "vitest";
import type { ServiceClient } from "../../../src/marketplace/vast/service-client.ts";
import { VastMarketplace } from "../../../src/marketplace/vast/vast-marketplace.ts";
import { volumeMachine } from "../../../src/offers/volume-place.ts";
import { freshWorld, log } from "../support/fresh-world.ts";
import { FAULTS } from "../support/service-faults.ts";

freshWorld();

/** The machine of volume 81, where the account has these. */
function placeOf(has: { id: number; machine_id?: number }[] | Error) {
  const listVolumes = () => (has instanceof Error ? Promise.reject(has) : Promise.resolve(has));
  const service = new VastMarketplace({ listVolumes } as unknown as ServiceClient);
  const { signal } = new AbortController();
  return volumeMachine({ service, log, signal }, { id: 81, mountPath: "/data" });
}

test.each([
  ["one of two", [80, 81].map((id) => ({ id, machine_id: id - 73 })), 8],
  ["not shown: any machine may be asked, and that is said", [{ id: 81 }], undefined],
  ["a service of the specification's letter: the same", FAULTS.notFound, undefined],
])("a volume's machine: %s", async (_what, has, machine) => {
  expect(await placeOf(has)).toBe(machine);
  const said = machine === undefined ? [expect.stringContaining("does not show where the volume is")] : [];
  expect(log.warnings).toEqual(said);
});

test("nothing is asked where there is no volume", async () => {
  expect(await volumeMachine({ service: {} as never, log, signal: AbortSignal.abort() }, undefined)).toBeUndefined();
});

test("one that is not there ends it, and a list that is refused is reported as that", async () => {
  const message = "The account has no volume 81. Nothing was rented.";
  await expect(placeOf([])).rejects.toMatchObject({ name: "VolumeUnknownError", message });
  await expect(placeOf(FAULTS.forbidden)).rejects.toBe(FAULTS.forbidden);
});
