import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import type { GithubStandIn } from "../../simulator/github/start-github.ts";
import { ask, type Listener, REPOSITORY, register, startListener, startOn } from "./support/github.ts";
import { until } from "./support/until.ts";

const run = promisify(execFile);

function addJob(github: GithubStandIn, lines: string[], more: object = {}) {
  const job = { name: "gpu test", labels: ["GPU-1"], run: lines, ...more };
  return github.addRun({ repository: "octo/gpu-lib", runId: 99, jobs: [job] });
}

/** A folder with executable files, which is removed when the test is over. */
function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "stand-in-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content, { mode: 0o755 });
  return folder;
}

const listening = (listener: Listener) => until(() => listener.output.includes("Listening for Jobs"));
const statusOf = async (github: GithubStandIn, id: number) =>
  (await ask(github, `${REPOSITORY}/actions/runners/${id}`)).status;
const configured = async (github: GithubStandIn, name?: string) =>
  (await register(github, name)).body.encoded_jit_config as string;

test.each([
  ["allows", "[[ $GITHUB_RUN_ID == 99 && $GITHUB_REPOSITORY == octo/gpu-lib ]]", "success", "hello\n"],
  ["refuses", "echo 'not ours' && exit 1", "failure", "not ours\n"],
  ["is not there", undefined, "failure", undefined],
])("the job-started hook sees the job's variables: %s", async (_what, hook, conclusion, log) => {
  await using github = await startOn(1);
  const added = addJob(github, ["echo hello"]);
  const path = hook === undefined ? "/nowhere.sh" : join(folderWith({ "hook.sh": hook }), "hook.sh");
  await using listener = await startListener(github, await configured(github), {
    ACTIONS_RUNNER_HOOK_JOB_STARTED: path,
  });
  expect(await listener.ended()).toBe(0);
  expect(added.conclusion).toBe(conclusion);
  const printed = added.job("gpu test").log;
  if (log === undefined) return expect(printed).toContain("File doesn't exist");
  expect(printed.split("\n")[0]).toContain("A job started hook has been configured");
  expect(printed.split("\n").slice(1).join("\n")).toBe(log);
});

test("SIGINT while it listens: it ends with 0, goes offline, and its registration stays; SIGTERM ends it with 143", async () => {
  await using github = await startOn(1);
  const { runner, encoded_jit_config } = (await register(github)).body;
  for (const [signal, code] of [
    ["SIGINT", 0],
    ["SIGTERM", 143],
  ] as const) {
    await using listener = await startListener(github, encoded_jit_config);
    await listening(listener);
    listener.signal(signal);
    expect(await listener.ended()).toBe(code);
    if (code > 0) continue;
    expect(listener.output).toContain("Exiting...");
    expect([await statusOf(github, runner.id), github.runners()[0]?.online]).toEqual([200, false]);
  }
});

test("started with SIGINT ignored it stays so, as .NET does", async () => {
  await using github = await startOn(1);
  const jitConfig = await configured(github);
  await using listener = await startListener(github, undefined);
  expect(await listener.ended()).toBe(1);
  expect(listener.output).toBe("Runner is not configured.\n");
  const script =
    'bin/Runner.Listener run >log 2>&1 & pid=$!; until grep -q Listening log; do sleep 0.05; done; kill -INT $pid; sleep 1; kill -0 $pid && echo alive; kill -TERM $pid; wait $pid; echo "$?"';
  const settings = { DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1", ACTIONS_RUNNER_INPUT_JITCONFIG: jitConfig };
  const env = { PATH: process.env.PATH, ...settings };
  const { stdout } = await run("bash", ["-c", script], { cwd: listener.folder, env });
  expect(stdout).toBe("alive\n143\n");
});

test("a configuration serves one listener at a time, and none after its job, or once its runner is removed", async () => {
  await using github = await startOn(1);
  const jitConfig = await configured(github);
  await using first = await startListener(github, jitConfig);
  await listening(first);
  // The listener waits by whatever sleep is first on PATH.
  const PATH = `${folderWith({ sleep: "#!/bin/sh\n" })}:${process.env.PATH}`;
  await using second = await startListener(github, jitConfig, { PATH });
  expect(await second.ended()).toBe(5);
  expect(second.output).toContain("A session for this runner already exists.");
  addJob(github, ["true"]);
  expect(await first.ended()).toBe(0);
  await using third = await startListener(github, jitConfig);
  expect(await third.ended()).toBe(1);
  expect(third.output).toContain("The runner registration has been deleted from the server");
});

test("without ICU it aborts like .NET, unless it is told to do without", async () => {
  await using github = await startOn(1);
  const jitConfig = await configured(github);
  const bin = folderWith({ ldconfig: "#!/bin/sh\necho libc.so.6\n" });
  const env = { PATH: `${bin}:${process.env.PATH}`, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "" };
  await using without = await startListener(github, jitConfig, env);
  expect(await without.ended()).toBe(134);
  expect(without.output).toContain("Couldn't find a valid ICU package installed on the system.");
  writeFileSync(join(bin, "ldconfig"), "#!/bin/sh\necho libicuuc.so.72\n", { mode: 0o755 });
  await using present = await startListener(github, jitConfig, env);
  await listening(present);
});

test("it needs no more than bash, curl, coreutils, grep and sed; a job with a container lacks Docker", async () => {
  await using github = await startOn(1);
  const added = addJob(github, ["echo bare"]);
  const bin = folderWith({});
  for (const name of "bash curl grep sed env date dirname base64 mkdir rm cat tail sleep".split(" ")) {
    const { stdout } = await run("bash", ["-c", 'type -P "$1"', "type", name]);
    symlinkSync(stdout.trim(), join(bin, name));
  }
  await using listener = await startListener(github, await configured(github), { PATH: bin });
  expect(await listener.ended()).toBe(0);
  expect([added.conclusion, added.job("gpu test").log]).toEqual(["success", "bare\n"]);
  const contained = github.addRun({
    repository: "octo/gpu-lib",
    jobs: [{ name: "gpu test", labels: ["gpu-1"], run: ["true"], container: "ubuntu:24.04" }],
  });
  await using other = await startListener(github, await configured(github, "another"), { PATH: bin });
  await other.ended();
  const { log, steps } = contained.job("gpu test");
  expect([log, contained.conclusion]).toEqual(["##[error]File not found: 'docker'\n", "failure"]);
  expect(steps.map(({ name, conclusion }) => `${name}: ${conclusion}`)).toEqual(
    expect.arrayContaining(["Set up job: success", "Initialize containers: failure"]),
  );
});
