import { afterAll, beforeAll, expect, test } from "vitest";
import { scaledClock } from "../../simulator/clock/sim-clock.ts";
import { OPERATION_NAMES, OPERATIONS, type OperationName } from "../../simulator/github/operation-name.ts";
import { type GithubStandIn, startGithub } from "../../simulator/github/start-github.ts";
import { AttachedRunner } from "../simulator/support/attached-runner.ts";
import { compileSchema, type PublishedAnswers, readGithubDescription } from "../support/openapi.ts";

const TOKENS = {
  org: { name: "org", kind: "integration", permissions: { organization_self_hosted_runners: "write" } },
  seeing: { name: "seeing", kind: "integration", permissions: { checks: "read", contents: "read" } },
} as const;
/** Published, and never answered here: a moved repository, one that may not be read at all. */
const NEVER_ANSWERED = ["getRepository 301", "getRepository 403", "getRef 409"];

let description: Map<string, PublishedAnswers>;
let github: GithubStandIn;
const seen = new Set<string>();
const samples = new Map<OperationName, { status: number; body: unknown }>();

beforeAll(async () => {
  description = readGithubDescription(OPERATION_NAMES.map((name) => OPERATIONS[name].id));
  github = await startGithub({ clock: scaledClock(), tokens: TOKENS });
});
afterAll(async () => github[Symbol.asyncDispose]());

/** What is asked beside the operation's name: the parameters of its path, the query, the body, another token. */
interface Asking {
  readonly at?: Readonly<Record<string, string | number>>;
  readonly query?: string;
  readonly body?: object;
  readonly token?: string;
}

/** An answer's faults by GitHub's own description; none when it is as published. */
function faultsOf(name: OperationName, status: number, body: unknown): string[] {
  const schema = description.get(OPERATIONS[name].id)?.get(status);
  if (schema === undefined) return [`${name}: the description has no status ${status}`];
  if (schema === null) return body === undefined ? [] : [`${name} ${status} has a body`];
  // Refusals carry their status as text, which the description leaves out for some of them.
  const check = compileSchema(schema, { closed: status < 400 });
  check(body);
  return (check.errors ?? []).map((error) => `${name} ${status}: ${error.instancePath} ${error.message}`);
}

/** A token that may do this. */
function tokenFor(needs: string): string {
  if (needs.startsWith("actions")) return github.jobToken;
  if (needs.startsWith("organization")) return "org";
  return /^(checks|contents)/.test(needs) ? "seeing" : github.runnerToken;
}

async function ask(name: OperationName, { at = {}, query = "", body, token }: Asking) {
  const { at: address, needs } = OPERATIONS[name];
  const [method = "", pattern = ""] = address.split(" ");
  const parts: Record<string, string | number> = { owner: "octo", org: "octo", repo: "gpu-lib", attempt: 1, ...at };
  const path = pattern.replace(/:(\w+)/g, (_all, part: string) => encodeURIComponent(parts[part] ?? ""));
  const response = await fetch(`${github.url}${path}${query}`, {
    method,
    redirect: "manual",
    headers: { authorization: `Bearer ${token ?? tokenFor(needs)}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { response, status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

/** Asks, and checks status, headers and body against the description. */
async function published(name: OperationName, expected: number, asking: Asking = {}) {
  const { response, status, body } = await ask(name, asking);
  expect({ status, faults: faultsOf(name, status, body) }).toEqual({ status: expected, faults: [] });
  if (body !== undefined) expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(response.headers.get("x-ratelimit-remaining")).toMatch(/^\d+$/);
  expect(response.headers.get("x-github-request-id")).toMatch(/^[0-9A-F]{32}$/);
  seen.add(`${name} ${status}`);
  if (status < 300 && body !== undefined) samples.set(name, { status, body });
  return body;
}

test("the repository, and a branch", async () => {
  await published("getRepository", 200);
  await published("getRepository", 404, { at: { repo: "nowhere" } });
  const main = await published("getRef", 200, { at: { branch: "main" } });
  expect(main.object.sha).toMatch(/^[0-9a-f]{40}$/);
  github.moveBranch("octo/gpu-lib", "topic/gone", undefined);
  await published("getRef", 404, { at: { branch: "topic/gone" } });
});

test.each(["", "Org"] as const)("runners of a repository or an organisation: %j", async (of) => {
  const order = { name: `one${of}`, runner_group_id: of === "" ? 1 : 3, labels: [`gpu${of}`] };
  const register = (status: number, more: object = {}) =>
    published(`generate${of}JitConfig`, status, { body: { ...order, ...more } });
  const { runner, encoded_jit_config } = await register(201);
  for (const [status, more] of [
    [409, {}],
    [422, { runner_group_id: undefined }],
    [422, { labels: undefined }],
    [422, { labels: [] }],
    [422, { labels: ["l".repeat(256)] }],
    [422, { name: "n".repeat(65) }],
    [404, { runner_group_id: 7 }],
  ] as const)
    await register(status, more);
  expect((await published(`list${of}Runners`, 200, { query: `?name=one${of}` })).total_count).toBe(1);
  await published(`list${of}Downloads`, 200);
  const listener = new AttachedRunner(github, encoded_jit_config);
  await listener.connect();
  // A job of any of an organisation's repositories may come to it.
  github.addRun({ repository: "octo/gpu-lib", jobs: [{ name: "test", labels: order.labels }] });
  expect(await listener.poll()).toMatch(/^\d+$/);
  const busy = { status: "online", busy: true, version: "2.337.0", os: "linux" };
  expect(await published(`get${of}Runner`, 200, { at: { id: runner.id } })).toMatchObject(busy);
  await published(`remove${of}Runner`, 422, { at: { id: runner.id } });
  const idle = await register(201, { name: `two${of}` });
  await published(`remove${of}Runner`, 204, { at: { id: idle.runner.id } });
});

test("runs and jobs in every state", async () => {
  const shown = ["done", "rent", "approval", "gpu", "skipped"];
  const labels = ["ubuntu-latest"];
  const jobs = [
    { name: "done", labels, status: "completed" as const },
    { name: "rent", labels, status: "in_progress" as const },
    { name: "approval", labels, status: "waiting" as const },
    { name: "gpu", labels },
    { name: "skipped", labels, if: false },
    { name: "later", labels, needs: ["gpu"] },
  ];
  const run = github.addRun({ repository: "octo/gpu-lib", jobs });
  const at = { run: run.id };
  const open = await published("listRuns", 200, { query: "?status=in_progress" });
  expect(open.workflow_runs).toMatchObject([{ id: run.id, run_attempt: 1 }]);
  const listed = await published("listJobs", 200, { at });
  expect(listed.jobs.map(({ name }: { name: string }) => name)).toEqual(shown);
  const asked: [OperationName, number][] = [
    ["getRun", 200],
    ["getRunAttempt", 200],
    ["cancelRun", 202],
    ["listJobs", 200],
    ["forceCancelRun", 202],
    ["forceCancelRun", 409],
    ["cancelRun", 409],
    ["getRunAttempt", 200],
  ];
  for (const [name, status] of asked) await published(name, status, { at });
  await published("listJobs", 404, { at: { run: 1 } });
});

test("workflows, single jobs, annotations, and a run that runs again", async () => {
  const failed = { status: "completed" as const, conclusion: "failure" as const };
  const rent = { name: "rent", labels: ["ubuntu-latest"], ...failed };
  const jobs = [rent, { name: "gpu", labels: ["gpu-9"], matrix: "gpu" }];
  const run = github.addRun({ repository: "octo/gpu-lib", workflow: "again", jobs });
  const annotation = { title: "GPU machine lost", message: "It is gone." };
  run.job("rent").annotate({ level: "warning", ...annotation });
  run.job("gpu").cancel();
  const at = { run: run.id, job: run.job("gpu").id, workflow: "again.yml" };
  const annotated = await published("listAnnotations", 200, { at: { job: run.job("rent").id } });
  expect(annotated).toMatchObject([{ annotation_level: "warning", ...annotation }]);
  expect((await published("listWorkflows", 200)).workflows.at(-1).name).toBe("again");
  expect((await published("listWorkflowRuns", 200, { at })).total_count).toBe(1);
  await published("listRunJobs", 200, { at, query: "?filter=all" });
  for (const name of ["getWorkflow", "getJob", "listArtifacts"] as const) await published(name, 200, { at });
  await published("getJobLog", 302, { at });
  const again = () => github.runs().at(-1)?.job("gpu").id ?? 0;
  const asked = { rerunFailedJobs: 201, rerunJob: 403, cancelRun: 202, rerunRun: 201 } as const;
  for (const [name, status] of Object.entries(asked)) await published(name as OperationName, status, { at });
  await published("cancelRun", 202, { at });
  await published("rerunJob", 201, { at: { job: again() } });
  await published("getRun", 200, { at });
});

test("no published status of these operations was left out", () => {
  const statuses = (name: OperationName) => [...(description.get(OPERATIONS[name].id)?.keys() ?? [])];
  const all = OPERATION_NAMES.flatMap((name) => statuses(name).map((status) => `${name} ${status}`));
  expect([...seen, ...NEVER_ANSWERED].sort()).toEqual(all.sort());
});

test("the check can fail: a damaged answer is refused, whatever the damage", () => {
  // The two removals and a log's redirect answer without a body.
  expect(samples.size).toBe(OPERATION_NAMES.length - 3);
  const { status, body } = samples.get("getRunner") ?? { status: 0, body: {} };
  const { name: _removed, ...without } = body as { name: string };
  const seen = [body, without, { ...without, name: {} }, { ...Object(body), invented: 1 }];
  const isFaulty = seen.map((each) => faultsOf("getRunner", status, each).length > 0);
  expect(isFaulty).toEqual([false, true, true, true]);
  expect(faultsOf("getRunner", 418, body)).toHaveLength(1);
});
