import { expect } from "vitest";
import type { Fault } from "../../simulator/scenario/fault.ts";
import { noteIn } from "../support/main-notes.ts";
import { test } from "../support/scenario.ts";
import { shownWarnings } from "../support/shown-error.ts";
import { ENDLESS_JOB, gpuJob, RENT_JOB, type SimulatedSession } from "../support/simulated-session.ts";

const FIRST_CREATE = { operation: "createInstance", nth: 1 } as const;

test("adopts the instance of a create that was carried out and whose answer never comes", async ({ start }) => {
  // The job outlasts the wait for the answer.
  const faults: Fault[] = [{ ...FIRST_CREATE, kind: "never-answer", when: "after" }];
  const session = await start({
    jobs: [RENT_JOB, gpuJob(["sleep 45"])],
    scenario: { faults, visibilityLagSeconds: 3 },
  });

  const main = await session.step.mainSucceeds();
  expect(shownWarnings(main.log)).toEqual([
    expect.stringContaining("It is not known whether the instance was created"),
  ]);
  expect(session.sim.service.journal.of("createInstance")).toHaveLength(1);
  expect(main.outputs["instance-id"]).toBe(String(session.instances()[0]?.id));
  expect(session.run.job("test").conclusion).toBe("success");
});

test("a create that a gateway sends twice, and whose answer is lost: post also finds the instance that lists show late", async ({
  start,
}) => {
  const faults: Fault[] = [
    { ...FIRST_CREATE, kind: "lose-answer" },
    { ...FIRST_CREATE, kind: "visibility-lag", seconds: 28 },
    { ...FIRST_CREATE, kind: "twin", seconds: 0 },
  ];
  const session = await start({ jobs: [RENT_JOB, ENDLESS_JOB], scenario: { faults } });
  const stage = await session.mainUntil("It bills from now on");
  stage.cancel();
  await stage.done;

  const post = await session.endClean();
  expect(post.log.match(/^Instance \d+ is destroyed\.$/gm)).toHaveLength(2);
});

test("rents no second machine for a job that was over before its machine could be found", async ({ start }) => {
  const fault = { ...FIRST_CREATE, kind: "never-answer", when: "after" } as const;
  const session = await start({ scenario: { faults: [fault] } });

  await session.step.mainSucceeds();
  expect(session.run.job("test").conclusion).toBe("success");
  expect(session.sim.service.journal.of("createInstance")).toHaveLength(1);
});

test("takes the next offer when a create was not carried out, but never while that is uncertain", async ({ start }) => {
  const session = await start({ factor: 5, scenario: { faults: [{ ...FIRST_CREATE, kind: "refuse" }] } });

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain(
    "machine 1: no list showed an instance with its label: the create counts as not carried out.",
  );
  expect(session.rentedOffers()).toEqual([12]);
  const requests = session.sim.service.journal.entries
    .filter(({ caller }) => caller === "account")
    .map(({ operation }) => operation);
  const [first, second] = requests.flatMap((operation, index) => (operation === "createInstance" ? [index] : []));
  // The looks of 40 s, one every 10 s, lie between the two creates, and nothing else.
  const between = requests.slice(Number(first) + 1, second);
  expect(between.length).toBeGreaterThanOrEqual(4);
  expect(new Set(between)).toEqual(new Set(["listInstances"]));
});

/** As if the create that gave no answer came true now. */
async function carryOutLate({ sim }: SimulatedSession, label: string): Promise<void> {
  const answer = await fetch(`${sim.service.url}/api/v0/asks/11/`, {
    method: "PUT",
    headers: { authorization: `Bearer ${sim.service.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ image: "debian:13", label, disk: 10 }),
  });
  expect(answer.status, await answer.text()).toBe(200);
}

const NOT_CARRIED_OUT = { offers: [{ id: 11 }], faults: [{ ...FIRST_CREATE, kind: "refuse" as const }] };

test("a main that failed looks on for the instance of such a create, before it says that nothing is rented", async ({
  start,
}) => {
  const session = await start({ factor: 10, with: { attempts: "1" }, scenario: NOT_CARRIED_OUT });
  const stage = await session.mainUntil("::group::Destroy the machines");
  const prefix = /is labelled (\S+)\.…/.exec(stage.log())?.[1];
  await carryOutLate(session, `${prefix}.1.1900000000`);

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(1);
  expect(main.log).toContain(`Instance ${session.instances()[0]?.id} is destroyed.`);
  expect(session.stillBilling()).toBe("still billing: 0 instances");

  await session.step.postSucceeds();
});

test("post destroys an instance that turns up after main has ended", async ({ start }) => {
  const session = await start({
    // Main would look for it itself before it waits for what may become of the run.
    with: { attempts: "1", "if-no-machine": "leave" },
    scenario: NOT_CARRIED_OUT,
  });
  expect((await session.errorOfMain()).name).toBe("OffersExhaustedError");
  expect(session.instances()).toEqual([]);
  await carryOutLate(session, noteIn(session.step.state, "pending_1") ?? "");

  const post = await session.endClean();
  expect(session.instances()).toHaveLength(1);
  expect(post.log).toContain(`Instance ${session.instances()[0]?.id} is destroyed.`);
});
