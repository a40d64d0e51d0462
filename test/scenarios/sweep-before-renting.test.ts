import { expect } from "vitest";
import { test } from "../support/scenario.ts";
import { RENT_JOB, type SimulatedSession } from "../support/simulated-session.ts";
import { DONE_JOB } from "../support/sweep-of-account.ts";

/** Leaves a machine of a run of this repository behind, whose label expires in so many seconds. Returns its id. */
function leftover(session: SimulatedSession, run: string, expiresIn: number): number {
  const expiry = Math.floor(session.sim.clock.now() / 1000) + expiresIn;
  const label = `ghr1.${session.run.repositoryId}.${run}.abc${run.slice(0, 3)}.1.${expiry}`;
  return session.sim.service.leaveBehind(label).id;
}

test("a rent first destroys what has expired or whose run is over, in one list request, and nothing of its own attempt", async ({
  start,
}) => {
  // The sweep has five simulated seconds: two and a half, even on a busy machine. No job waits.
  const session = await start({ factor: 2, jobs: [RENT_JOB], with: { hold: "false" } });
  const over = { repository: "octo/gpu-lib", runId: 3001, attempt: 1, jobs: [DONE_JOB], secondsAgo: 600 };
  session.sim.github.addRun(over);
  const expired = leftover(session, "3000-1", -1);
  const orphan = leftover(session, "3001-1", 3600);
  const sibling = leftover(session, "4711-1", -1);

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain(`Leftover instance ${expired} (run 3000, attempt 1) is destroyed: its time was up`);
  expect(main.log).toContain(`Leftover instance ${orphan} (run 3001, attempt 1) is destroyed: its run is over.`);
  const calls = session.sim.service.journal.entries.map(({ operation }) => operation);
  const before = calls.slice(0, calls.indexOf("createInstance"));
  expect(before.filter((call) => call === "listInstances")).toHaveLength(1);
  expect(before.filter((call) => call === "destroyInstance")).toHaveLength(2);

  await session.step.postSucceeds();
  const paths = session.sim.service.journal.of("destroyInstance").map(({ path }) => path);
  expect(paths.filter((path) => path.includes(String(sibling)))).toEqual([]);
  session.sim.service.update(sibling, "destroyed");
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

test("a sweep that comes to nothing never fails the rent: it is left after five seconds", async ({ start }) => {
  const session = await start({ factor: 5 });
  const stubborn = leftover(session, "3000-1", -1);
  const doubtful = leftover(session, "3001-1", 3600);
  session.sim.github.setFaults([{ operation: "getRunAttempt", kind: "status", status: 502 }]);
  session.sim.service.setFaults([{ operation: "destroyInstance", instance: stubborn, kind: "never-answer" }]);

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain("Which runs are over can't be seen.");
  expect(main.log).toContain(
    `Leftover instance ${stubborn} (run 3000, attempt 1) could not be destroyed: the time for it was over.`,
  );
  expect(session.run.job("test").conclusion).toBe("success");

  await session.step.postSucceeds();
  expect(session.destroyers().slice(0, 2)).toEqual([undefined, undefined]);
  for (const id of [stubborn, doubtful]) session.sim.service.update(id, "destroyed");
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});
