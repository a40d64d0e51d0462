import { afterAll, beforeAll, expect, test } from "vitest";
import { GithubClient } from "../../src/github/github-client.ts";
import { GithubUnavailableError } from "../../src/github/github-errors.ts";
import { UnexpectedAnswerError } from "../../src/marketplace/errors.ts";
import { ServiceClient } from "../../src/marketplace/vast/service-client.ts";
import { HttpClient } from "../../src/shared/http-client.ts";
import { hurriedClock, type JunkServer, junkServer } from "../property/support/junk-server.ts";

let server: JunkServer;

beforeAll(async () => {
  server = await junkServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const DEEP = `{"instances": ${"[".repeat(100)}${"]".repeat(100)}, "id": 7}`;

function answer(body: string, type = "application/json") {
  server.answer = { status: 200, headers: { "content-type": type }, body };
}

test("an answer of the service that is nested too deep is none that can be read", async () => {
  answer(DEEP);
  await using client = new ServiceClient({ baseUrl: server.url, apiKey: "key", clock: hurriedClock(), patienceMs: 0 });
  await expect(client.currentUser()).rejects.toThrow(UnexpectedAnswerError);
});

test.each([
  ["is nested too deep", DEEP, "nested too deep"],
  ["has more than 4 MB", JSON.stringify({ id: 7, more: "x".repeat(4_000_000) }), "more than 4 MB"],
])("an answer of GitHub's that %s is no evidence", async (_what, body, why) => {
  answer(body);
  const options = { apiUrl: server.url, token: "ghs_x", owner: "octo", repo: "gpu-lib", clock: hurriedClock() };
  const asked = new GithubClient(options).request({
    need: { input: "job-token", task: "see the repository", remedy: "" },
    route: "GET /repos/{owner}/{repo}",
  });
  await expect(asked).rejects.toThrow(GithubUnavailableError);
  await expect(asked).rejects.toThrow(why);
});

test("an answer of GitHub's within both is read", async () => {
  answer('{"id": 7, "list": [[[]]]}', "application/json; charset=utf-8");
  const options = { apiUrl: server.url, token: "ghs_x", owner: "octo", repo: "gpu-lib", clock: hurriedClock() };
  const { data } = await new GithubClient(options).request({
    need: { input: "job-token", task: "see the repository", remedy: "" },
    route: "GET /repos/{owner}/{repo}",
  });
  expect(data).toEqual({ id: 7, list: [[[]]] });
});

/** Asks the server of this machine, as an address that a host has named. */
async function asksFor(hostname: string, proxy?: string): Promise<number> {
  answer("{}");
  const http = new HttpClient({ hostname, mostBytes: 1000, ...(proxy && { proxy: { httpProxy: proxy } }) });
  try {
    const url = proxy === undefined ? server.url : "http://10.9.8.7/";
    const signal = AbortSignal.timeout(5000);
    return (await http.send(new URL(url), { method: "GET", signal })).statusCode;
  } finally {
    await http.close();
  }
}

test("a host at a public address can't name one at a private address", async () => {
  const before = server.asked;
  await expect(asksFor("203.0.113.7")).rejects.toThrow("127.0.0.1 is at a private address");
  expect(server.asked).toBe(before);
});

test.each(["127.0.0.1", "10.0.0.1", "[fd00::1]"])("one at a private address can: %s", async (hostname) => {
  expect(await asksFor(hostname)).toBe(200);
});

test("what a proxy looks up is the proxy's to judge", async () => {
  expect(await asksFor("203.0.113.7", server.url)).toBe(200);
});
