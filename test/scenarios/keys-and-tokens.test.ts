import { expect, test } from "vitest";
import { shownError, shownWarnings } from "../support/shown-error.ts";
import { type SimulatedSession, startSession } from "../support/simulated-session.ts";

async function expectNothingRented(session: SimulatedSession): Promise<void> {
  expect(session.sim.service.journal.of("createInstance")).toEqual([]);
  expect(session.sim.github.runners()).toEqual([]);
  await session.endClean();
}

test.concurrent.for(["observed", "seed"] as const)(
  "a wrong API key is found out before anything else is asked (%s)",
  async (dialect) => {
    await using session = await startSession({ dialect, with: { "api-key": "0123456789abcdef-typo" } });

    const main = await session.step.mainFails();
    expect(shownError(main.log)).toMatchObject({
      name: "AuthenticationError",
      message: expect.stringContaining('Vast.ai refused "list instances" (401)'),
      hint: expect.stringContaining("Check the secret behind api-key"),
    });
    expect(main.log.split("\n").filter((line) => line.includes("-typo"))).toEqual([
      "::add-mask::0123456789abcdef-typo",
    ]);
    await expectNothingRented(session);
  },
);

test.concurrent("an API key that may not read the account only skips the check of the credit", async () => {
  const keys = [{ key: "scoped-key-0123456789", scopes: ["instance_read", "instance_write", "misc"] as const }];
  await using session = await startSession({
    with: { "api-key": "scoped-key-0123456789" },
    scenario: { keys: keys.map(({ key, scopes }) => ({ key, scopes: [...scopes] })) },
  });

  const main = await session.step.mainSucceeds();
  expect(shownWarnings(main.log)).toEqual([expect.stringContaining("user_read")]);
  expect(session.run.job("test").conclusion).toBe("success");

  await session.endClean();
});

test.concurrent("an API key that may not rent: the error names the permission", async () => {
  await using session = await startSession({
    with: { "api-key": "scoped-key-0123456789" },
    scenario: { keys: [{ key: "scoped-key-0123456789", scopes: ["instance_read", "user_read", "misc"] }] },
  });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "PermissionError",
    message: expect.stringContaining('Vast.ai refused "create instance" (403)'),
    hint: expect.stringContaining("instance_write"),
  });
  expect(session.instances()).toEqual([]);
  await session.endClean();
  expect(session.sim.github.runners()).toEqual([]);
});

test.concurrent("a GitHub token without the permission: the error names it and where to grant it, and nothing is rented", async () => {
  // The mistake that everybody makes once: the workflow's own token.
  await using session = await startSession({ with: (sim) => ({ "github-token": sim.github.jobToken }) });

  const main = await session.step.mainFails();
  const error = shownError(main.log);
  expect(error.name).toBe("GithubTokenError");
  expect(error.message).toMatch(
    /^github-token may not .* octo\/gpu-lib \(GitHub answered 403: Resource not accessible by integration\)\. 'test' did not run, and will be cancelled .*\. Nothing was rented\.$/,
  );
  expect(error.hint).toContain('Grant the repository permission "Administration: write" on octo/gpu-lib');
  expect(error.hint).toContain("GITHUB_TOKEN can never do it");
  await expectNothingRented(session);
});

test.concurrent("a job token that may not see the jobs fails before anything is rented, and names the permission", async () => {
  await using session = await startSession({ with: (sim) => ({ "job-token": sim.github.runnerToken }) });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "GithubTokenError",
    message: expect.stringContaining("job-token may not read the jobs of this run"),
    hint: expect.stringMatching(/^Paste .*permissions: \{ actions: write \}.* The GPU job waits .* hold: false/),
  });
  await expectNothingRented(session);
});

test.concurrent("another registered runner with the same label would race for the job: nothing is rented", async () => {
  await using session = await startSession();
  const rival = await fetch(`${session.sim.github.url}/repos/octo/gpu-lib/actions/runners/generate-jitconfig`, {
    method: "POST",
    headers: { authorization: `Bearer ${session.sim.github.runnerToken}`, "user-agent": "test" },
    body: JSON.stringify({ name: "rival", runner_group_id: 1, labels: ["gpu-4711-1"] }),
  });
  expect(rival.status).toBe(201);

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "LabelInUseError",
    message: expect.stringMatching(/\(rival\)\. Nothing was rented\.$/),
  });
  expect(session.sim.service.journal.of("createInstance")).toEqual([]);

  await session.endClean();
  // It is not ours to remove.
  expect(session.sim.github.runners().map(({ name }) => name)).toEqual(["rival"]);
});

test.concurrent("a lost answer to the registration of a runner leaves no stale runner behind", async () => {
  await using session = await startSession();
  session.sim.github.setFaults([{ operation: "generateJitConfig", nth: 1, kind: "lose-answer" }]);

  await session.step.mainSucceeds();
  expect(session.run.job("test").conclusion).toBe("success");

  await session.endClean();
  expect(session.sim.github.runners()).toEqual([]);
});
