import { randomBytes } from "node:crypto";
import type { Context } from "./context.ts";
import type { Repository } from "./facts.ts";
import { GithubError, partOf, repositoryPath } from "./gh.ts";
import { SetupError, wordsOf } from "./setup-error.ts";

/** Proves that a token may register runners: registers one that nobody starts, and deletes it. */
export async function proveToken(
  { gh, secrets }: Context,
  { full_name, owner }: Repository,
  { runnerGroupId, token }: { runnerGroupId?: number | undefined; token: string },
): Promise<void> {
  const home = runnerGroupId === undefined ? repositoryPath(full_name) : `orgs/${partOf(owner.login)}`;
  const runners = `${home}/actions/runners`;
  const name = `gpu-setup-${randomBytes(4).toString("hex")}`;
  const right =
    runnerGroupId === undefined
      ? `Administration: Read and write on ${full_name}`
      : `the organisation's Self-hosted runners: Read and write, and the group ${runnerGroupId}`;
  /** A token that GitHub does not know lacks no right. */
  const wayOf = (fault: unknown) =>
    fault instanceof GithubError && fault.status === 401
      ? "GitHub does not know this token: it ended, was revoked, or is not whole. Make a new one."
      : `It needs ${right}, and an organisation may have to approve it first.`;
  const body = { name, runner_group_id: runnerGroupId ?? 1, labels: [name], work_folder: "_work" };
  const path = `${runners}/generate-jitconfig`;
  const registered = await gh
    .ask<{ runner: { id: number }; encoded_jit_config: string }>(
      { method: "POST", path, body, to: "register a runner" },
      token,
    )
    .catch((fault: unknown) => {
      throw new SetupError(`The token can't register runners. ${wordsOf(fault)}`, wayOf(fault), fault);
    });
  secrets.keep(registered.encoded_jit_config);
  const made = `${runners}/${registered.runner.id}`;
  await gh.ask({ method: "DELETE", path: made, to: "delete the runner again" }, token).catch((fault: unknown) => {
    const says = `The token registered the runner ${name}, and can't delete it. ${wordsOf(fault)}`;
    throw new SetupError(says, "Delete it by hand: Settings, Actions, Runners. It was never started.", fault);
  });
}
