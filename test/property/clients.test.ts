import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listAnnotations } from "../../src/github/annotations.ts";
import { repositoryId } from "../../src/github/github.ts";
import { GithubClient } from "../../src/github/github-client.ts";
import { RunJobs } from "../../src/github/jobs.ts";
import { Runners } from "../../src/github/runners.ts";
import { branchHead, Runs } from "../../src/github/runs.ts";
import { NoAnswerError } from "../../src/marketplace/errors.ts";
import { ServiceClient } from "../../src/marketplace/vast/service-client.ts";
import { withoutCommands } from "../../src/shared/foreign-text.ts";
import { UserError } from "../../src/shared/user-error.ts";
import { aConfig } from "../unit/support/an-instance-config.ts";
import { hostileJson, hostileText, httpStatus } from "./support/hostile.ts";
import { hurriedClock, type JunkAnswer, type JunkServer, junkServer } from "./support/junk-server.ts";
import { commandsIn, expectFreeOf, isPlainLine, orRefusedLater } from "./support/readings.ts";

const SECRET = "k3y-that-nobody-may-see-0123456789";
const CONFIG = aConfig();
const RUNNER_SECRET = String(CONFIG.env?.GHR_JIT);
const QUERY = { filters: {}, type: "on-demand", order: [], limit: 1 } as const;

let server: JunkServer;

beforeAll(async () => {
  server = await junkServer();
});

afterAll(() => server[Symbol.asyncDispose]());

/** Possible answers of a server or proxy: our field names with junk, cut JSON, pages, nothing. */
function junkAnswer(...names: string[]): fc.Arbitrary<JunkAnswer> {
  const json = hostileJson(...names).map((value) => JSON.stringify(value) ?? "null");
  const cut = fc
    .tuple(json, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([text, share]) => text.slice(0, text.length * share));
  const notJson = fc.constantFrom("", "<html><b>502 Bad Gateway</b></html>", "\uFEFF{}", "NaN", "null", "[]", "0");
  const body = fc.oneof({ arbitrary: json, weight: 6 }, cut, notJson, hostileText);
  const types = ["application/json", "text/html", "text/plain; charset=utf-8", "application/octet-stream"];
  const type = fc.constantFrom(...types);
  const extra = fc.constantFrom<Record<string, string>>(
    ...[{}, { "retry-after": "1e99" }, { "retry-after": "soon" }, { etag: '"x"' }, { location: "http://127.0.0.1:1/" }],
  );
  // 1xx and 204, 304 have no body, and end the request in other ways.
  return fc
    .record({ status: httpStatus, body, type, extra })
    .map(({ type: kind, extra: more, ...answer }) => ({ ...answer, headers: { "content-type": kind, ...more } }));
}

function expectHarmless(outcome: unknown): void {
  if (!(outcome instanceof UserError)) return;
  expectFreeOf([SECRET, RUNNER_SECRET], outcome);
  expect(commandsIn(withoutCommands(outcome.message))).toEqual([]);
  expect(isPlainLine(outcome.message)).toBe(true);
}

test("the service's client fails in our own words, or not at all, whatever comes back", async () => {
  const names = "instances offers next_token success new_contract msg error credit result_url id".split(" ");
  const rows = fc
    .tuple(junkAnswer(), fc.array(hostileJson("id", "label", "gpu_name", "num_gpus", "dph_total"), { maxLength: 3 }))
    .map(([answer, list]) => {
      return { ...answer, body: JSON.stringify({ instances: list, offers: list, next_token: null }) };
    });
  await fc.assert(
    fc.asyncProperty(fc.oneof(junkAnswer(...names), rows), async (answer) => {
      server.answer = answer;
      await using client = new ServiceClient({ baseUrl: server.url, apiKey: SECRET, clock: hurriedClock() });
      const calls: (() => Promise<unknown>)[] = [
        () => client.searchOffers(QUERY),
        () => client.listInstances(),
        () => client.getInstance(7),
        () => client.destroyInstance(7),
        () => client.currentUser(),
        () => client.createInstance(11, CONFIG),
      ];
      for (const call of calls) expectHarmless(await orRefusedLater(call));
    }),
    { numRuns: 150 },
  );
});

test("a key does not follow a redirect to another address", async () => {
  await using elsewhere = await junkServer();
  const location = `${elsewhere.url}/api/v0/instances/7/`;
  for (const status of [301, 302, 303, 307, 308]) {
    server.answer = { status, headers: { location }, body: "{}" };
    await using client = new ServiceClient({ baseUrl: server.url, apiKey: SECRET, clock: hurriedClock() });
    const { message } = Object(await orRefusedLater(() => client.getInstance(7)));
    expect(message).toBe(`Vast.ai refused "get one instance" (${status}): it is at ${elsewhere.url}`);
    expect(await orRefusedLater(() => client.destroyInstance(7))).toBeInstanceOf(UserError);
    expect((await client.createInstance(11, CONFIG)).status).toBe(status);
  }
  expect(elsewhere.asked).toBe(0);
});

test("an answer without an end is no answer", async () => {
  server.answer = { status: 200, headers: {}, body: " ".repeat(33_000_000) };
  await using client = new ServiceClient({ baseUrl: server.url, apiKey: SECRET, clock: hurriedClock() });
  await expect(client.createInstance(11, CONFIG)).rejects.toThrow(NoAnswerError);
});

test("GitHub's clients fail in our own words, or not at all, whatever comes back", async () => {
  const all = "total_count jobs runners runner encoded_jit_config workflow_runs status updated_at message id";
  const names = all.split(" ");
  const job = hostileJson(..."id name status conclusion labels runner_id html_url created_at run_attempt".split(" "));
  const lists = fc
    .tuple(junkAnswer(), fc.array(job, { maxLength: 3 }), fc.double({ noNaN: true }))
    .map(([answer, list, count]) => ({
      ...answer,
      body: JSON.stringify({ total_count: count, jobs: list, runners: list, workflow_runs: list }),
    }));
  await fc.assert(
    fc.asyncProperty(fc.oneof(junkAnswer(...names), lists), async (answer) => {
      server.answer = answer;
      const repository = { apiUrl: server.url, owner: "octo", repo: "lib" };
      const client = new GithubClient({ ...repository, token: SECRET, clock: hurriedClock() });
      const runners = new Runners(client);
      const runs = new Runs(client);
      const calls: (() => Promise<unknown>)[] = [
        () => new RunJobs(client, { runId: 1, attempt: 1 }).list(),
        () => runs.attempt(1, 1),
        () => runs.cancel(1),
        () => runs.listOpen(),
        () => runs.listFailed(0),
        () => runs.get(1),
        () => listAnnotations(client, 1),
        () => branchHead(client, "main"),
        () => runs.rerunFailedJobs(1),
        () => repositoryId(client),
        () => runners.registerRunner("gpu-1-1-abcdef-1", "gpu-1-1"),
        () => runners.look(new Set([7])),
        () => runners.look(new Set([7, 8])),
        () => runners.remove(7),
        () => runners.find(() => true),
        () => runners.download(),
      ];
      for (const call of calls) expectHarmless(await orRefusedLater(call));
    }),
    { numRuns: 60 },
  );
});
