import { randomBytes } from "node:crypto";
import { GithubError, partOf, repositoryPath } from "./gh.ts";
import type { Secrets } from "./screen.ts";
import { SetupError, wordsOf } from "./setup-error.ts";

interface Registered {
  runner: { id: number; name: string };
  encoded_jit_config: string;
}

/** Asks GitHub as the runners' token. */
type AskAsToken = <T>(request: { method: "POST" | "DELETE"; path: string; body?: unknown; to: string }) => Promise<T>;

/** Proves that a token may register runners: registers one that nobody starts, and deletes it. */
export async function proveToken(
  ask: AskAsToken,
  { repository, runnerGroupId }: { repository: string; runnerGroupId: number | undefined },
  secrets: Secrets,
): Promise<void> {
  const [owner = ""] = repository.split("/");
  const home = runnerGroupId === undefined ? repositoryPath(repository) : `orgs/${partOf(owner)}`;
  const runners = `${home}/actions/runners`;
  const name = `gpu-setup-${randomBytes(4).toString("hex")}`;
  const right =
    runnerGroupId === undefined
      ? `Administration: Read and write on ${repository}`
      : `the organisation's Self-hosted runners: Read and write, and the group ${runnerGroupId}`;
  /** A token that GitHub does not know lacks no right. */
  const wayOf = (fault: unknown) =>
    fault instanceof GithubError && fault.status === 401
      ? "GitHub does not know this token: it ended, was revoked, or is not whole. Make a new one."
      : `It needs ${right}, and an organisation may have to approve it first.`;
  const body = { name, runner_group_id: runnerGroupId ?? 1, labels: [name], work_folder: "_work" };
  const registered = await ask<Registered>({
    method: "POST",
    path: `${runners}/generate-jitconfig`,
    body,
    to: "register a runner",
  }).catch((fault: unknown) => {
    throw new SetupError(`The token can't register runners. ${wordsOf(fault)}`, wayOf(fault), fault);
  });
  secrets.keep(registered.encoded_jit_config);
  const { id } = registered.runner;
  await ask({ method: "DELETE", path: `${runners}/${id}`, to: "delete the runner again" }).catch((fault: unknown) => {
    throw new SetupError(
      `The token registered the runner ${name}, and can't delete it. ${wordsOf(fault)}`,
      "Delete it by hand: Settings, Actions, Runners. It was never started.",
      fault,
    );
  });
}
