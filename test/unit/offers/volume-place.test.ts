import { expect, test } from "vitest";
import type { ServiceClient } from "../../../src/marketplace/vast/service-client.ts";
import { VastMarketplace } from "../../../src/marketplace/vast/vast-marketplace.ts";
import { VolumeUnknownError } from "../../../src/offers/errors.ts";
import { volumeMachine } from "../../../src/offers/volume-place.ts";
import { freshWorld, log } from "../support/fresh-world.ts";
import { FAULTS } from "../support/service-faults.ts";

freshWorld();

/** The machine of volume 81, where the account has these. */
function placeOf(has: { id: number; machine_id?: number }[] | Error) {
  const listVolumes = async () => {
    if (has instanceof Error) throw has;
    return has;
  };
  const service = new VastMarketplace({ listVolumes } as unknown as ServiceClient);
  const { signal } = new AbortController();
  return volumeMachine({ service, log, signal }, { id: 81, mountPath: "/data" });
}

const TWO = [
  { id: 80, machine_id: 7 },
  { id: 81, machine_id: 8 },
];

test.each([
  ["one of two", TWO, 8],
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
  await expect(placeOf([])).rejects.toThrow(VolumeUnknownError);
  await expect(placeOf([])).rejects.toThrow("The account has no volume 81. Nothing was rented.");
  await expect(placeOf(FAULTS.forbidden)).rejects.toBe(FAULTS.forbidden);
});
