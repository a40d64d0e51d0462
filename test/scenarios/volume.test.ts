import { expect, test } from "vitest";
import { shownError } from "../support/shown-error.ts";
import { gpuJob, RENT_JOB, startSession, UNHURRIED } from "../support/simulated-session.ts";

const scenario = {
  // The cheapest is not where the volume is.
  offers: [
    { id: 11, machine_id: 501, dph_base: 0.2 },
    { id: 12, machine_id: 502, dph_base: 0.4 },
  ],
  volumeOffers: [{ id: 71, machine_id: 502, disk_space: 100 }],
  volumes: [{ id: 81, machine_id: 502 }],
};
const LINKED = { "volume-id": "81", "volume-mount-path": "/data" };
const NEW = { ...LINKED, "volume-id": "71", "volume-create-new": "true", "volume-size": "30", attempts: "1" };

test.concurrent("a volume that exists binds the search to its machine", async () => {
  await using session = await startSession({ with: LINKED, scenario });

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain("Volume 81 is on machine 502: only that one can have it.");
  expect(session.instances()[0]).toMatchObject({ offer: { id: 12 }, volume: { id: 81 } });

  await session.endClean();
});

test.concurrent("a new volume outlives the machine: that is said before it is made", async () => {
  await using session = await startSession({ with: NEW, scenario });

  const main = await session.step.mainSucceeds();
  expect(main.log).toMatch(/A volume of 30 GB will be made on machine 502\. It outlives this run and bills .* a month/);
  expect(main.log).not.toContain("No more machines are rented");
  await session.endClean();
  expect(session.sim.service.books.volumesNow()).toMatchObject([{ id: 81 }, { machine_id: 502 }]);
});

test.concurrent("a new volume is made once: a second job gets no machine that would make another one", async () => {
  await using session = await startSession({
    with: NEW,
    scenario,
    jobs: [RENT_JOB, gpuJob(["echo 12 passed"]), { ...gpuJob(["echo 12 passed"]), name: "test 2" }],
  });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "HoldError",
    message: expect.stringMatching(/^A new volume is made with one machine only: .* did not run\. It /),
    hint: expect.stringContaining("volume-create-new"),
  });
  await session.endClean();
  expect(session.sim.service.books.volumesNow()).toMatchObject([{ id: 81 }, { machine_id: 502 }]);
});

test.concurrent("a volume that the account does not have: nothing is rented", async () => {
  await using session = await startSession({ ...UNHURRIED, with: { ...LINKED, "volume-id": "99" }, scenario });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "VolumeUnknownError",
    message:
      "The account has no volume 99. Nothing was rented. 'test' did not run. It will be cancelled with the run once no other job is open.",
  });
  expect(session.sim.service.journal.of("createInstance")).toEqual([]);
  await session.endClean();
});

test.concurrent("inputs that contradict each other are told before anything is asked", async () => {
  await using session = await startSession({ with: { ...NEW, attempts: "4", "bid-price": "0.3" }, scenario });
  const main = await session.step.mainFails();
  expect(shownError(main.log).message).toContain("2 inputs are wrong: bid-price, attempts. Nothing was rented.");
  expect(main.log).toContain("attempts: would leave a volume behind with each machine that fails");
  expect(session.sim.service.journal.entries).toEqual([]);
  await session.endClean();
});
