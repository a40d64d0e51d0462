import { expect } from "vitest";
import { test } from "../support/scenario.ts";
import { UNHURRIED } from "../support/simulated-session.ts";

const FATE = "'test' did not run, and will be cancelled with the run once no other job is open.";

test("a wrong API key is found out before anything else is asked, and the GPU job is not left waiting", async ({
  start,
}) => {
  // The error says what becomes of the job if GitHub shows it within 5 s.
  const session = await start({ ...UNHURRIED, with: { "api-key": "0123456789abcdef-typo" } });

  const { log, ...error } = await session.errorOfMain();
  expect(error).toMatchObject({
    name: "AuthenticationError",
    message: expect.stringContaining('Vast.ai refused "list instances" (401)'),
    hint: expect.stringContaining("Check the secret behind api-key"),
  });
  expect(error.message).toContain(FATE);
  expect(log.split("\n").filter((line) => line.includes("-typo"))).toEqual(["::add-mask::0123456789abcdef-typo"]);

  await session.endWithoutRenting();
  session.run.job("rent").complete("failure");
  expect(session.run.job("test").conclusion).toBe("cancelled");
});

test("a GitHub token without the permission: the error names it and where to grant it, and nothing is rented", async ({
  start,
}) => {
  // The mistake that everybody makes once: the workflow's own token.
  const session = await start({ ...UNHURRIED, with: (sim) => ({ "github-token": sim.github.jobToken }) });

  const error = await session.errorOfMain();
  expect(error.name).toBe("GithubTokenError");
  expect(error.message).toMatch(
    /^github-token may not .* octo\/gpu-lib \(GitHub answered 403: Resource not accessible by integration\)\. 'test' did not run, and will be cancelled .*\. Nothing was rented\.$/,
  );
  expect(error.hint).toContain('Grant the repository permission "Administration: write" on octo/gpu-lib');
  expect(error.hint).toContain("GITHUB_TOKEN can never do it");

  await session.endWithoutRenting();
});

test("a job token that may not see the jobs fails before anything is rented, and names the permission", async ({
  start,
}) => {
  const session = await start({ with: (sim) => ({ "job-token": sim.github.runnerToken }) });

  expect(await session.errorOfMain()).toMatchObject({
    name: "GithubTokenError",
    message: expect.stringContaining("job-token may not read the jobs of this run"),
    hint: expect.stringMatching(/^Paste .*permissions: \{ actions: write \}.* The GPU job waits .* hold: false/),
  });

  await session.endWithoutRenting();
});

test("runner-scope: org registers the runner in the organisation's group, and removes it there", async ({ start }) => {
  const token = "ghs_of_the_organisation";
  const permissions = { organization_self_hosted_runners: "write" as const };
  const session = await start({
    githubTokens: { [token]: { name: "org", kind: "integration", permissions } },
    with: { "github-token": token, "runner-scope": "org", "runner-group-id": "3" },
  });

  await session.step.mainSucceeds();
  expect(session.run.job("test").conclusion).toBe("success");

  await session.endClean();
  const { journal } = session.sim.github;
  expect(journal.of("generateOrgJitConfig")).toHaveLength(1);
  expect(journal.of("generateJitConfig")).toEqual([]);
});

test("works on a GitHub Enterprise Server, whose repositories may have the ids of github.com's", async ({ start }) => {
  const session = await start({
    env: (sim) => ({ GITHUB_API_URL: `${sim.github.url}/api/v3`, GITHUB_SERVER_URL: "https://ghe.example.com" }),
  });

  await session.step.mainSucceeds();
  expect(session.run.job("test").conclusion).toBe("success");
  expect(session.instances()[0]?.label).toMatch(
    new RegExp(`^ghr1\\.[a-z]{4}${session.run.repositoryId}\\.4711-1\\.[a-z0-9]{6}\\.1\\.\\d+$`),
  );
});
