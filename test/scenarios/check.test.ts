import { expect, test } from "vitest";
import { shownError } from "../support/shown-error.ts";
import { RENT_JOB, type SimulatedSession, startSession } from "../support/simulated-session.ts";

const CHECK = { check: "true" };

function expectNothingRented(session: SimulatedSession): void {
  expect(session.sim.service.journal.of("createInstance")).toEqual([]);
  expect(session.sim.github.runners()).toEqual([]);
  expect(session.stillBilling()).toBe("still billing: 0 instances");
}

test.concurrent("all is well: says so thing by thing, shows the offers with pull time and cost, and rents nothing", async () => {
  await using session = await startSession({ with: CHECK, jobs: [RENT_JOB] });
  const main = await session.step.mainSucceeds();
  expect(main.log).toMatch(/^ok {2}api-key may list instances \(instance_read\): 0 instances in this account$/m);
  expect(main.log).toMatch(/^ok {2}credit: 25\.00 USD, and min-credit asks for 0\.00 USD$/m);
  expect(main.log).toMatch(
    /^ok {2}github-token \(a fine-grained personal token\) may register runners: one was registered and removed/m,
  );
  expect(main.log).toMatch(/^\? {3}api-key may create and destroy \(instance_write\): not asked/m);
  expect(main.log).toMatch(/^ok {2}api-key may search \(misc\), and an offer fits: 4 offers fit$/m);
  expect(main.log).toMatch(
    /^ {2}11 .* 0\.32 USD .* 0\.\d+ USD expected +0\.7\d USD, if used for all of its 145 minutes/m,
  );
  expect(main.log).toContain("All that can be asked without renting is well. Nothing was rented.");
  // Its configuration is a secret, though nobody uses it.
  expect(main.log).toMatch(/^::add-mask::eyI/m);
  expect(main.summary).toContain("check, nothing was rented");
  expect(main.summary).toContain("| ✅ |");
  expect(main.summary).toContain("| expected for a job of 8 min |");
  await session.step.postSucceeds();
  expect(session.sim.github.journal.of("generateJitConfig")).toHaveLength(1);
  expectNothingRented(session);
});

test.concurrent("whatever is wrong, all of it is told at once", async () => {
  await using session = await startSession({
    with: (sim) => ({
      ...CHECK,
      "github-token": sim.github.jobToken,
      "min-credit": "100",
      "max-price": "0.05",
      "boot-timeout": "10m",
    }),
    jobs: [RENT_JOB],
  });
  const main = await session.step.mainFails();
  const error = shownError(main.log);
  expect(error.name).toBe("CheckFailedError");
  expect(error.message.split("\n")).toEqual([
    "5 checks failed. Nothing was rented.",
    "- credit: The service's account has 25.00 USD of credit, less than min-credit (100.00 USD). Nothing was rented.",
    expect.stringMatching(
      /^- github-token \(a token of a GitHub App or of a workflow\) may register runners: github-token may not register/,
    ),
    expect.stringMatching(/^- GitHub offers a runner program with a SHA-256: github-token may not register/),
    expect.stringMatching(/^- the label gpu-4711-1 is free: github-token may not list the runners/),
    expect.stringMatching(/^- api-key may search \(misc\), and an offer fits: No RTX 4090 under 0\.0500 USD per hour/),
  ]);
  expect(error.hint).toContain("Raise max-price to 0.32 USD or more.");
  expect(error.hint).toContain("Add credit to the service's account, or lower min-credit.");
  await session.step.postSucceeds();
  expectNothingRented(session);
});

test.concurrent("with hold: false the job token need not see the jobs, and a check does not ask for it", async () => {
  await using session = await startSession({
    with: (sim) => ({ ...CHECK, "job-token": sim.github.runnerToken, hold: "false" }),
    jobs: [RENT_JOB],
  });
  const main = await session.step.mainSucceeds();
  expect(main.log).toMatch(
    /^\? {3}job-token \(.*\) may see the jobs of this run: not asked: hold: false goes without it$/m,
  );
  await session.step.postSucceeds();
  expectNothingRented(session);
});

test.concurrent("a check in the workflow itself leaves the GPU job and the run alone, and says what it was", async () => {
  await using session = await startSession({ with: { ...CHECK, "if-no-machine": "cancel" } });
  await session.step.mainSucceeds();
  const post = await session.step.postSucceeds();
  expect(post.summary).toBe("");
  expect(session.run.cancelRequested).toBe(false);
  expect(session.run.job("test").status).toBe("queued");
  expectNothingRented(session);
});

test.concurrent("a check that is stopped by a wrong input leaves them alone, too", async () => {
  await using session = await startSession({ with: { ...CHECK, "max-price": "much", "if-no-machine": "cancel" } });
  const main = await session.step.startMain().done;
  expect(shownError(main.log).name).toBe("InputError");
  await session.step.postSucceeds();
  expect(session.run.cancelRequested).toBe(false);
  expect(session.run.job("test").status).toBe("queued");
  expectNothingRented(session);
});

/** A key of the account with these permissions, and the check that uses it. */
function withKey(...scopes: ("misc" | "user_read" | "instance_read" | "instance_write")[]) {
  const key = "scoped-key-of-the-account";
  return { with: { ...CHECK, "api-key": key }, scenario: { keys: [{ key, scopes }] }, jobs: [RENT_JOB] };
}

test.concurrent("what the key may do is told where the service shows it", async () => {
  await using session = await startSession(withKey("misc", "user_read", "instance_read", "instance_write"));
  const main = await session.step.mainSucceeds();
  expect(main.log).toMatch(
    /^ok {2}api-key may create and destroy \(instance_write\): its permissions are misc, user_read, instance_read, instance_write$/m,
  );
  await session.step.postSucceeds();
  expectNothingRented(session);
});

test.concurrent("a key that could not rent is found without renting", async () => {
  await using session = await startSession(withKey("misc", "user_read", "instance_read"));
  const main = await session.step.mainFails();
  expect(shownError(main.log).message).toBe(
    "One check failed. Nothing was rented.\n- api-key may create and destroy (instance_write): " +
      "its permissions are misc, user_read, instance_read; instance_write is missing",
  );
  await session.step.postSucceeds();
  expectNothingRented(session);
});
