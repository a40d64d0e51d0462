import { GithubClient } from "../../github/github-client.ts";
import { repositoryId } from "../../github/repository.ts";
import { RunAttempts } from "../../github/runs/run-attempts.ts";
import { RunCancel } from "../../github/runs/run-cancel.ts";
import { systemClock } from "../../time/clock.ts";
import type { RunContext } from "./run-context.ts";

/** GitHub as the sweep needs it: runs of this repository, with the job's own token alone. */
export interface JobRoom {
  client: GithubClient;
  attempts: RunAttempts;
  cancel: RunCancel;
  /** The repository's numeric id, asked of GitHub where the platform did not tell it. */
  repositoryId(signal: AbortSignal): Promise<number>;
}

/** Opens GitHub. Nothing is asked of it yet. */
export function openJobRoom(token: string, { apiUrl, owner, repo, repositoryId: known }: RunContext): JobRoom {
  const client = new GithubClient({ apiUrl, owner, repo, token, clock: systemClock });
  return {
    client,
    attempts: new RunAttempts(client),
    cancel: new RunCancel(client),
    repositoryId: async (signal) => known ?? (await repositoryId(client, signal)),
  };
}
