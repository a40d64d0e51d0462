import type { Context } from "./context.ts";
import type { Repository } from "./facts.ts";
import { repositoryPath } from "./gh.ts";

interface PullRequest {
  html_url: string;
}

/** Opens the pull request of a branch, or finds the one that is open. */
export async function openPullRequest({ gh, screen }: Context, repository: Repository, branch: string): Promise<void> {
  const pulls = `${repositoryPath(repository.full_name)}/pulls`;
  const head = encodeURIComponent(`${repository.owner.login}:${branch}`);
  const [open] = await gh.ask<PullRequest[]>({
    path: `${pulls}?state=open&head=${head}`,
    to: "list the pull requests",
  });
  const body = {
    title: "Run GPU tests on rented machines",
    head: branch,
    base: repository.default_branch,
    body: "Adds a workflow that rents a GPU machine for the GPU job, and two that sweep what a run may leave behind. The sweeps start to work when this is merged.",
  };
  const pull = open ?? (await gh.ask<PullRequest>({ method: "POST", path: pulls, body, to: "open the pull request" }));
  screen.say(`  ✓ The pull request is open: ${pull.html_url}`);
}
