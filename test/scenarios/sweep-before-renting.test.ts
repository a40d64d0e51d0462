import { expect, test } from "vitest";
import { destruction, type InstanceRecord } from "../../simulator/service/rentals/instance-record.ts";
import { DONE_JOB } from "../support/sweep-of-account.ts";
import { RENT_JOB, startUse, type UseOfAction } from "../support/use-of-action.ts";

/** The sweep has five simulated seconds: two and a half, even on a busy machine. No job waits. */
const SLOW = { factor: 2, jobs: [RENT_JOB], with: { hold: "false" } };
const CLEAN = "still billing: 0 instances";

/** A machine of this repository, of another run, whose label expires in so many seconds. */
function leftover(use: UseOfAction, run: string, expiresIn: number): InstanceRecord {
  const expiry = Math.floor(use.sim.clock.now() / 1000) + expiresIn;
  return use.sim.service.leaveBehind(`ghr1.${use.run.repositoryId}.${run}.abc${run.slice(0, 3)}.1.${expiry}`);
}

function addRun(use: UseOfAction, runId: number, job: typeof DONE_JOB): void {
  use.sim.github.addRun({ repository: "octo/gpu-lib", runId, attempt: 1, jobs: [job], secondsAgo: 600 });
}

test.concurrent.for([
  ["has expired", "3000-1", -1, "its time was up"],
  ["belongs to a run that is over", "3001-1", 3600, "its run is over."],
] as const)(
  "a rent first destroys a leftover that %s, in one list request, and tells it",
  async ([, run, expiresIn, why]) => {
    await using use = await startUse(SLOW);
    addRun(use, 3001, DONE_JOB);
    const { id } = leftover(use, run, expiresIn);

    const main = await use.step.mainSucceeds();
    expect(main.log).toContain(`Leftover instance ${id} (run ${run.slice(0, 4)}, attempt 1) is destroyed: ${why}`);
    const calls = use.sim.service.journal.entries.map(({ operation }) => operation);
    expect(calls.slice(0, calls.indexOf("createInstance")).filter((call) => call === "listInstances")).toHaveLength(1);
    expect(calls.indexOf("destroyInstance")).toBeLessThan(calls.indexOf("createInstance"));

    await use.endClean();
  },
);

test.concurrent("a sweep that comes to nothing never fails the rent: it is left after five seconds", async () => {
  await using use = await startUse({ factor: 5 });
  const stubborn = leftover(use, "3000-1", -1);
  const doubtful = leftover(use, "3001-1", 3600);
  use.sim.github.setFaults([{ operation: "getRunAttempt", kind: "status", status: 502 }]);
  use.sim.service.setFaults([{ operation: "destroyInstance", instance: stubborn.id, kind: "never-answer" }]);

  const main = await use.step.mainSucceeds();
  expect(main.log).toContain("Which runs are over can't be seen.");
  expect(main.log).toContain(
    `Leftover instance ${stubborn.id} (run 3000, attempt 1) could not be destroyed: the time for it was over.`,
  );
  expect(use.run.job("test").conclusion).toBe("success");
  await use.step.postSucceeds();

  expect([stubborn, doubtful].filter((each) => destruction(each))).toEqual([]);
  use.sim.service.update(stubborn.id, "destroyed");
  use.sim.service.update(doubtful.id, "destroyed");
  expect(use.stillBilling()).toBe(CLEAN);
});

test.concurrent("a machine of this very attempt is another use's: not touched, not even when it has expired", async () => {
  await using use = await startUse({ factor: 5 });
  const { id } = leftover(use, "4711-1", -1);

  await use.step.mainSucceeds();
  await use.step.postSucceeds();
  expect(use.sim.service.journal.of("destroyInstance").filter(({ path }) => path.includes(String(id)))).toEqual([]);

  use.sim.service.update(id, "destroyed");
  expect(use.stillBilling()).toBe(CLEAN);
});

test.concurrent("leftovers that the sweep destroys make room under machines-per-repository", async () => {
  await using use = await startUse({ ...SLOW, with: { ...SLOW.with, "machines-per-repository": "1" } });
  leftover(use, "3000-1", -1);

  await use.step.mainSucceeds();
  await use.endClean();
});
