import type { IncomingMessage, RequestListener } from "node:http";
import { expect } from "vitest";
import { GithubClient } from "../../src/github/github-client.ts";
import { GithubTokenError, GithubUnavailableError } from "../../src/github/github-errors.ts";
import { JobLogs } from "../../src/github/job-log.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { GPU_JOB, TOKEN, test } from "./support/github-under-contract.ts";
import { serveHere } from "./support/local-server.ts";

const SIGNAL = new AbortController().signal;

test("the stand-in hands out the log of a job that is over, and of no other", async ({ world }) => {
  const states = ["completed", "queued", "in_progress"] as const;
  const run = world.addRun(states.map((status) => ({ ...GPU_JOB, name: status, status })));
  const apiUrl = world.github.url;
  const read = (status: string, token = world.github.jobToken) =>
    new JobLogs(world.connect({ token }), { apiUrl }).tail(run.job(status).id, SIGNAL);
  run.job("in_progress").print("one\n");
  await expect(read("in_progress")).rejects.toThrow("answered 404");
  run.job("in_progress").complete();
  expect([await read("completed"), await read("in_progress")]).toEqual(["", expect.stringMatching(/one\n$/)]);
  await expect(read("queued")).rejects.toThrow("has not stored it yet");
  await expect(read("completed", TOKEN.poor)).rejects.toBeInstanceOf(GithubTokenError);
});

/** A GitHub, and the host of its logs, in one: `place` answers for the log itself. */
async function startPlace(place: RequestListener, location = "/log") {
  const asked: IncomingMessage[] = [];
  const server = await serveHere((request, response) => {
    asked.push(request);
    if (request.url === "/log") place(request, response);
    else response.writeHead(302, { location: new URL(location, apiUrl).href, "content-type": "text/html" }).end("<a>");
  });
  const { url: apiUrl } = server;
  const client = new GithubClient({ apiUrl, owner: "octo", repo: "lib", token: "ghs_secret", clock: systemClock });
  return { ...server, asked, logs: new JobLogs(client, { apiUrl }) };
}

test("the redirect is followed without the token", async () => {
  await using place = await startPlace((_request, response) => response.end("one\ntwo\n"));
  expect(await place.logs.tail(9, SIGNAL)).toBe("one\ntwo\n");
  expect(place.asked.map(({ url }) => url)).toEqual(["/repos/octo/lib/actions/jobs/9/logs", "/log"]);
  expect(place.asked.map(({ headers }) => headers.authorization)).toEqual(["token ghs_secret", undefined]);
});

test("of a long log the end is kept, in whole lines", async () => {
  const lines = Array.from({ length: 200_000 }, (_none, index) => `line ${index}`);
  await using place = await startPlace((_request, response) => response.end(`${lines.join("\n")}\nthe last\n`));
  const tail = (await place.logs.tail(9, SIGNAL)) ?? "";
  expect(tail.endsWith("\nthe last\n")).toBe(true);
  expect(tail.length).toBeLessThanOrEqual(131_072);
  expect(tail).toMatch(/^line \d+\n/);
  expect((await place.logs.tail(9, SIGNAL, 1000)).length).toBeLessThanOrEqual(2000);
});

test.each(["http://logs.example/log", "file:///etc/passwd"])(
  "a place not reached in secret is not asked: %s",
  async (at) => {
    await using place = await startPlace((_request, response) => response.end("one\n"), at);
    await expect(place.logs.tail(9, SIGNAL)).rejects.toBeInstanceOf(GithubUnavailableError);
    expect(place.asked).toHaveLength(1);
  },
);

test("a log that breaks off, or whose host fails, is one that can't be had; one that is not there may come", async () => {
  await using broken = await startPlace((_request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("one\n", () => response.destroy());
  });
  await expect(broken.logs.tail(9, SIGNAL)).rejects.toBeInstanceOf(GithubUnavailableError);
  await using failing = await startPlace((_request, response) => response.writeHead(503).end());
  await expect(failing.logs.tail(9, SIGNAL)).rejects.toThrow("503");
  await using early = await startPlace((_request, response) => response.writeHead(404).end("BlobNotFound"));
  await expect(early.logs.tail(9, SIGNAL)).rejects.toMatchObject({ isPassing: true });
});

test("whoever asked can end it", async () => {
  const ending = new AbortController();
  await using place = await startPlace(() => ending.abort(new Error("The loop is over.")));
  await expect(place.logs.tail(9, ending.signal)).rejects.toThrow("The loop is over.");
});
