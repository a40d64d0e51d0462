import { randomBytes } from "node:crypto";
import { repositoryPath } from "./gh.ts";
import type { Secrets } from "./secrets.ts";
import { SetupError, wordsOf } from "./setup-error.ts";

interface Registered {
  runner: { id: number; name: string };
  encoded_jit_config: string;
}

/** Asks GitHub as the runners' token. */
export type AskAsToken = <T>(request: {
  method: "POST" | "DELETE";
  path: string;
  body?: unknown;
  to: string;
}) => Promise<T>;

/** Proves that a token may register runners: registers one that nobody starts, and deletes it. */
export async function proveToken(ask: AskAsToken, repository: string, secrets: Secrets): Promise<void> {
  const runners = `${repositoryPath(repository)}/actions/runners`;
  const name = `gpu-setup-${randomBytes(4).toString("hex")}`;
  const body = { name, runner_group_id: 1, labels: [name], work_folder: "_work" };
  const registered = await ask<Registered>({
    method: "POST",
    path: `${runners}/generate-jitconfig`,
    body,
    to: "register a runner",
  }).catch((fault: unknown) => {
    throw new SetupError(
      `The token can't register runners. ${wordsOf(fault)}`,
      `It needs Administration: Read and write on ${repository}, and an organisation may have to approve it first.`,
      fault,
    );
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
