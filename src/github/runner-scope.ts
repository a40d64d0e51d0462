import type { GithubClient } from "./github-client.ts";
import type { TokenNeed } from "./github-errors.ts";

/** The place of runners: a repository, or its organisation and a group of runners there. */
export interface RunnerScope {
  kind: "repo" | "org";
  /** 1 is the group "Default", which every repository and organisation has. */
  groupId: number;
}

/** A scope in requests and messages. */
export interface RunnerPlace {
  /** Of all routes. */
  base: string;
  /** The repository or organisation, in words. */
  name: string;
  groupId: number;
  /** The need of a token that is to do this here. */
  need(task: string): TokenNeed;
}

/** The place of a scope. */
export function placeOf({ owner, repository }: GithubClient, { kind, groupId }: RunnerScope): RunnerPlace {
  const isOrg = kind === "org";
  const remedy = isOrg ? remedyOfOrg(owner) : remedyOfRepo(repository);
  return {
    base: `${isOrg ? "/orgs/{owner}" : "/repos/{owner}/{repo}"}/actions/runners`,
    name: isOrg ? `the organisation ${owner}` : repository,
    groupId,
    need: (task) => ({ input: "github-token", task, remedy }),
  };
}

function remedyOfRepo(repository: string): string {
  return (
    `Grant the repository permission "Administration: write" on ${repository} to the fine-grained token or the GitHub App ` +
    "(a classic token needs the scope `repo` of a repository administrator), or use runner-scope: org. The workflow's own GITHUB_TOKEN can never do it."
  );
}

function remedyOfOrg(organisation: string): string {
  return (
    `Grant it on ${organisation}: a fine-grained token or a GitHub App needs the organisation permission "Self-hosted runners: write", ` +
    "a classic token the scope `admin:org`. Check runner-group-id, too: GitHub hides a group that is not there behind the same answer. " +
    "runner-scope: org needs an organisation; a person's repositories have none."
  );
}
