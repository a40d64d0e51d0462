import { describe, expect, test } from "vitest";
import { shownError, shownWarnings } from "../support/shown-error.ts";
import { BUILD_JOB, gpuJob, RENT_JOB, startUse, UNHURRIED, type UseOfAction, until } from "../support/use-of-action.ts";

/** Nothing is offered at this price. */
const HOPELESS = { "max-price": "0.05" };

/** The rent job ends as the platform ends it when its step failed. */
async function post(use: UseOfAction) {
  const ended = await use.step.startPost().done;
  use.run.job("rent").complete("failure");
  return ended;
}

const cancels = (use: UseOfAction) => use.sim.github.journal.of("cancelRun").length;

test.concurrent("no machine can be had, nothing else runs: post cancels the run as its last act, and the GPU job waits for nothing", async () => {
  await using use = await startUse({ with: HOPELESS });
  const main = await use.step.mainFails();
  expect(shownError(main.log).name).toBe("NoOfferError");
  expect(main.log).toMatch(/^No machine can be had for 'test' \(http.*\)\. Nothing is rented\./m);
  expect(use.run.cancelRequested).toBe(false);
  // The failing main asks on with the client that it had: a list that has not changed is not counted.
  const looks = use.sim.github.journal.of("listJobs");
  expect(looks.length).toBeGreaterThan(2);
  expect(looks.filter(({ status }) => status !== 304)).toHaveLength(1);

  const ended = await post(use);
  expect(ended.exitCode, ended.log).toBe(0);
  expect(ended.log.trimEnd().split("\n").at(-1)).toBe("The run is cancelled: its GPU job could have no machine.");
  expect(use.run.job("test")).toMatchObject({ status: "completed", conclusion: "cancelled" });
  expect(use.run.conclusion).toBe("cancelled");
  expect(cancels(use)).toBe(1);
  expect(use.sim.github.journal.of("forceCancelRun")).toEqual([]);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("another job of the run is worth waiting for: main tells at once, and waits until it is over", async () => {
  await using use = await startUse({ with: HOPELESS, jobs: [RENT_JOB, BUILD_JOB, gpuJob()] });
  const main = use.step.startMain();
  await until(
    () => main.log().includes("The run will be cancelled when its other open job is over; after 30m"),
    "the warning",
  );
  expect(shownError(main.log()).name).toBe("NoOfferError");

  use.run.job("build").complete("success");
  expect((await main.done).exitCode).toBe(1);
  await post(use);
  expect(use.run.job("build").conclusion).toBe("success");
  expect(use.run.job("test").conclusion).toBe("cancelled");
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("if-no-machine: cancel does not wait for the other jobs", async () => {
  await using use = await startUse({
    with: { ...HOPELESS, "if-no-machine": "cancel" },
    jobs: [RENT_JOB, BUILD_JOB, gpuJob()],
  });
  await use.step.mainFails();
  await post(use);
  expect(use.run.cancelRequested).toBe(true);
  expect(use.run.job("test").conclusion).toBe("cancelled");
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent.each([
  ["no offer fits", HOPELESS],
  ["the key is wrong", { "api-key": "no-such-key-0123456789" }],
])("if-no-machine: leave leaves the run alone, and one annotation says so: %s", async (_why, inputs) => {
  await using use = await startUse({ with: { ...inputs, "if-no-machine": "leave" } });
  const main = await use.step.startMain().done;
  expect(shownError(main.log).message).toContain("'test' did not run. It will wait for up to a day: cancel the run.");
  const ended = await post(use);
  expect(shownWarnings(ended.log)).toEqual([]);
  expect(use.run.job("test").status).toBe("queued");
  expect(cancels(use)).toBe(0);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});

describe("however main fails", () => {
  test.concurrent.each([
    ["a slip in an input", { "max-price": "free" }, "InputError"],
    ["a wrong key", { "api-key": "no-such-key-0123456789" }, "AuthenticationError"],
    ["a wrong GitHub token", { "github-token": "no-such-token-0123456789" }, "GithubTokenError"],
  ])("%s: the GPU job is not left waiting, and the error says so", async (_how, wrong, name) => {
    // The error says so if GitHub shows the job within 5 s.
    await using use = await startUse({ ...UNHURRIED, with: wrong });
    const main = await use.step.startMain().done;
    const fate = "'test' did not run. It will be cancelled with the run once no other job is open.";
    expect(shownError(main.log)).toMatchObject({ name, message: expect.stringContaining(fate) });
    await post(use);
    expect(use.run.job("test").conclusion).toBe("cancelled");
    expect(use.stillBilling()).toBe("still billing: 0 instances");
  });
});

test.concurrent("without the permission to cancel: names it and the job that waits", async () => {
  await using use = await startUse({ with: HOPELESS });
  const body = { message: "Resource not accessible by integration" };
  use.sim.github.setFaults([{ operation: "cancelRun", kind: "status", status: 403, body }]);
  await use.step.mainFails();
  const ended = await post(use);
  expect(ended.exitCode).toBe(1);
  const error = shownError(ended.log);
  expect(error.name).toBe("RunNotCancelledError");
  expect(error.message).toMatch(/job-token may not cancel a run \(GitHub answered 403/);
  expect(error.message).toMatch(/Nothing is rented\. The job that waits, for up to a day: http/);
  expect(error.hint).toContain("permissions: { actions: write }");
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("a GPU job that is over or runs is nothing to cancel a run for", async () => {
  await using use = await startUse({ jobs: [RENT_JOB, BUILD_JOB, gpuJob(["exit 3"])] });
  await use.step.mainFails();
  await post(use);
  expect(use.run.job("test").conclusion).toBe("failure");
  expect(use.run.cancelRequested).toBe(false);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});
