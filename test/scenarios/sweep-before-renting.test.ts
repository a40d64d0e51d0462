import { expect, test } from "vitest";
import { destruction, type InstanceRecord } from "../../simulator/service/rentals/instance-record.ts";
import { RENT_JOB, type SimulatedSession, startSession } from "../support/simulated-session.ts";
import { DONE_JOB } from "../support/sweep-of-account.ts";

/** The sweep has five simulated seconds: two and a half, even on a busy machine. No job waits. */
const SLOW = { factor: 2, jobs: [RENT_JOB], with: { hold: "false" } };
const CLEAN = "still billing: 0 instances";

/** A machine of this repository, of another run, whose label expires in so many seconds. */
function leftover(session: SimulatedSession, run: string, expiresIn: number): InstanceRecord {
  const expiry = Math.floor(session.sim.clock.now() / 1000) + expiresIn;
  return session.sim.service.leaveBehind(`ghr1.${session.run.repositoryId}.${run}.abc${run.slice(0, 3)}.1.${expiry}`);
}

function addRun(session: SimulatedSession, runId: number, job: typeof DONE_JOB): void {
  session.sim.github.addRun({ repository: "octo/gpu-lib", runId, attempt: 1, jobs: [job], secondsAgo: 600 });
}

test.concurrent.for([
  ["has expired", "3000-1", -1, "its time was up"],
  ["belongs to a run that is over", "3001-1", 3600, "its run is over."],
] as const)(
  "a rent first destroys a leftover that %s, in one list request, and tells it",
  async ([, run, expiresIn, why]) => {
    await using session = await startSession(SLOW);
    addRun(session, 3001, DONE_JOB);
    const { id } = leftover(session, run, expiresIn);

    const main = await session.step.mainSucceeds();
    expect(main.log).toContain(`Leftover instance ${id} (run ${run.slice(0, 4)}, attempt 1) is destroyed: ${why}`);
    const calls = session.sim.service.journal.entries.map(({ operation }) => operation);
    expect(calls.slice(0, calls.indexOf("createInstance")).filter((call) => call === "listInstances")).toHaveLength(1);
    expect(calls.indexOf("destroyInstance")).toBeLessThan(calls.indexOf("createInstance"));

    await session.endClean();
  },
);

test.concurrent("a sweep that comes to nothing never fails the rent: it is left after five seconds", async () => {
  await using session = await startSession({ factor: 5 });
  const stubborn = leftover(session, "3000-1", -1);
  const doubtful = leftover(session, "3001-1", 3600);
  session.sim.github.setFaults([{ operation: "getRunAttempt", kind: "status", status: 502 }]);
  session.sim.service.setFaults([{ operation: "destroyInstance", instance: stubborn.id, kind: "never-answer" }]);

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain("Which runs are over can't be seen.");
  expect(main.log).toContain(
    `Leftover instance ${stubborn.id} (run 3000, attempt 1) could not be destroyed: the time for it was over.`,
  );
  expect(session.run.job("test").conclusion).toBe("success");
  await session.step.postSucceeds();

  expect([stubborn, doubtful].filter((each) => destruction(each))).toEqual([]);
  session.sim.service.update(stubborn.id, "destroyed");
  session.sim.service.update(doubtful.id, "destroyed");
  expect(session.stillBilling()).toBe(CLEAN);
});

test.concurrent("a machine of this very attempt is another session's: not touched, not even when it has expired", async () => {
  await using session = await startSession({ factor: 5 });
  const { id } = leftover(session, "4711-1", -1);

  await session.step.mainSucceeds();
  await session.step.postSucceeds();
  expect(session.sim.service.journal.of("destroyInstance").filter(({ path }) => path.includes(String(id)))).toEqual([]);

  session.sim.service.update(id, "destroyed");
  expect(session.stillBilling()).toBe(CLEAN);
});

test.concurrent("leftovers that the sweep destroys make room under machines-per-repository", async () => {
  await using session = await startSession({ ...SLOW, with: { ...SLOW.with, "machines-per-repository": "1" } });
  leftover(session, "3000-1", -1);

  await session.step.mainSucceeds();
  await session.endClean();
});
