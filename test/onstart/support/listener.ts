import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The environment of a job of the run for which the machines of these tests are rented. */
export const OWN_JOB = "GITHUB_REPOSITORY=owner/repo GITHUB_RUN_ID=42 GITHUB_RUN_ATTEMPT=1";

/** Bash lines of a runner that takes a job, which does `work` if the hook lets it, and ends. */
export function takesJob(work = ":", job = OWN_JOB): string {
  return `echo 'Running job: test'
if ${job} "$ACTIONS_RUNNER_HOOK_JOB_STARTED"; then
  call job started
  ${work}
  call job ended
  if [[ -n $ACTIONS_RUNNER_HOOK_JOB_COMPLETED ]]; then
    ${job} bash --noprofile --norc -e -o pipefail "$ACTIONS_RUNNER_HOOK_JOB_COMPLETED" || call hook failed
  fi
else
  call job refused
fi`;
}

/** The calls of a machine whose only job began and ended. */
export const RAN_JOB = ["job started", "job ended"];

/** The environment of a job of another repository. */
export const FOREIGN_JOB = "GITHUB_REPOSITORY=owner/other GITHUB_RUN_ID=42 GITHUB_RUN_ATTEMPT=1";

/** Waits like the script does, in the machine's time, and can be interrupted. */
export function waits(seconds: number): string {
  return `sleep ${seconds} & wait $!`;
}

/** Where `runnerTarball` leaves the files that it packs. */
export const RUNNER_FOLDER = "tarball";

/** The variable of an image that has the same runner, in its folder. */
export const runnerOfImage = (folder: string) => ({ RUNNER_HOME: join(folder, RUNNER_FOLDER) });

/** A tarball like the real runner's, whose program does `body`; it notes a SIGINT, and ends. */
export function runnerTarball(folder: string, body: string): Buffer {
  const home = join(folder, RUNNER_FOLDER);
  mkdirSync(join(home, "bin"), { recursive: true });
  const program = join(home, "bin/Runner.Listener");
  writeFileSync(
    program,
    `#!/bin/bash
[[ $1 != --version ]] || { echo 2.337.0 && exit; }
call() { printf '%s\\n' "$*" >>"$ONSTART_TEST/calls.log"; }
call listener "$@"
tr '\\0' '\\n' </proc/$$/environ >"$ONSTART_TEST/listener.env"
trap 'call SIGINT; exit 0' INT
echo '√ Connected to GitHub'
${body}
`,
  );
  chmodSync(program, 0o755);
  const path = join(folder, "runner.tar.gz");
  execFileSync("tar", ["-czf", path, "-C", home, "."]);
  return readFileSync(path);
}
