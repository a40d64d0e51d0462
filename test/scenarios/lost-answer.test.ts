import { expect, test } from "vitest";
import type { Fault } from "../../simulator/scenario/fault.ts";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { noteIn } from "../support/main-notes.ts";
import { shownError, shownWarnings } from "../support/shown-error.ts";
import {
  ENDLESS_JOB,
  gpuJob,
  RENT_JOB,
  type SimulatedSession,
  startSession,
  until,
} from "../support/simulated-session.ts";

const FIRST_CREATE = { operation: "createInstance", nth: 1 } as const;

/** Every way in which a create can be carried out without a usable answer. */
const CARRIED_OUT: [string, Fault][] = [
  ["is lost", { ...FIRST_CREATE, kind: "lose-answer" }],
  ["is a 502", { ...FIRST_CREATE, kind: "status", status: 502, body: "Bad gateway", when: "after" }],
  ["is cut off", { ...FIRST_CREATE, kind: "truncate", bytes: 20 }],
  ["is a page of a proxy", { ...FIRST_CREATE, kind: "text", text: "<html>Please wait</html>", when: "after" }],
  ["never comes", { ...FIRST_CREATE, kind: "never-answer", when: "after" }],
];

test.concurrent.for(CARRIED_OUT)(
  "adopts the instance of a create that was carried out and whose answer %s",
  async ([, fault]) => {
    // The job outlasts the wait for an answer that never comes.
    const jobs = [RENT_JOB, gpuJob(["sleep 45"])];
    await using session = await startSession({ jobs, scenario: { faults: [fault], visibilityLagSeconds: 3 } });

    const main = await session.step.mainSucceeds();
    expect(shownWarnings(main.log)).toEqual([
      expect.stringContaining("It is not known whether the instance was created"),
    ]);
    expect(session.sim.service.journal.of("createInstance")).toHaveLength(1);
    expect(main.outputs["instance-id"]).toBe(String(session.instances()[0]?.id));
    expect(session.run.job("test").conclusion).toBe("success");

    await session.endClean();
    expect(session.instances()).toHaveLength(1);
  },
);

test.concurrent("a create that a gateway sends twice, and whose answer is lost: post also finds the instance that lists show late", async () => {
  const faults: Fault[] = [
    { ...FIRST_CREATE, kind: "lose-answer" },
    { ...FIRST_CREATE, kind: "visibility-lag", seconds: 28 },
    { ...FIRST_CREATE, kind: "twin", seconds: 0 },
  ];
  await using session = await startSession({ jobs: [RENT_JOB, ENDLESS_JOB], scenario: { faults } });
  const stage = session.step.startMain();
  await until(() => stage.log().includes("It bills from now on"), "one of the two");
  stage.cancel();
  await stage.done;

  const post = await session.endClean();
  expect(post.log.match(/^Instance \d+ is destroyed\.$/gm)).toHaveLength(2);
});

test.concurrent("rents no second machine for a job that was over before its machine could be found", async () => {
  const fault = { ...FIRST_CREATE, kind: "never-answer", when: "after" } as const;
  await using session = await startSession({ scenario: { faults: [fault] } });

  await session.step.mainSucceeds();
  expect(session.run.job("test").conclusion).toBe("success");
  expect(session.sim.service.journal.of("createInstance")).toHaveLength(1);

  await session.endClean();
});

test.concurrent("takes the next offer when a create was not carried out, but never while that is uncertain", async () => {
  await using session = await startSession({ factor: 5, scenario: { faults: [{ ...FIRST_CREATE, kind: "refuse" }] } });

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain(
    "machine 1: no list showed an instance with its label: the create counts as not carried out.",
  );
  expect(session.instances().map(({ offer }) => offer.id)).toEqual([12]);
  const requests = session.sim.service.journal.entries
    .filter(({ caller }) => caller === "account")
    .map(({ operation }) => operation);
  const [first, second] = requests.flatMap((operation, index) => (operation === "createInstance" ? [index] : []));
  // The looks of 40 s, one every 10 s, lie between the two creates, and nothing else.
  const between = requests.slice(Number(first) + 1, second);
  expect(between.length).toBeGreaterThanOrEqual(4);
  expect(new Set(between)).toEqual(new Set(["listInstances"]));

  await session.endClean();
});

test.concurrent("main destroys an instance that turns up after its create counted as not carried out", async () => {
  const stuck = { statuses: [{ after: 1, actual_status: "loading" }] };
  await using session = await startSession({
    jobs: [RENT_JOB, ENDLESS_JOB],
    scenario: {
      offers: [{ id: 11, dph_base: 0.3, simulate: stuck }, { id: 12 }],
      faults: [{ ...FIRST_CREATE, kind: "late-create", seconds: 75 }],
    },
  });

  const stage = session.step.startMain();
  await until(() => session.instances().some((instance) => destruction(instance)), "the stray's end");
  expect(stage.log()).toContain("it turned up late, from a create that gave no answer, and is not needed.");
  const [rented, stray] = session.instances();
  expect([rented?.offer.id, stray?.offer.id]).toEqual([12, 11]);
  expect(stray && destruction(stray)?.by).toBe("account");
  session.run.job("test").complete();

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(main.outputs["offer-id"]).toBe("12");
  await session.endClean();
});

test.concurrent("a main that failed looks on for the instance of such a create, before it says that nothing is rented", async () => {
  await using session = await startSession({
    factor: 10,
    with: { attempts: "1" },
    scenario: { offers: [{ id: 11 }], faults: [{ ...FIRST_CREATE, kind: "refuse" }] },
  });

  const stage = session.step.startMain();
  await until(() => stage.log().includes("::group::Destroy the machines"), "the looks of a main that failed");
  const prefix = /is labelled (\S+)\.…/.exec(stage.log())?.[1];
  await carryOutLate(session, 11, `${prefix}.1.1900000000`);

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(1);
  expect(main.log).toContain(`Instance ${session.instances()[0]?.id} is destroyed.`);
  expect(session.stillBilling()).toBe("still billing: 0 instances");

  await session.step.postSucceeds();
});

test.concurrent("post destroys an instance that turns up after main has ended", async () => {
  await using session = await startSession({
    // Main would look for it itself before it waits for what may become of the run.
    with: { attempts: "1", "if-no-machine": "leave" },
    scenario: { offers: [{ id: 11 }], faults: [{ ...FIRST_CREATE, kind: "refuse" }] },
  });

  const main = await session.step.mainFails();
  expect(shownError(main.log).name).toBe("OffersExhaustedError");
  expect(session.instances()).toEqual([]);
  // The create comes true now, whenever that is on a busy computer.
  await carryOutLate(session, 11, noteIn(main.state, "pending_1") ?? "");

  const post = await session.endClean();
  expect(session.instances()).toHaveLength(1);
  expect(post.log).toContain(`Instance ${session.instances()[0]?.id} is destroyed.`);
});

async function carryOutLate({ sim }: SimulatedSession, offer: number, label: string): Promise<void> {
  const answer = await fetch(`${sim.service.url}/api/v0/asks/${offer}/`, {
    method: "PUT",
    headers: { authorization: `Bearer ${sim.service.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ image: "debian:13", label, disk: 10 }),
  });
  expect(answer.status, await answer.text()).toBe(200);
}

test.concurrent("rents nothing more when it can't even look whether the create was carried out, and post destroys it", async () => {
  await using session = await startSession({
    with: { "ready-timeout": "2m" },
    scenario: {
      offers: [{ id: 11, simulate: { statuses: [{ after: 1, actual_status: "loading" }] } }],
      faults: [
        { ...FIRST_CREATE, kind: "lose-answer" },
        { operation: "listInstances", nth: 2, times: 1000, kind: "status", status: 503 },
      ],
    },
  });

  const main = await session.step.mainFails();
  const error = shownError(main.log);
  expect(error.name).toBe("ReadyTimeoutError");
  expect(error.message).toMatch(/Vast.ai gave no list of instances for \S[^,.]+, without which nothing is rented\./);
  expect(error.message).toContain(
    "A create may have made an instance that no list shows yet. The post step looks for it and destroys it.",
  );
  expect(session.instances()).toHaveLength(1);

  session.sim.service.setFaults([]);
  await session.endClean();
});
