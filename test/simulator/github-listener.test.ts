import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import type { GithubStandIn } from "../../simulator/github/start-github.ts";
import { ask, type Listener, REPOSITORY, register, startListener, startOn, until } from "./github-under-test.ts";

function addJob(github: GithubStandIn, run: string[], more: { labels?: string[]; env?: Record<string, string> } = {}) {
  const job = { name: "gpu test", labels: ["GPU-1"], run, ...more };
  return github.addRun({ repository: "octo/gpu-lib", runId: 99, jobs: [job] });
}

/** A folder with executable files, which is removed when the test is over. */
function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "stand-in-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content, { mode: 0o755 });
  return folder;
}

/** A PATH on which `sleep` does not: the listener waits by whatever is first there. */
const pathWithFastSleep = () => `${folderWith({ sleep: "#!/bin/sh\n" })}:${process.env.PATH}`;

const listening = (listener: Listener) => until(() => listener.output.includes("Listening for Jobs"));

async function statusOf(github: GithubStandIn, id: number): Promise<number> {
  return (await ask(github, `${REPOSITORY}/actions/runners/${id}`)).status;
}

test("a job with a label that the runner lacks, or of another repository, is not taken", async () => {
  await using github = await startOn(1);
  const { encoded_jit_config } = (await register(github)).body;
  await using listener = await startListener(github, encoded_jit_config);
  await listening(listener);
  const more = addJob(github, ["true"], { labels: ["gpu-1", "big"] });
  const other = github.addRun({ repository: "octo/other", jobs: [{ name: "gpu", labels: ["gpu-1"], run: ["true"] }] });
  const right = github.addRun({
    repository: "octo/gpu-lib",
    jobs: [{ name: "right", labels: ["gpu-1"], run: ["true"] }],
  });
  expect(await listener.ended()).toBe(0);
  expect([more.status, other.status, right.conclusion]).toEqual(["queued", "queued", "success"]);
});

test.each([
  ["allows", "[[ $GITHUB_RUN_ID == 99 && $GITHUB_REPOSITORY == octo/gpu-lib ]]", "success", "hello\n"],
  ["refuses", "echo 'not ours' && exit 1", "failure", "not ours\n"],
])("the job-started hook sees the job's variables and %s it", async (_, hook, conclusion, log) => {
  await using github = await startOn(1);
  const run = addJob(github, ["echo hello"]);
  const { encoded_jit_config } = (await register(github)).body;
  await using listener = await startListener(github, encoded_jit_config, {
    ACTIONS_RUNNER_HOOK_JOB_STARTED: join(folderWith({ "hook.sh": hook }), "hook.sh"),
  });
  expect(await listener.ended()).toBe(0);
  expect(run.conclusion).toBe(conclusion);
  const lines = run.job("gpu test").log.split("\n");
  expect(lines[0]).toContain("A job started hook has been configured");
  expect(lines.slice(1).join("\n")).toBe(log);
});

test("a hook that is not there fails the job", async () => {
  await using github = await startOn(1);
  const run = addJob(github, ["echo hello"]);
  const { encoded_jit_config } = (await register(github)).body;
  await using listener = await startListener(github, encoded_jit_config, {
    ACTIONS_RUNNER_HOOK_JOB_STARTED: "/nowhere.sh",
  });
  expect(await listener.ended()).toBe(0);
  expect([run.conclusion, run.job("gpu test").log]).toEqual(["failure", expect.stringContaining("File doesn't exist")]);
});

test("SIGINT while it listens: it ends with 0, goes offline, and its registration stays", async () => {
  await using github = await startOn(1);
  const { runner, encoded_jit_config } = (await register(github)).body;
  await using listener = await startListener(github, encoded_jit_config);
  await listening(listener);
  listener.signal("SIGINT");
  expect(await listener.ended()).toBe(0);
  expect(listener.output).toContain("Exiting...");
  const run = addJob(github, ["true"]);
  expect(await statusOf(github, runner.id)).toBe(200);
  expect(github.runners()).toMatchObject([{ online: false, job: undefined }]);
  expect(run.status).toBe("queued");
});

test("SIGTERM ends it with 143", async () => {
  await using github = await startOn(1);
  await using listener = await startListener(github, (await register(github)).body.encoded_jit_config);
  await listening(listener);
  listener.signal("SIGTERM");
  expect(await listener.ended()).toBe(143);
});

test("started with SIGINT ignored it stays so, as .NET does", async () => {
  await using github = await startOn(1);
  const { runner, encoded_jit_config } = (await register(github)).body;
  await using listener = await startListener(github, undefined);
  expect(await listener.ended()).toBe(1);
  const script =
    'bin/Runner.Listener run >log 2>&1 & pid=$!; until grep -q Listening log; do sleep 0.05; done; kill -INT $pid; sleep 1; kill -0 $pid && echo alive; kill -TERM $pid; wait $pid; echo "$?"';
  const env = {
    PATH: process.env.PATH,
    DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1",
    ACTIONS_RUNNER_INPUT_JITCONFIG: encoded_jit_config,
  };
  const { stdout } = await promisify(execFile)("bash", ["-c", script], { cwd: listener.folder, env });
  expect(stdout).toBe("alive\n143\n");
  expect(await statusOf(github, runner.id)).toBe(200);
});

test("a configuration whose runner is removed before it connects ends with 1, as does none at all", async () => {
  await using github = await startOn(1);
  const { runner, encoded_jit_config } = (await register(github)).body;
  await ask(github, `${REPOSITORY}/actions/runners/${runner.id}`, { method: "DELETE" });
  await using late = await startListener(github, encoded_jit_config);
  expect(await late.ended()).toBe(1);
  expect(late.output).toContain("The runner registration has been deleted from the server");
  await using none = await startListener(github, undefined);
  expect(await none.ended()).toBe(1);
  expect(none.output).toBe("Runner is not configured.\n");
});

test("a configuration serves one listener at a time, and none after its job", async () => {
  await using github = await startOn(1);
  const { encoded_jit_config } = (await register(github)).body;
  await using first = await startListener(github, encoded_jit_config);
  await listening(first);
  await using second = await startListener(github, encoded_jit_config, {
    PATH: pathWithFastSleep(),
  });
  expect(await second.ended()).toBe(5);
  expect(second.output).toContain("A session for this runner already exists.");
  addJob(github, ["true"]);
  expect(await first.ended()).toBe(0);
  await using third = await startListener(github, encoded_jit_config);
  expect(await third.ended()).toBe(1);
});

test("without ICU it aborts like .NET, unless it is told to do without", async () => {
  await using github = await startOn(1);
  const { encoded_jit_config } = (await register(github)).body;
  const bin = folderWith({ ldconfig: "#!/bin/sh\necho libc.so.6\n" });
  const env = { PATH: `${bin}:${process.env.PATH}`, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "" };
  await using without = await startListener(github, encoded_jit_config, env);
  expect(await without.ended()).toBe(134);
  expect(without.output).toContain("Couldn't find a valid ICU package installed on the system.");
  writeFileSync(join(bin, "ldconfig"), "#!/bin/sh\necho libicuuc.so.72\n", { mode: 0o755 });
  await using present = await startListener(github, encoded_jit_config, env);
  await listening(present);
});

test("it needs no more than bash, curl, coreutils, grep and sed", async () => {
  await using github = await startOn(1);
  const run = addJob(github, ["echo bare"]);
  const { encoded_jit_config } = (await register(github)).body;
  const bin = folderWith({});
  for (const name of "bash curl grep sed env date dirname base64 mkdir rm cat tail sleep".split(" ")) {
    const { stdout } = await promisify(execFile)("bash", ["-c", 'type -P "$1"', "type", name]);
    symlinkSync(stdout.trim(), join(bin, name));
  }
  await using listener = await startListener(github, encoded_jit_config, { PATH: bin });
  expect(await listener.ended()).toBe(0);
  expect([run.conclusion, run.job("gpu test").log]).toEqual(["success", "bare\n"]);
});

test("a job with a container fails for lack of Docker", async () => {
  await using github = await startOn(1);
  const job = { name: "gpu test", labels: ["gpu-1"], run: ["echo hello"], container: "ubuntu:24.04" };
  const run = github.addRun({ repository: "octo/gpu-lib", jobs: [job] });
  const { encoded_jit_config } = (await register(github)).body;
  await using listener = await startListener(github, encoded_jit_config);
  await listener.ended();
  expect([run.job("gpu test").log, run.conclusion]).toEqual(["##[error]File not found: 'docker'\n", "failure"]);
  expect(run.job("gpu test").steps).toMatchObject([
    { name: "Set up job", conclusion: "success" },
    { name: "Initialize containers", conclusion: "failure" },
  ]);
});
