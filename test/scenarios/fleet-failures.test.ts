import { expect, test } from "vitest";
import { conclusions, Gate, matrixOf, mostAlive, namesOf, plainOffers, untilBusy } from "../support/gpu-matrix.ts";
import { runnerConfigurations } from "../support/runner-configurations.ts";
import { shownError } from "../support/shown-error.ts";
import { gpuJob, RENT_JOB, type SimulatedSession, startSession, until } from "../support/simulated-session.ts";

const [ONE = "", TWO = ""] = namesOf(2);
const EXITS = {
  statuses: [
    { after: 1, actual_status: "loading" },
    { after: 3, actual_status: "exited" },
  ],
};

/** The instance on which a job runs. */
function instanceOf(session: SimulatedSession, name: string): number {
  const n = session.run.job(name).runnerName?.split("-").at(-1);
  return session.instances().find(({ label }) => label?.split(".").at(-2) === n)?.id ?? 0;
}

test.concurrent("one machine fails beside another that works: a third takes its place, and both jobs are done", async () => {
  const [first, ...others] = plainOffers(3);
  await using session = await startSession({
    with: { machines: "2" },
    jobs: matrixOf(2),
    scenario: { offers: [{ id: 11, ...first, simulate: EXITS }, ...others] },
  });

  const main = await session.step.mainSucceeds();
  expect(main.log).toMatch(/machine 1: failed: /);
  expect(conclusions(session, [ONE, TWO])).toEqual(["success", "success"]);
  expect(session.instances().map(({ offer }) => offer.id)).toEqual([11, 12, 13]);

  const post = await session.endClean();
  expect(session.sim.github.runners(), post.log).toEqual([]);
});

test.concurrent("one machine is lost under its job: the other job ends in peace, and only the lost one is told", async () => {
  using gate = new Gate();
  await using session = await startSession({
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
  expect(error).toMatchObject({ name: "MachineLostError", message: expect.stringContaining(`under '${ONE}'`) });
  expect(error?.message).not.toContain(TWO);
  expect(session.instances()).toHaveLength(2);

  await session.endClean();
});

test.concurrent("one machine is at its deadline under its job beside another that works: the input is named", async () => {
  const endless = gpuJob(["trap '' INT TERM", "while true; do sleep 5; done"]);
  await using session = await startSession({
    with: { machines: "2", "max-lifetime": "1m", "boot-timeout": "45s", "online-timeout": "90s" },
    jobs: [RENT_JOB, { ...endless, name: ONE }, { ...gpuJob(), name: TWO }],
    scenario: { offers: plainOffers(4) },
  });

  const main = await session.step.startMain().done;
  expect(session.run.job(TWO).conclusion).toBe("success");
  expect(main.exitCode, main.log).toBe(1);
  expect(shownError(main.log)).toMatchObject({
    name: "HoldError",
    message: expect.stringContaining(`max-lifetime is over, and the machine was given back while '${ONE}' ran on it`),
  });

  await session.endClean();
});

test.concurrent("two jobs on one machine: a clean work folder, and the third registration, unused, is gone at the end", async () => {
  await using session = await startSession({
    with: { machines: "1", "jobs-per-machine": "3" },
    // Jobs that last: one of no second has no bar in the summary.
    jobs: matrixOf(2, ['[ -z "$(ls -A)" ]', "echo of another job >left-behind", "sleep 20"]),
    scenario: { offers: plainOffers(3) },
  });

  await session.step.mainSucceeds();
  expect(conclusions(session, [ONE, TWO])).toEqual(["success", "success"]);
  expect(session.instances()).toHaveLength(1);
  const runners = [ONE, TWO].map((name) => session.run.job(name).runnerName);
  expect(new Set(runners).size).toBe(2);
  expect(runnerConfigurations(session.instances()[0]?.order.env ?? {})).toHaveLength(3);

  const post = await session.endClean();
  expect(post.summary).toMatch(/^### 2 GPU jobs ran on one machine: about /);
  expect(post.summary).toMatch(/section machine 1\n(?: {2}\w+ :.*\n)* {2}job 1 :/);
  expect(session.sim.github.runners(), post.log).toEqual([]);
});

test.concurrent("machines-per-repository is full: nothing is rented until another run gives one back", async () => {
  await using session = await startSession({
    with: { machines: "2", "machines-per-repository": "1" },
    jobs: matrixOf(2),
    scenario: { offers: plainOffers(5) },
  });
  const { github, service, clock } = session.sim;
  github.addRun({
    repository: "octo/gpu-lib",
    runId: 3001,
    jobs: [{ ...RENT_JOB, name: "theirs" }],
    secondsAgo: 600,
  });
  const expiry = Math.floor(clock.now() / 1000) + 7200;
  const theirs = service.leaveBehind(`ghr1.${session.run.repositoryId}.3001-1.abcdef.1.${expiry}`);
  const stage = session.step.startMain();
  await until(() => stage.log().includes("1 of 1 machines of this repository are alive"), "the wait");
  expect(service.journal.of("createInstance")).toEqual([]);
  service.update(theirs.id, "destroyed");

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(conclusions(session, [ONE, TWO])).toEqual(["success", "success"]);
  expect(mostAlive(session)).toBe(1);

  await session.endClean();
});
