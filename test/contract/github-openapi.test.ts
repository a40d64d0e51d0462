import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scaledClock } from "../../simulator/clock/sim-clock.ts";
import { OPERATION_IDS, type OperationName } from "../../simulator/github/operation-name.ts";
import { type GithubStandIn, startGithub } from "../../simulator/github/start-github.ts";
import { AttachedRunner } from "../simulator/support/attached-runner.ts";
import { compileSchema, type PublishedAnswers, readGithubDescription } from "../support/openapi.ts";

const ORG_TOKEN = "ghs_of_the_organisation";
const SEEING_TOKEN = "ghs_of_a_job_that_reads";
const TOKENS = {
  [ORG_TOKEN]: { name: "org", kind: "integration", permissions: { organization_self_hosted_runners: "write" } },
  [SEEING_TOKEN]: { name: "seeing", kind: "integration", permissions: { checks: "read", contents: "read" } },
} as const;
const REPOSITORY = "/repos/octo/gpu-lib";
/** Published, and never answered here: a moved repository, one that may not be read at all. */
const NEVER_ANSWERED = ["getRepository 301", "getRepository 403", "getRef 409"];

let description: Map<string, PublishedAnswers>;
let github: GithubStandIn;
const seen = new Set<string>();
const samples = new Map<OperationName, { status: number; body: unknown }>();

beforeAll(async () => {
  description = readGithubDescription(Object.values(OPERATION_IDS));
  github = await startGithub({ clock: scaledClock(), tokens: TOKENS });
});
afterAll(async () => github[Symbol.asyncDispose]());

interface Asked {
  readonly name: OperationName;
  readonly path: string;
  readonly method?: string;
  readonly body?: unknown;
  readonly token?: string;
}

/** An answer's faults by GitHub's own description; none when it is as published. */
function faultsOf(name: OperationName, status: number, body: unknown): string[] {
  const schema = description.get(OPERATION_IDS[name])?.get(status);
  if (schema === undefined) return [`${name}: the description has no status ${status}`];
  if (schema === null) return body === undefined ? [] : [`${name} ${status} has a body`];
  // Refusals carry their status as text, which the description leaves out for some of them.
  const check = compileSchema(schema, { closed: status < 400 });
  check(body);
  return (check.errors ?? []).map((error) => `${name} ${status}: ${error.instancePath} ${error.message}`);
}

async function ask({ path, method = "GET", body, token = github.runnerToken }: Asked) {
  const response = await fetch(`${github.url}${path}`, {
    method,
    redirect: "manual",
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { response, status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

/** Asks, and checks status, headers and body against the description. */
async function askAsPublished(asked: Asked, expected: number) {
  const { response, status, body } = await ask(asked);
  expect({ status, faults: faultsOf(asked.name, status, body) }).toEqual({ status: expected, faults: [] });
  if (body !== undefined) expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(response.headers.get("x-ratelimit-remaining")).toMatch(/^\d+$/);
  expect(response.headers.get("x-github-request-id")).toMatch(/^[0-9A-F]{32}$/);
  seen.add(`${asked.name} ${status}`);
  if (status < 300 && body !== undefined) samples.set(asked.name, { status, body });
  return body;
}

function register(name: string, more: object = {}): Asked {
  const body = { name, runner_group_id: 1, labels: ["gpu-1"], ...more };
  return { name: "generateJitConfig", method: "POST", path: `${REPOSITORY}/actions/runners/generate-jitconfig`, body };
}

/** Connects a runner, and gives it a job that asks for this label. */
async function takeJob(jitConfig: string, label: string): Promise<void> {
  const runner = new AttachedRunner(github, jitConfig);
  await runner.connect();
  github.addRun({ repository: "octo/gpu-lib", jobs: [{ name: "test", labels: [label] }] });
  expect(await runner.poll()).toMatch(/^\d+$/);
}

describe("every answer is as GitHub publishes it", () => {
  test("the repository", async () => {
    await askAsPublished({ name: "getRepository", path: REPOSITORY }, 200);
    await askAsPublished({ name: "getRepository", path: "/repos/octo/nowhere" }, 404);
  });

  test("runners", async () => {
    const { runner } = await askAsPublished(register("one"), 201);
    for (const [more, status] of [
      [{ name: "one" }, 409],
      [{ runner_group_id: undefined }, 422],
      [{ labels: undefined }, 422],
      [{ labels: [] }, 422],
      [{ name: "n".repeat(65) }, 422],
      [{ runner_group_id: 7 }, 404],
    ] as const)
      await askAsPublished(register("none", more), status);
    const runners = `${REPOSITORY}/actions/runners`;
    const { total_count } = await askAsPublished({ name: "listRunners", path: `${runners}?name=one` }, 200);
    expect(total_count).toBe(1);
    await askAsPublished({ name: "getRunner", path: `${runners}/${runner.id}` }, 200);
    await askAsPublished({ name: "listDownloads", path: `${runners}/downloads` }, 200);
    await askAsPublished({ name: "removeRunner", method: "DELETE", path: `${runners}/${runner.id}` }, 204);
  });

  test("an organisation's runners", async () => {
    const token = ORG_TOKEN;
    const base = "/orgs/octo/actions/runners";
    const order = (more: object = {}): Asked => ({
      name: "generateOrgJitConfig",
      method: "POST",
      path: `${base}/generate-jitconfig`,
      body: { name: "of-all", runner_group_id: 3, labels: ["gpu-1"], ...more },
      token,
    });
    const { runner } = await askAsPublished(order(), 201);
    expect(runner.runner_group_id).toBe(3);
    await askAsPublished(order(), 409);
    await askAsPublished(order({ labels: [] }), 422);
    await askAsPublished(order({ runner_group_id: 7 }), 404);
    await askAsPublished({ name: "listOrgRunners", path: base, token }, 200);
    await askAsPublished({ name: "getOrgRunner", path: `${base}/${runner.id}`, token }, 200);
    await askAsPublished({ name: "listOrgDownloads", path: `${base}/downloads`, token }, 200);
    await askAsPublished({ name: "removeOrgRunner", method: "DELETE", path: `${base}/${runner.id}`, token }, 204);
    const busy = await askAsPublished(order({ name: "org-busy", labels: ["org-busy"] }), 201);
    // A job of any of its repositories may come to it.
    await takeJob(busy.encoded_jit_config, "org-busy");
    const path = `${base}/${busy.runner.id}`;
    await askAsPublished({ name: "removeOrgRunner", method: "DELETE", path, token }, 422);
  });

  test("a runner that is connected, then busy", async () => {
    const { runner, encoded_jit_config } = await askAsPublished(register("busy", { labels: ["busy"] }), 201);
    await takeJob(encoded_jit_config, "busy");
    const path = `${REPOSITORY}/actions/runners/${runner.id}`;
    const shown = await askAsPublished({ name: "getRunner", path }, 200);
    expect(shown).toMatchObject({ status: "online", busy: true, version: "2.337.0", os: "linux" });
    await askAsPublished({ name: "removeRunner", method: "DELETE", path }, 422);
  });

  test("runs and jobs in every state", async () => {
    const token = github.jobToken;
    const run = github.addRun({
      repository: "octo/gpu-lib",
      jobs: [
        { name: "done", labels: ["ubuntu-latest"], status: "completed" },
        { name: "rent", labels: ["ubuntu-latest"], status: "in_progress" },
        { name: "approval", labels: ["ubuntu-latest"], status: "waiting" },
        { name: "gpu", labels: ["gpu-9"] },
        { name: "skipped", labels: ["gpu-9"], if: false },
        { name: "later", labels: ["gpu-9"], needs: ["gpu"] },
      ],
    });
    const runs = `${REPOSITORY}/actions/runs`;
    const jobs: Asked = { name: "listJobs", path: `${runs}/${run.id}/attempts/1/jobs`, token };
    await askAsPublished({ name: "getRun", path: `${runs}/${run.id}`, token }, 200);
    const open = await askAsPublished({ name: "listRuns", path: `${runs}?status=in_progress`, token }, 200);
    expect(open.workflow_runs).toMatchObject([{ id: run.id, run_attempt: 1 }]);
    await askAsPublished({ name: "getRunAttempt", path: `${runs}/${run.id}/attempts/1`, token }, 200);
    const listed = await askAsPublished(jobs, 200);
    expect(listed.jobs.map((job: { name: string }) => job.name)).toEqual([
      "done",
      "rent",
      "approval",
      "gpu",
      "skipped",
    ]);
    await askAsPublished({ name: "listJobs", path: `${runs}/1/attempts/1/jobs`, token }, 404);
    await askAsPublished({ name: "cancelRun", method: "POST", path: `${runs}/${run.id}/cancel`, token }, 202);
    await askAsPublished(jobs, 200);
    const force: Asked = { name: "forceCancelRun", method: "POST", path: `${runs}/${run.id}/force-cancel`, token };
    await askAsPublished(force, 202);
    await askAsPublished(force, 409);
    await askAsPublished({ name: "cancelRun", method: "POST", path: `${runs}/${run.id}/cancel`, token }, 409);
    await askAsPublished({ name: "getRunAttempt", path: `${runs}/${run.id}/attempts/1`, token }, 200);
  });

  test("workflows, single jobs, and a run that runs again", async () => {
    const token = github.jobToken;
    const jobs = [
      { name: "rent", labels: ["ubuntu-latest"], status: "completed" as const, conclusion: "failure" as const },
      { name: "gpu", labels: ["gpu-9"], matrix: "gpu" },
    ];
    const run = github.addRun({ repository: "octo/gpu-lib", workflow: "again", jobs });
    run.job("gpu").cancel();
    const actions = `${REPOSITORY}/actions`;
    const { workflows } = await askAsPublished({ name: "listWorkflows", path: `${actions}/workflows`, token }, 200);
    expect(workflows.at(-1).name).toBe("again");
    const again = `${actions}/workflows/again.yml`;
    await askAsPublished({ name: "getWorkflow", path: again, token }, 200);
    const { total_count } = await askAsPublished({ name: "listWorkflowRuns", path: `${again}/runs`, token }, 200);
    expect(total_count).toBe(1);
    const job = `${actions}/jobs/${run.job("gpu").id}`;
    await askAsPublished({ name: "getJob", path: job, token }, 200);
    await askAsPublished({ name: "getJobLog", path: `${job}/logs`, token }, 302);
    await askAsPublished({ name: "listArtifacts", path: `${actions}/runs/${run.id}/artifacts`, token }, 200);
    await askAsPublished({ name: "listRunJobs", path: `${actions}/runs/${run.id}/jobs?filter=all`, token }, 200);
    const post = (name: OperationName, path: string): Asked => ({ name, method: "POST", path, token });
    const attempts = `${actions}/runs/${run.id}`;
    await askAsPublished(post("rerunFailedJobs", `${attempts}/rerun-failed-jobs`), 201);
    await askAsPublished(post("rerunJob", `${job}/rerun`), 403);
    await askAsPublished(post("cancelRun", `${attempts}/cancel`), 202);
    await askAsPublished(post("rerunRun", `${attempts}/rerun`), 201);
    await askAsPublished(post("cancelRun", `${attempts}/cancel`), 202);
    const last = github.runs().at(-1)?.job("gpu").id;
    await askAsPublished(post("rerunJob", `${actions}/jobs/${last}/rerun`), 201);
    await askAsPublished({ name: "getRun", path: attempts, token }, 200);
  });

  test("a job's annotations, and a branch", async () => {
    const run = github.addRun({ repository: "octo/gpu-lib", jobs: [{ name: "rent", labels: ["ubuntu-latest"] }] });
    run.job("rent").annotate({ level: "warning", title: "GPU machine lost", message: "It is gone." });
    const path = `${REPOSITORY}/check-runs/${run.job("rent").id}/annotations`;
    const listed = await askAsPublished({ name: "listAnnotations", path, token: SEEING_TOKEN }, 200);
    expect(listed).toMatchObject([{ annotation_level: "warning", title: "GPU machine lost", message: "It is gone." }]);
    const ref = `${REPOSITORY}/git/ref/heads`;
    const main = await askAsPublished({ name: "getRef", path: `${ref}/main`, token: SEEING_TOKEN }, 200);
    expect(main.object.sha).toMatch(/^[0-9a-f]{40}$/);
    github.moveBranch("octo/gpu-lib", "topic/gone", undefined);
    await askAsPublished({ name: "getRef", path: `${ref}/topic%2Fgone`, token: SEEING_TOKEN }, 404);
  });

  test("no published status of these operations was left out", () => {
    const names = Object.keys(OPERATION_IDS) as OperationName[];
    const published = names.flatMap((name) =>
      [...(description.get(OPERATION_IDS[name])?.keys() ?? [])].map((status) => `${name} ${status}`),
    );
    expect([...seen, ...NEVER_ANSWERED].sort()).toEqual(published.sort());
  });
});

test("refusals that GitHub does not publish for an operation have the form of its other refusals", async () => {
  const [runner, run] = [`${REPOSITORY}/actions/runners/1`, `${REPOSITORY}/actions/runs/1`];
  const cases: [Asked, number, string][] = [
    [{ name: "getRunner", path: runner }, 404, "Not Found"],
    [{ name: "removeRunner", path: runner, method: "DELETE" }, 404, "Not Found"],
    [{ name: "cancelRun", path: `${run}/cancel`, method: "POST", token: github.jobToken }, 404, "Not Found"],
    [{ ...register("x"), token: github.jobToken }, 403, "Resource not accessible by integration"],
    [{ name: "getRun", path: run }, 403, "Resource not accessible by personal access token"],
    [{ name: "getRun", path: run, token: "wrong" }, 401, "Bad credentials"],
  ];
  for (const [asked, expected, message] of cases) {
    const { status, body } = await ask(asked);
    expect(faultsOf("cancelRun", 409, body)).toEqual([]);
    expect([status, body]).toEqual([expected, expect.objectContaining({ message, status: String(expected) })]);
  }
});

describe("the check can fail", () => {
  test("a damaged answer is refused, whatever the damage", () => {
    // The two removals and a log's redirect answer without a body.
    expect(samples.size).toBe(Object.keys(OPERATION_IDS).length - 3);
    for (const [name, { status, body }] of samples) {
      if (typeof body !== "object" || body === null || Object.keys(body).length === 0) continue;
      const whole = Array.isArray(body) ? body[0] : body;
      const wrapped = (damaged: unknown) => (Array.isArray(body) ? [damaged] : damaged);
      const [field] = Object.keys(whole);
      const { [field as string]: _removed, ...without } = whole;
      expect(faultsOf(name, status, wrapped(whole)), `${name} as it was`).toEqual([]);
      expect(faultsOf(name, status, wrapped(without)), `${name} without ${field}`).not.toEqual([]);
      expect(faultsOf(name, status, wrapped({ ...whole, [field as string]: {} })), `${name}: type`).not.toEqual([]);
      expect(faultsOf(name, status, wrapped({ ...whole, invented: 1 })), `${name}: invented field`).not.toEqual([]);
      expect(faultsOf(name, 418, body), `${name}: unpublished status`).not.toEqual([]);
    }
  });
});
