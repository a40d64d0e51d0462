import { expect, test } from "vitest";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { conclusions, Gate, matrixOf, namesOf, plainOffers, untilRunning } from "../support/gpu-matrix.ts";
import { shownError } from "../support/shown-error.ts";
import { gpuJob, RENT_JOB, startSession, until } from "../support/simulated-session.ts";

const CLEAN = "still billing: 0 instances";
const NEVER_RUNS = { statuses: [{ after: 1, actual_status: "loading" }] };

test.concurrent("a chain of two GPU jobs and jobs: 2: the second is rented for when it appears, and both are served", async () => {
  await using session = await startSession({
    with: { machines: "2", jobs: "2" },
    jobs: [RENT_JOB, gpuJob(), { ...gpuJob(), name: "after", needs: ["test"] }],
    scenario: { offers: plainOffers(4) },
  });

  await session.step.mainSucceeds();
  expect(conclusions(session, ["test", "after"])).toEqual(["success", "success"]);
  expect(session.instances()).toHaveLength(2);

  await session.endClean();
});

test.concurrent("one job is cancelled while its machine boots: that machine goes, and the other job has its own to the end", async () => {
  using gate = new Gate();
  const [one = "", two = ""] = namesOf(2);
  const [cheap, dear] = plainOffers(2);
  await using session = await startSession({
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
  await untilRunning(session, [one]);
  session.run.job(two).cancel();
  const isGone = () =>
    session
      .instances()
      .slice(1)
      .some((each) => destruction(each) !== undefined);
  await until(isGone, "the end of the machine that nobody needs");
  expect(stage.log()).toMatch(/machine \d+: unneeded: no job needs it\./);
  const [working] = session.instances();
  expect(working && destruction(working)).toBe(undefined);
  expect(session.run.job(one).status).toBe("in_progress");
  gate.open();

  const main = await stage.done;
  expect(conclusions(session, [one, two])).toEqual(["success", "cancelled"]);
  expect(main.exitCode, main.log).toBe(1);
  expect(shownError(main.log)).toMatchObject({
    name: "GpuJobFailedError",
    message: expect.stringContaining(`'${two}' (cancelled: https://`),
  });

  const post = await session.endClean();
  expect(session.sim.github.runners(), post.log).toEqual([]);
});

test.concurrent("the failed job of a matrix is run again with the job that rents: attempt 2 rents for that one alone", async () => {
  const [one = "", two = ""] = namesOf(2);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: GitHub's own form, as in the README.
  const label = "gpu-${{ github.run_id }}-${{ github.run_attempt }}";
  const fails = '[ "$GITHUB_RUN_ATTEMPT" = 2 ]';
  await using session = await startSession({
    with: { machines: "2", jobs: "2" },
    jobs: [RENT_JOB, { ...gpuJob(), name: one, labels: [label] }, { ...gpuJob([fails]), name: two, labels: [label] }],
    scenario: { offers: plainOffers(4) },
  });
  await session.step.mainFails();
  expect(conclusions(session, [one, two])).toEqual(["success", "failure"]);
  await session.step.postSucceeds();
  session.run.job("rent").complete("failure");
  const again = session.run.rerun("failed");
  again.job("rent").setStatus("in_progress");

  const step = session.another({ with: { machines: "2", jobs: "2" }, attempt: 2 });
  const main = await step.startMain().done;
  expect(main.exitCode, main.log).toBe(0);
  expect(again.job(two).conclusion).toBe("success");
  expect(session.instances()).toHaveLength(3);
  expect((await step.startPost().done).exitCode).toBe(0);
  expect(session.stillBilling()).toBe(CLEAN);
});

test.concurrent("hedge: a machine is late, another one is started; the first that is ready has the job, and the late one goes", async () => {
  const [cheap, dear] = plainOffers(2);
  await using session = await startSession({
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
  expect(conclusions(session, namesOf(1))).toEqual(["success"]);
  expect(session.run.job("test (1)").runnerName).not.toMatch(/-1$/);
  expect(session.instances().map(({ offer }) => offer.id)).toEqual([11, 12]);

  const post = await session.endClean();
  expect(post.log).toMatch(/It cost about .* of it for 1 spare that no job needed\./);
  expect(post.summary).toContain("| spare |");
  expect(session.sim.github.runners(), post.log).toEqual([]);
});

test.concurrent("two sessions with names work side by side: each serves its own jobs and ends by itself", async () => {
  using gate = new Gate();
  const named = (name: string, run?: string[]) => ({ ...gpuJob(run), name, labels: [`gpu-4711-1-${name}`] });
  await using session = await startSession({
    with: { name: "a", machines: "2" },
    jobs: [RENT_JOB, { ...RENT_JOB, name: "rent b", runnerName: "hosted-2" }, named("a", gate.wait), named("3.11")],
    scenario: { offers: plainOffers(4) },
  });
  const other = session.another({ with: { name: "3.11", machines: "2" }, env: { RUNNER_NAME: "hosted-2" } });
  const stage = session.step.startMain();
  const otherMain = await other.startMain().done;
  expect(otherMain.exitCode, otherMain.log).toBe(0);
  expect((await other.startPost().done).exitCode).toBe(0);
  await untilRunning(session, ["a"]);
  expect(session.run.cancelRequested).toBe(false);
  gate.open();

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(conclusions(session, ["a", "3.11"])).toEqual(["success", "success"]);
  expect(session.instances()).toHaveLength(2);
  await session.endClean();
});
