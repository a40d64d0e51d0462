import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { RunnerAnswer } from "../../simulator/github/runners/runner-answers.ts";
import type { GithubStandIn } from "../../simulator/github/start-github.ts";
import { type Listener, register, startListener, startOn, until } from "./github-under-test.ts";

// What GitHub's own program was seen to do, each row of it.

/** A PATH on which `sleep` hardly does: the listener waits by whatever is first there. */
function quickly(): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "stand-in-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "sleep"), "#!/bin/sh\nexec /bin/sleep 0.01\n", { mode: 0o755 });
  return { PATH: `${folder}:${process.env.PATH}` };
}

function addJob(github: GithubStandIn, run = ["echo done"]) {
  return github.addRun({ repository: "octo/gpu-lib", jobs: [{ name: "test", labels: ["gpu-1"], run }] }).job("test");
}

async function listen(github: GithubStandIn, env = quickly()): Promise<Listener> {
  return startListener(github, (await register(github)).body.encoded_jit_config, env);
}

const WAYS: [string, RunnerAnswer, number, string][] = [
  [
    "a registration that is gone",
    { request: "session", status: 404 },
    1,
    "registration has been deleted from the server",
  ],
  ["a session that is forbidden", { request: "session", status: 403 }, 1, "Failed to create session. Error: Forbidden"],
  ["a runner that is unknown", { request: "message", status: 404 }, 0, "The runner no longer exists on the server."],
  ["a version that is too old", { request: "message", status: 403 }, 1, "is deprecated and cannot receive messages."],
  [
    "a token that is refused",
    { request: "message", status: 401 },
    1,
    "Get next message failed with non-retryable error.",
  ],
  ["an update that is forced", { request: "message", status: 426 }, 4, "Runner will exit shortly for update"],
  ["a server that is away for 11 minutes", { request: "message", status: 503 }, 2, "Runner connect error: status 503."],
];

test.each(WAYS)("%s: its code and its words, and no job", async (_, answer, code, words) => {
  await using github = await startOn(1);
  github.answerRunners([answer]);
  const job = addJob(github);
  await using listener = await listen(github);
  expect(await listener.ended()).toBe(code);
  expect(listener.output).toContain(words);
  expect(job.status).toBe("queued");
});

test.each<[string, RunnerAnswer]>([
  ["three 5xx to its session", { request: "session", status: 500, times: 3 }],
  ["six 5xx to its question for a message", { request: "message", status: 502, times: 6 }],
  ["two 5xx to its job's result", { request: "complete", status: 500, times: 2 }],
])("does its job in spite of %s", async (_, answer) => {
  await using github = await startOn(1);
  github.answerRunners([answer]);
  const job = addJob(github);
  await using listener = await listen(github);
  expect(await listener.ended()).toBe(0);
  expect([job.conclusion, job.log]).toEqual(["success", "done\n"]);
});

test.each([
  [404, "INFO Runner] Skipping message Job. Job message not found '"],
  [409, "INFO Runner] Skipping message Job. Job message already acquired '"],
  [422, "INFO Runner] Skipping message Job. Unprocessable job '"],
  [500, "ERR  Runner] Caught exception from acquiring job message: System.Exception: Failed to get job message: 500"],
])("asks again for a job that it can't acquire, %d, until it can: its own log alone says so", async (status, noted) => {
  await using github = await startOn(1);
  github.answerRunners([{ request: "acquire", status, times: 3 }]);
  const job = addJob(github);
  await using listener = await listen(github);
  expect(await listener.ended()).toBe(0);
  expect(job.conclusion).toBe("success");
  expect(listener.output).not.toMatch(/error|job message/i);
  const log = readFileSync(join(listener.folder, "_diag/Runner_1-utc.log"), "utf8");
  expect(log.split(noted)).toHaveLength(4);
});

test("says every 30 s that the machine's clock is off, for as long as it is", async () => {
  await using github = await startOn(1);
  const env = quickly();
  const [folder] = env.PATH?.split(":") ?? [];
  writeFileSync(join(folder ?? "", "date"), '#!/bin/sh\nexec /bin/date -d "-1 hour" "$@"\n', { mode: 0o755 });
  await using listener = await listen(github, { ...env, SIM_MACHINE: "one" });
  const said = "The local machine's clock may be out of sync with the server time by more than five minutes.";
  await until(() => listener.output.split(said).length > 3);
  expect(github.runners()).toMatchObject([{ online: false }]);
  listener.signal("SIGINT");
  expect(await listener.ended()).toBe(0);
});

test.each([
  [
    "does well",
    ["echo done"],
    "echo over",
    "success",
    "done\nA job completed hook has been configured by the self-hosted runner administrator\nover\n",
  ],
  [
    "fails",
    ["echo done", "false"],
    "echo over",
    "failure",
    "done\nA job completed hook has been configured by the self-hosted runner administrator\nover\n",
  ],
  [
    "has a hook that fails",
    ["true"],
    "exit 3",
    "failure",
    "A job completed hook has been configured by the self-hosted runner administrator\n",
  ],
])("runs the job-completed hook of a job that %s", async (_, run, hook, conclusion, log) => {
  await using github = await startOn(1);
  const job = addJob(github, run);
  const env = quickly();
  const script = join(env.PATH?.split(":")[0] ?? "", "completed.sh");
  writeFileSync(script, `${hook}\n`);
  await using listener = await listen(github, { ...env, ACTIONS_RUNNER_HOOK_JOB_COMPLETED: script });
  expect(await listener.ended()).toBe(0);
  expect(existsSync(script)).toBe(true);
  expect([job.conclusion, job.log]).toEqual([conclusion, log]);
});
