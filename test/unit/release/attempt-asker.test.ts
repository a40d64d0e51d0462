import { beforeEach, expect, test } from "vitest";
import { GithubUnavailableError } from "../../../src/github/github-errors.ts";
import type { RunAttempt } from "../../../src/github/runs.ts";
import { attemptAsker } from "../../../src/release/leftovers.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";

const ATTEMPT = { runId: 4711, attempt: 1 };
const DOUBT = new GithubUnavailableError("read the runs of this repository", "502");

let logged: string[];
let answer: RunAttempt | Error | undefined;
let stop: AbortController;

beforeEach(() => {
  logged = [];
  stop = new AbortController();
});

const clock = new HandWoundClock();
function asker() {
  const attempt = async () => {
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return attemptAsker({ attempt }, clock, (line) => logged.push(line));
}

test("completed: since when, by our own clock", async () => {
  answer = { isCompleted: true, unchangedForMs: 25_000 };
  expect(await asker()(ATTEMPT, stop.signal)).toEqual({ kind: "completed", since: clock.now() - 25_000 });
});

test("not completed", async () => {
  answer = { isCompleted: false, unchangedForMs: 1e9 };
  expect(await asker()(ATTEMPT, stop.signal)).toEqual({ kind: "open" });
});

test("a run that GitHub does not know says nothing", async () => {
  answer = undefined;
  expect(await asker()(ATTEMPT, stop.signal)).toMatchObject({ kind: "unknown" });
  expect(logged).toEqual([]);
});

test("no answer is no evidence, and is logged once with what to do", async () => {
  answer = DOUBT;
  const ask = asker();
  expect(await ask(ATTEMPT, stop.signal)).toEqual({ kind: "unknown", why: "GitHub could not be asked" });
  await ask(ATTEMPT, stop.signal);
  expect(logged).toEqual([expect.stringMatching(/^Which runs are over can't be seen\. .*502.*githubstatus/)]);
});

test("no time left is no evidence either, and nothing to log", async () => {
  answer = new Error("time over");
  stop.abort(answer);
  expect(await asker()(ATTEMPT, stop.signal)).toMatchObject({ kind: "unknown" });
  expect(logged).toEqual([]);
});

test("a bug is not swallowed", async () => {
  answer = new TypeError("a bug");
  await expect(asker()(ATTEMPT, stop.signal)).rejects.toBe(answer);
});
