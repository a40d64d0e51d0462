import { expect } from "vitest";
import { readLostJobs } from "../../src/github/annotations.ts";
import {
  conclusions,
  Gate,
  matrixOf,
  mostAlive,
  namesOf,
  plainOffers,
  untilBusy,
  untilRunning,
} from "../support/gpu-matrix.ts";
import { test } from "../support/scenario.ts";
import { shownError } from "../support/shown-error.ts";
import { RENT_JOB, type SimulatedSession, until } from "../support/simulated-session.ts";

const [ONE = "", TWO = ""] = namesOf(2);
const NEVER_RUNS = { statuses: [{ after: 1, actual_status: "loading" }] };

/** The instance on which a job runs. */
function instanceOf(session: SimulatedSession, name: string): number {
  const n = session.run.job(name).runnerName?.split("-").at(-1);
  return session.instances().find(({ label }) => label?.split(".").at(-2) === n)?.id ?? 0;
}

test("one job is cancelled while its machine boots: that machine goes, and the other job has its own to the end", async ({
  start,
}) => {
  using gate = new Gate();
  const [cheap, dear] = plainOffers(2);
  const session = await start({
    with: { machines: "2" },
    jobs: matrixOf(2, gate.wait),
    scenario: {
      offers: [
        { id: 11, ...cheap },
        { id: 12, ...dear, simulate: NEVER_RUNS },
      ],
    },
  });
  const stage = session.step.startMain();
  await until(() => session.instances().length === 2, "both machines");
  await untilRunning(session, [ONE]);
  session.run.job(TWO).cancel();
  await until(() => session.destroyers()[1] !== undefined, "the end of the machine that nobody needs");
  expect(stage.log()).toMatch(/machine \d+: unneeded: no job needs it\./);
  expect(session.destroyers()[0]).toBe(undefined);
  expect(session.run.job(ONE).status).toBe("in_progress");
  gate.open();

  const main = await stage.done;
  expect(conclusions(session, [ONE, TWO])).toEqual(["success", "cancelled"]);
  expect(main.exitCode, main.log).toBe(1);
  expect(shownError(main.log)).toMatchObject({
    name: "GpuJobFailedError",
    message: expect.stringContaining(`'${TWO}' (cancelled: https://`),
  });
});

test("one machine is lost under its job: the other job ends in peace, and only the lost one is told", async ({
  start,
}) => {
  using gate = new Gate();
  const session = await start({
    with: { machines: "2" },
    jobs: matrixOf(2, gate.wait),
    scenario: { offers: plainOffers(4) },
  });
  const stage = session.step.startMain();
  await untilBusy(stage, [ONE, TWO]);
  session.sim.service.update(instanceOf(session, ONE), "destroyed");
  await until(() => / lost: the machine was lost/.test(stage.log()), "the loss");
  gate.open();

  const main = await stage.done;
  expect(session.run.job(TWO).conclusion).toBe("success");
  expect(main.exitCode, main.log).toBe(1);
  const error = shownError(main.log);
  expect(error).toMatchObject({
    name: "MachineLostError",
    message: expect.stringMatching(
      /^Instance \d+ vanished under 'test \(1\)' \(https:\/\/github\.com\/.*: not your tests/,
    ),
    hint: expect.stringMatching(/^Use "Re-run failed jobs"/),
  });
  expect(error.message).not.toContain(TWO);
  // By this annotation the sweep finds the lost job.
  const told = main.log.split("\n").filter((line) => line.startsWith("::error "));
  expect(told.map(readLostJobs)).toEqual([[session.run.job(ONE).id]]);
  expect(session.instances()).toHaveLength(2);
});

test("hedge: a machine is late, another one is started; the first that is ready has the job, and the late one goes", async ({
  start,
}) => {
  const [cheap, dear] = plainOffers(2);
  const session = await start({
    with: { machines: "2", hedge: "true" },
    jobs: matrixOf(1),
    scenario: {
      offers: [
        { id: 11, ...cheap, simulate: NEVER_RUNS },
        { id: 12, ...dear },
      ],
    },
  });

  const main = await session.step.mainSucceeds();
  expect(main.log).toMatch(/machine 1: late \(\d\S+ ?\S*, expected \d\S+ ?\S*\): starting another one\./);
  expect(conclusions(session, [ONE])).toEqual(["success"]);
  expect(session.run.job(ONE).runnerName).not.toMatch(/-1$/);
  expect(session.rentedOffers()).toEqual([11, 12]);

  const post = await session.endClean();
  expect(post.log).toMatch(/It cost about .* of it for 1 spare that no job needed\./);
  expect(post.summary).toContain("| spare |");
});

test("machines-per-repository is full: nothing is rented until another run gives one back", async ({ start }) => {
  const session = await start({
    with: { machines: "2", "machines-per-repository": "1" },
    jobs: matrixOf(2),
    scenario: { offers: plainOffers(5) },
  });
  const { github, service, clock } = session.sim;
  const jobs = [{ ...RENT_JOB, name: "theirs" }];
  github.addRun({ repository: "octo/gpu-lib", runId: 3001, jobs, secondsAgo: 600 });
  const expiry = Math.floor(clock.now() / 1000) + 7200;
  const theirs = service.leaveBehind(`ghr1.${session.run.repositoryId}.3001-1.abcdef.1.${expiry}`);
  const stage = await session.mainUntil("1 of 1 machines of this repository are alive");
  expect(service.journal.of("createInstance")).toEqual([]);
  service.update(theirs.id, "destroyed");

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(conclusions(session, [ONE, TWO])).toEqual(["success", "success"]);
  expect(mostAlive(session)).toBe(1);
});
