import { expect, test } from "vitest";
import { shownError } from "../support/shown-error.ts";
import { startSession, UNHURRIED } from "../support/simulated-session.ts";

const scenario = {
  // The cheapest is not where the volume is.
  offers: [
    { id: 11, machine_id: 501, dph_base: 0.2 },
    { id: 12, machine_id: 502, dph_base: 0.4 },
  ],
  volumes: [{ id: 81, machine_id: 502 }],
};
const LINKED = { "volume-id": "81", "volume-mount-path": "/data" };

test.concurrent("a volume binds the search to its machine", async () => {
  await using session = await startSession({ with: LINKED, scenario });

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain("Volume 81 is on host 502: only that one can have it.");
  expect(session.instances()[0]).toMatchObject({ offer: { id: 12 }, volume: { id: 81 } });

  await session.endClean();
});

test.concurrent("a volume that the account does not have: nothing is rented", async () => {
  await using session = await startSession({ ...UNHURRIED, with: { ...LINKED, "volume-id": "99" }, scenario });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "VolumeUnknownError",
    message:
      "The account has no volume 99. Nothing was rented. 'test' did not run, and will be cancelled with the run once no other job is open.",
  });
  expect(session.sim.service.journal.of("createInstance")).toEqual([]);
  await session.endClean();
});

test.concurrent("inputs that contradict each other are told before anything is asked", async () => {
  await using session = await startSession({ with: { ...LINKED, machines: "2", "bid-price": "0.3" }, scenario });
  const main = await session.step.mainFails();
  expect(shownError(main.log).message).toContain("2 inputs are wrong: bid-price, machines. Nothing was rented.");
  expect(main.log).toContain("machines: must be auto or 1 with volume-id, as the volume is on one machine");
  expect(session.sim.service.journal.entries).toEqual([]);
  await session.endClean();
});
