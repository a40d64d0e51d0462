import { describe, expect, test } from "vitest";
import { shownError, shownWarnings } from "../support/shown-error.ts";
import {
  BUILD_JOB,
  gpuJob,
  RENT_JOB,
  type SimulatedSession,
  startSession,
  UNHURRIED,
  until,
} from "../support/simulated-session.ts";

/** Nothing is offered at this price. */
const HOPELESS = { "max-price": "0.05" };

/** The rent job ends as the platform ends it when its step failed. */
async function post(session: SimulatedSession) {
  const ended = await session.step.startPost().done;
  session.run.job("rent").complete("failure");
  return ended;
}

const cancels = (session: SimulatedSession) => session.sim.github.journal.of("cancelRun").length;

test.concurrent("no machine can be had, nothing else runs: post cancels the run as its last act, and the GPU job waits for nothing", async () => {
  await using session = await startSession({ with: HOPELESS });
  const main = await session.step.mainFails();
  expect(shownError(main.log).name).toBe("NoOfferError");
  expect(main.log).toMatch(/^No machine can be had for 'test' \(http.*\)\. Nothing is rented\./m);
  expect(session.run.cancelRequested).toBe(false);
  // The failing main asks on with the client that it had: a list that has not changed is not counted.
  const looks = session.sim.github.journal.of("listJobs");
  expect(looks.length).toBeGreaterThan(2);
  expect(looks.filter(({ status }) => status !== 304)).toHaveLength(1);

  const ended = await post(session);
  expect(ended.exitCode, ended.log).toBe(0);
  expect(ended.log.trimEnd().split("\n").at(-1)).toBe("GitHub cancels the run: its GPU job can have no machine.");
  expect(session.run.job("test")).toMatchObject({ status: "completed", conclusion: "cancelled" });
  expect(session.run.conclusion).toBe("cancelled");
  expect(cancels(session)).toBe(1);
  // A cancel that comes while post still runs would make the rent job's own result *cancelled*.
  expect(session.sim.github.journal.entries.at(-1)?.operation).toBe("cancelRun");
  expect(session.sim.github.journal.of("forceCancelRun")).toEqual([]);
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("another job of the run is worth waiting for: main tells at once, and waits until it is over", async () => {
  await using session = await startSession({ with: HOPELESS, jobs: [RENT_JOB, BUILD_JOB, gpuJob()] });
  const main = session.step.startMain();
  await until(
    () => main.log().includes("The run will be cancelled when its other open job is over; after 30m"),
    "the warning",
  );
  expect(shownError(main.log()).name).toBe("NoOfferError");

  session.run.job("build").complete("success");
  expect((await main.done).exitCode).toBe(1);
  await post(session);
  expect(session.run.job("build").conclusion).toBe("success");
  expect(session.run.job("test").conclusion).toBe("cancelled");
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("if-no-machine: cancel does not wait for the other jobs", async () => {
  await using session = await startSession({
    with: { ...HOPELESS, "if-no-machine": "cancel" },
    jobs: [RENT_JOB, BUILD_JOB, gpuJob()],
  });
  await session.step.mainFails();
  await post(session);
  expect(session.run.cancelRequested).toBe(true);
  expect(session.run.job("test").conclusion).toBe("cancelled");
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent.each([
  ["no offer fits", HOPELESS],
  ["the key is wrong", { "api-key": "no-such-key-0123456789" }],
])("if-no-machine: leave leaves the run alone, and one annotation says so: %s", async (_why, inputs) => {
  await using session = await startSession({ with: { ...inputs, "if-no-machine": "leave" } });
  const main = await session.step.startMain().done;
  expect(shownError(main.log).message).toContain("'test' did not run, and will wait for up to a day: cancel the run.");
  const ended = await post(session);
  expect(shownWarnings(ended.log)).toEqual([]);
  expect(session.run.job("test").status).toBe("queued");
  expect(cancels(session)).toBe(0);
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

describe("however main fails", () => {
  test.concurrent.each([
    ["a slip in an input", { "max-price": "free" }, "InputError"],
    ["a wrong key", { "api-key": "no-such-key-0123456789" }, "AuthenticationError"],
    ["no GitHub token", { "github-token": "" }, "NoSecretsError"],
    ["a wrong GitHub token", { "github-token": "no-such-token-0123456789" }, "GithubTokenError"],
  ])("%s: the GPU job is not left waiting, and the error says so", async (_how, wrong, name) => {
    // The error says so if GitHub shows the job within 5 s.
    await using session = await startSession({ ...UNHURRIED, with: wrong });
    const main = await session.step.startMain().done;
    const fate = "'test' did not run, and will be cancelled with the run once no other job is open.";
    expect(shownError(main.log)).toMatchObject({ name, message: expect.stringContaining(fate) });
    await post(session);
    expect(session.run.job("test").conclusion).toBe("cancelled");
    expect(session.stillBilling()).toBe("still billing: 0 instances");
  });
});

test.concurrent("without the permission to cancel: names it and the job that waits", async () => {
  await using session = await startSession({ with: HOPELESS });
  const body = { message: "Resource not accessible by integration" };
  session.sim.github.setFaults([{ operation: "cancelRun", kind: "status", status: 403, body }]);
  await session.step.mainFails();
  const ended = await post(session);
  expect(ended.exitCode).toBe(1);
  const error = shownError(ended.log);
  expect(error.name).toBe("RunNotCancelledError");
  expect(error.message).toMatch(/job-token may not cancel a run \(GitHub answered 403/);
  expect(error.message).toMatch(/Nothing is rented\. The job that waits, for up to a day: http/);
  expect(error.hint).toContain("permissions: { actions: write }");
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("a GPU job that is over or runs is nothing to cancel a run for", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, BUILD_JOB, gpuJob(["exit 3"])] });
  await session.step.mainFails();
  await post(session);
  expect(session.run.job("test").conclusion).toBe("failure");
  expect(session.run.cancelRequested).toBe(false);
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});
