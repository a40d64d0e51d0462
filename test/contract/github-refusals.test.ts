import { describe, expect } from "vitest";
import type { Fault } from "../../simulator/github/faults.ts";
import type { OperationName } from "../../simulator/github/operation-name.ts";
import { listAnnotations } from "../../src/github/annotations.ts";
import { repositoryId } from "../../src/github/github.ts";
import type { GithubClient } from "../../src/github/github-client.ts";
import { GithubRefusedError, GithubTokenError, GithubUnavailableError } from "../../src/github/github-errors.ts";
import { RunJobs } from "../../src/github/jobs.ts";
import { Runners } from "../../src/github/runners.ts";
import { branchHead, Runs } from "../../src/github/runs.ts";
import { until } from "../simulator/support/until.ts";
import { LABEL, NAME, RENT_JOB, RUN_ID, TOKEN, test } from "./support/github-under-contract.ts";

const REGISTER = "Administration: write";
const jobsOf = (client: GithubClient) => new RunJobs(client, { runId: RUN_ID, attempt: 1 });

/** Everything that we ask of GitHub, and what the hint names where a token may not do it. */
const OPERATIONS: [name: OperationName, needs: string, ask: (client: GithubClient) => Promise<unknown>][] = [
  ["generateJitConfig", REGISTER, (client) => new Runners(client).registerRunner(NAME, LABEL)],
  ["getRunner", REGISTER, (client) => new Runners(client).look(new Set([21]))],
  ["listRunners", REGISTER, (client) => new Runners(client).look(new Set([21, 22]))],
  ["listRunners", REGISTER, (client) => new Runners(client).find(() => true)],
  ["removeRunner", REGISTER, (client) => new Runners(client).remove(21)],
  ["listDownloads", REGISTER, (client) => new Runners(client).download()],
  ["listJobs", "permissions: { actions: write }", (client) => jobsOf(client).list()],
  ["cancelRun", "actions: write", (client) => new Runs(client).cancel(RUN_ID)],
  ["forceCancelRun", "actions: write", (client) => new Runs(client).forceCancel(RUN_ID)],
  ["getRun", "actions: write", (client) => new Runs(client).get(RUN_ID)],
  ["getRunAttempt", "actions: read", (client) => new Runs(client).attempt(RUN_ID, 1)],
  ["listRuns", "actions: write", (client) => new Runs(client).listOpen()],
  ["listRuns", "actions: write", (client) => new Runs(client).listFailed(0)],
  ["listWorkflowRuns", "actions: write", (client) => new Runs(client).listOfWorkflow("gpu.yml")],
  ["rerunFailedJobs", "actions: write", (client) => new Runs(client).rerunFailedJobs(RUN_ID)],
  ["listAnnotations", "checks: read, contents: read", (client) => listAnnotations(client, 1)],
  ["getRef", "checks: read, contents: read", (client) => branchHead(client, "main")],
];

/** What goes wrong on the way, and is no answer. */
const DOUBTS: [what: string, fault: object][] = [
  ["5xx", { kind: "status", status: 502 }],
  ["429", { kind: "status", status: 429 }],
  ["403 with a limit's sentence", { kind: "status", status: 403, body: { message: "a secondary rate limit." } }],
  ["403 with none left", { kind: "status", status: 403, headers: { "x-ratelimit-remaining": "0" } }],
  ["403 with Retry-After", { kind: "status", status: 403, headers: { "retry-after": "60" } }],
  ["a connection that breaks", { kind: "reset" }],
  ["an answer that is lost", { kind: "lose-answer" }],
  ["a page, as a gateway sends it", { kind: "text", status: 200, text: "<html>one moment</html>" }],
  ["a page for 404", { kind: "text", status: 404, text: "<html><h1>Not here</h1></html>" }],
  ["a page for 422", { kind: "text", status: 422, text: "<html><h1>Not here</h1></html>" }],
];

describe.each(OPERATIONS)("%s", (operation, needs, ask) => {
  test.for(DOUBTS)("%s is a doubt, never an answer and no token without permission", async ([, fault], { world }) => {
    world.addRun([RENT_JOB]);
    world.github.setFaults([{ operation, ...fault } as Fault]);
    const client = world.connect(needs === REGISTER ? {} : { token: world.github.jobToken });
    await expect(ask(client)).rejects.toBeInstanceOf(GithubUnavailableError);
  });

  test("a token that may not do it, that is unknown, or that can't see the repository", async ({ world }) => {
    world.addRun([RENT_JOB]);
    const refused = ask(world.connect({ token: TOKEN.poor }));
    await expect(refused).rejects.toBeInstanceOf(GithubTokenError);
    await expect(refused).rejects.toMatchObject({ hint: expect.stringContaining(needs) });
    for (const options of [{ token: "ghp_unknown" }, { repo: "another" }])
      await expect(ask(world.connect(options))).rejects.toBeInstanceOf(GithubTokenError);
  });
});

test.for<[OperationName, unknown]>([
  ["listJobs", { message: "hello" }],
  ["listJobs", null],
  ["getRunAttempt", { status: "completed" }],
  ["listDownloads", { message: "hello" }],
])("%s: %j is no answer", async ([operation, body], { world }) => {
  world.addRun([RENT_JOB]);
  world.github.setFaults([{ operation, kind: "status", status: 200, body }]);
  const [, needs, ask] = OPERATIONS.find(([name]) => name === operation) ?? [];
  const client = world.connect(needs === REGISTER ? {} : { token: world.github.jobToken });
  await expect(ask?.(client)).rejects.toBeInstanceOf(GithubUnavailableError);
});

test.for([
  ["generateJitConfig", 201, { kind: "status", status: 502 }],
  ["listDownloads", 200, { kind: "status", status: 429 }],
  ["listDownloads", 200, { kind: "reset" }],
  ["listDownloads", 200, { kind: "text", text: "<html>one moment</html>" }],
  ["getRepository", 200, { kind: "status", status: 502 }],
] as const)("%s is asked four times while it passes", async ([operation, good, fault], { world }) => {
  const id = world.addRun([RENT_JOB]).repositoryId;
  world.github.setFaults([{ operation, ...fault, nth: 1, times: 3 } as Fault]);
  const ask = {
    generateJitConfig: () => world.runners.registerRunner(NAME, LABEL),
    listDownloads: () => world.runners.download(),
    getRepository: async () => expect(await repositoryId(world.connect({ token: world.github.jobToken }))).toBe(id),
  };
  await ask[operation]();
  expect(world.statuses(operation)).toHaveLength(4);
  expect(world.statuses(operation).at(-1)).toBe(good);
});

test.for([
  ["Retry-After", { "retry-after": "30" }, 30],
  ["Retry-After of half an hour", { "retry-after": "1800" }, 1800],
  ["Retry-After of a day: an hour, by which GitHub's limits count", { "retry-after": "86400" }, 3600],
  ["the moment when the hour begins anew", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1780000020" }, 20],
  ["a moment that is long past", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" }, 0],
  ["no moment", { "x-ratelimit-remaining": "0" }, 0],
  ["a secondary limit that names no moment: a minute, as GitHub's documentation asks", {}, 60],
] as const)("nothing is sent until GitHub wants to be asked again: %s", async ([, told, seconds], { world }) => {
  world.addRun([RENT_JOB]);
  const headers = { date: new Date(1_780_000_000_000).toUTCString(), ...told };
  const body = { message: "You have exceeded a secondary rate limit." };
  world.github.setFaults([{ operation: "listJobs", kind: "status", status: 403, headers, body, nth: 1 }]);
  await expect(world.jobs.list()).rejects.toBeInstanceOf(GithubUnavailableError);
  if (seconds > 0) {
    world.clock.advance(seconds - 1);
    await expect(world.jobs.list()).rejects.toThrow(/read the jobs of this run \(.*rate limit.*1 s/);
    expect(world.statuses("listJobs")).toEqual([403]);
    world.clock.advance(1);
  }
  expect(await world.jobs.list()).toHaveLength(1);
});

test("a token's requests that are left in this hour are known from its last answer", async ({ world }) => {
  world.addRun([RENT_JOB]);
  expect([world.jobs.requestsLeft, world.jobs.requestsCounted]).toEqual([undefined, 0]);
  for (const _twice of [1, 2]) await world.jobs.list();
  // A 304 is not counted.
  expect([world.jobs.requestsLeft, world.jobs.requestsCounted]).toEqual([999, 1]);
  world.github.setRateLimit(world.github.jobToken, 1);
  await expect(world.jobs.list()).rejects.toBeInstanceOf(GithubUnavailableError);
  expect(world.jobs.requestsLeft).toBe(0);
});

describe("what is said of a refusal", () => {
  test("the workflow's own token can't register: where to grant it, asked once", async ({ world }) => {
    const runners = new Runners(world.connect({ token: world.github.jobToken }));
    await expect(runners.registerRunner(NAME, LABEL)).rejects.toMatchObject({
      message: expect.stringMatching(/^github-token may not register runners in octo\/gpu-lib \(GitHub answered 403/),
      hint: expect.stringMatching(/Administration: write.*GITHUB_TOKEN can never do it/),
    });
    expect(world.statuses("generateJitConfig")).toEqual([403]);
  });

  // GitHub refuses a good token like this where an organisation has switched runners of repositories off.
  test.for([
    ["a list", [{ resource: "Runner", message: "Runners are off here" }]],
    ["a list of texts", ["Runners are off here"]],
  ])("a 403 in spite of it: what GitHub says in its errors (%s), and who can allow runners", async (row, { world }) => {
    const body = { message: "Forbidden", errors: row[1] };
    world.github.setFaults([{ operation: "generateJitConfig", kind: "status", status: 403, body }]);
    const who = "an owner of the organisation has to allow self-hosted runners for this repository";
    await expect(world.runners.registerRunner(NAME, LABEL)).rejects.toMatchObject({
      message: expect.stringContaining("(GitHub answered 403: Forbidden: Runners are off here)"),
      hint: expect.stringContaining(who),
    });
  });

  test("a rule of GitHub's own is a refusal that no repetition mends, told in one line", async ({ world }) => {
    await expect(world.runners.registerRunner("x".repeat(65), LABEL)).rejects.toBeInstanceOf(GithubRefusedError);
    expect(world.statuses("generateJitConfig")).toEqual([422]);
    const body = { message: "No.\n::error::evil" };
    world.github.setFaults([{ operation: "listDownloads", kind: "status", status: 422, body }]);
    await expect(world.runners.download()).rejects.toMatchObject({ message: expect.not.stringContaining("\n") });
  });
});

test("a cancel ends a call at once, with its own reason and not as a doubt", async ({ world }) => {
  world.github.setFaults([{ operation: "listRunners", kind: "never-answer" }]);
  const reason = new Error("cancelled");
  const stop = new AbortController();
  const ended = expect(world.runners.find(() => true, stop.signal)).rejects.toBe(reason);
  await until(() => world.github.journal.of("listRunners").length > 0);
  stop.abort(reason);
  await ended;
});

test("no call is waited for after `until`", async ({ world }) => {
  world.github.setFaults([{ operation: "removeRunner", kind: "never-answer" }]);
  const runners = new Runners(world.connect({ until: world.clock.now() + 20 }));
  await expect(runners.remove(21)).rejects.toBeInstanceOf(GithubUnavailableError);
});
