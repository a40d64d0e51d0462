import type { GithubClient } from "./github-client.ts";
import type { TokenNeed } from "./github-errors.ts";

const NEED: TokenNeed = {
  input: "job-token",
  task: "cancel a run",
  remedy: "Give the job that runs this step `permissions: { actions: write }`.",
};

/** Ends runs of one repository. GitHub does so later: look at the run to see that it ended. */
export class RunCancel {
  readonly #client: GithubClient;

  constructor(client: GithubClient) {
    this.#client = client;
  }

  /**
   * Asks a run to end, clean-up included; `over`: it was completed. Throws GithubTokenError,
   * GithubUnavailableError or GithubRefusedError.
   */
  cancel(runId: number, signal?: AbortSignal): Promise<"asked" | "over"> {
    return this.#ask("POST /repos/{owner}/{repo}/actions/runs/{run_id}/cancel", runId, signal);
  }

  /** The same without post steps and `always()`. Only for a run that a cancel did not end. */
  forceCancel(runId: number, signal?: AbortSignal): Promise<"asked" | "over"> {
    return this.#ask("POST /repos/{owner}/{repo}/actions/runs/{run_id}/force-cancel", runId, signal);
  }

  async #ask(route: string, runId: number, signal: AbortSignal | undefined): Promise<"asked" | "over"> {
    const parameters = { run_id: runId };
    const answer = await this.#client.request({ need: NEED, route, parameters, expected: [409], signal });
    return answer.status === 409 ? "over" : "asked";
  }
}
