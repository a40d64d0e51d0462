import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import type { GithubStandIn } from "../../simulator/github/start-github.ts";
import { ask, REPOSITORY, register, startOn } from "./support/github.ts";

const run = promisify(execFile);

function addJob(github: GithubStandIn) {
  const job = { name: "gpu test", labels: ["GPU-1"], run: ["echo hello"] };
  return github.addRun({ repository: "octo/gpu-lib", runId: 99, jobs: [job] });
}

/** A folder with executable files, which is removed when the test is over. */
function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "stand-in-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content, { mode: 0o755 });
  return folder;
}

/** Downloads and unpacks the runner as a machine does; gives its folder. */
async function unpack(github: GithubStandIn): Promise<string> {
  const folder = folderWith({});
  const { body } = await ask(github, `${REPOSITORY}/actions/runners/downloads`);
  const isOurs = ({ os, architecture }: Record<string, string>) => `${os} ${architecture}` === "linux x64";
  const { download_url, sha256_checksum } = body.find(isOurs);
  const script = `set -eo pipefail; curl -sfL --noproxy '*' -o runner.tar.gz "$1"
sha256sum --check --quiet <<<"$2  runner.tar.gz"; tar -xzf runner.tar.gz`;
  await run("bash", ["-c", script, "unpack", download_url, sha256_checksum], { cwd: folder });
  return folder;
}

/** Runs a listener by these lines of bash, in the runner's folder: its exit code and all that was printed. */
async function listen(
  github: GithubStandIn,
  env: Record<string, string | undefined> = {},
  lines = "exec bin/Runner.Listener run",
) {
  const settings = { PATH: process.env.PATH, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1", ...env };
  const bash = run("/bin/bash", ["--norc", "-c", lines], { cwd: await unpack(github), env: settings });
  const { code = 0, stdout, stderr } = await bash.catch((fault) => fault);
  return { code, said: stdout + stderr };
}
const configured = async (github: GithubStandIn, name?: string) => ({
  ACTIONS_RUNNER_INPUT_JITCONFIG: (await register(github, name)).body.encoded_jit_config as string,
});

test.each([
  ["allows", "[[ $GITHUB_RUN_ID == 99 && $GITHUB_REPOSITORY == octo/gpu-lib ]]", "success", /hook .*\nhello\n$/],
  ["refuses", "echo 'not ours' && exit 1", "failure", /^A job started hook has been configured.*\nnot ours\n$/],
  ["is not there", undefined, "failure", /File doesn't exist/],
])("the job-started hook sees the job's variables: %s", async (_what, hook, conclusion, log) => {
  await using github = await startOn(1);
  const added = addJob(github);
  const path = hook === undefined ? "/nowhere.sh" : join(folderWith({ "hook.sh": hook }), "hook.sh");
  expect(await listen(github, { ...(await configured(github)), ACTIONS_RUNNER_HOOK_JOB_STARTED: path })).toMatchObject({
    code: 0,
  });
  expect([added.conclusion, added.job("gpu test").log]).toEqual([conclusion, expect.stringMatching(log)]);
});

test("a configuration serves one listener at a time, and none after its job", async () => {
  await using github = await startOn(1);
  const env = await configured(github);
  // The listener waits by whatever sleep is first on PATH.
  const PATH = `${folderWith({ sleep: "#!/bin/sh\n" })}:${process.env.PATH}`;
  const first = listen(github, env);
  await expect.poll(() => github.runners()[0]?.online).toBe(true);
  const second = await listen(github, { ...env, PATH });
  expect(second).toEqual({ code: 5, said: expect.stringContaining("A session for this runner already exists.") });
  addJob(github);
  expect(await first).toMatchObject({ code: 0 });
  const third = await listen(github, env);
  expect(third).toEqual({ code: 1, said: expect.stringContaining("registration has been deleted from the server") });
});
