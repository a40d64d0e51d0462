import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shownError } from "../support/shown-error.ts";
import { BUILD_JOB, gpuJob, RENT_JOB, type SimulatedSession, startSession } from "../support/simulated-session.ts";

/** Nothing is offered at this price. */
const FAIL_JOBS = { "max-price": "0.05", "if-no-machine": "fail-jobs" };
/** Another user is made, and a program unpacked: that takes real seconds. */
const FACTOR = 3;

/** Another user can be made here only by root, or by who may become root. */
const canBecomeRoot = process.getuid?.() === 0 || canSudo();

function canSudo(): boolean {
  try {
    execFileSync("sudo", ["-n", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const asRoot = canBecomeRoot ? test.concurrent : test.skip;

const gpu = (name: string) => ({ ...gpuJob(), name });

function refuseCancels(session: SimulatedSession): void {
  const body = { message: "Resource not accessible by integration" };
  session.sim.github.setFaults([{ operation: "cancelRun", kind: "status", status: 403, body }]);
}

asRoot(
  "no machine can be had: exactly the jobs that wait for one turn red, with the reason in their log; another job goes on",
  async () => {
    await using session = await startSession({
      with: FAIL_JOBS,
      factor: FACTOR,
      jobs: [RENT_JOB, BUILD_JOB, gpu("one"), gpu("two")],
    });
    refuseCancels(session);
    const main = await session.step.mainFails();
    expect(shownError(main.log).name).toBe("NoOfferError");
    expect(session.run.job("one").status).toBe("queued");

    const post = await session.step.postSucceeds();
    for (const name of ["one", "two"]) {
      expect([session.run.job(name).status, session.run.job(name).conclusion], post.log).toEqual([
        "completed",
        "failure",
      ]);
      expect(session.run.job(name).log).toContain("The job 'rent' should have rented one");
      expect(session.run.job(name).log).toContain("max-price");
      expect(session.run.job(name).log).not.toContain("12 passed");
    }
    expect(post.log).toContain("Failed, because there is no machine for them: 'one', 'two'.");
    expect(session.run.job("build").status).toBe("in_progress");
    expect(session.sim.github.journal.of("cancelRun")).toEqual([]);
    expect(session.sim.github.runners()).toEqual([]);
    expect(session.stillBilling()).toBe("still billing: 0 instances");
  },
);

test.concurrent("the token that would register their runners is missing: the run is cancelled, as with auto", async () => {
  const given = { ...FAIL_JOBS, "github-token": "" };
  await using session = await startSession({ with: given, factor: FACTOR, jobs: [RENT_JOB, gpu("one")] });
  const main = await session.step.startMain().done;
  const { message, name } = shownError(main.log);
  expect(name).toBe("InputError");
  expect(message).toMatch(
    /^One input is wrong: github-token\. .* 'one' did not run\. It will be cancelled with the run .*\n- github-token: /,
  );
  const post = await session.endClean();
  expect(post.log).toContain("could not be failed as if-no-machine: fail-jobs wants it.");
  expect(post.log).not.toContain("bug");
  expect(session.sim.github.journal.of("cancelRun")).toHaveLength(1);
});

asRoot("they can't be failed, and nothing else runs: the run is cancelled, as with auto", async () => {
  await using session = await startSession({ with: FAIL_JOBS, factor: FACTOR, jobs: [RENT_JOB, gpu("one")] });
  session.sim.github.setFaults([{ operation: "generateJitConfig", kind: "status", status: 403 }]);
  await session.step.mainFails();
  const post = await session.endClean();
  expect(post.log).toContain("::warning::1 of 1 jobs could not be failed as if-no-machine: fail-jobs wants it.");
  expect(session.sim.github.journal.of("cancelRun")).toHaveLength(1);
});
