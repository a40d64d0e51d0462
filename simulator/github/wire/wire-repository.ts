import type { Repository } from "../repositories.ts";
import { wireUser } from "./wire-user.ts";

/** The links of a repository: field name to what follows its URL. */
const LINKS = {
  archive_url: "/{archive_format}{/ref}",
  assignees_url: "/assignees{/user}",
  blobs_url: "/git/blobs{/sha}",
  branches_url: "/branches{/branch}",
  collaborators_url: "/collaborators{/collaborator}",
  comments_url: "/comments{/number}",
  commits_url: "/commits{/sha}",
  compare_url: "/compare/{base}...{head}",
  contents_url: "/contents/{+path}",
  contributors_url: "/contributors",
  deployments_url: "/deployments",
  downloads_url: "/downloads",
  events_url: "/events",
  forks_url: "/forks",
  git_commits_url: "/git/commits{/sha}",
  git_refs_url: "/git/refs{/sha}",
  git_tags_url: "/git/tags{/sha}",
  hooks_url: "/hooks",
  issue_comment_url: "/issues/comments{/number}",
  issue_events_url: "/issues/events{/number}",
  issues_url: "/issues{/number}",
  keys_url: "/keys{/key_id}",
  labels_url: "/labels{/name}",
  languages_url: "/languages",
  merges_url: "/merges",
  milestones_url: "/milestones{/number}",
  notifications_url: "/notifications{?since,all,participating}",
  pulls_url: "/pulls{/number}",
  releases_url: "/releases{/id}",
  stargazers_url: "/stargazers",
  statuses_url: "/statuses/{sha}",
  subscribers_url: "/subscribers",
  subscription_url: "/subscription",
  tags_url: "/tags",
  teams_url: "/teams",
  trees_url: "/git/trees{/sha}",
};

/** A repository as GitHub shows it inside a run. */
export function wireMinimalRepository(repository: Repository, api: string): Record<string, unknown> {
  const url = `${api}/repos/${repository.fullName}`;
  return {
    id: repository.id,
    node_id: Buffer.from(`010:Repository${repository.id}`).toString("base64"),
    name: repository.name,
    full_name: repository.fullName,
    private: true,
    owner: wireUser(repository.owner, api),
    html_url: `https://github.com/${repository.fullName}`,
    description: null,
    fork: false,
    url,
    ...Object.fromEntries(Object.entries(LINKS).map(([field, rest]) => [field, `${url}${rest}`])),
  };
}

/** A repository as `GET /repos/{owner}/{repo}` shows it. */
export function wireRepository(repository: Repository, api: string): Record<string, unknown> {
  const page = `github.com/${repository.fullName}`;
  const counts = { forks: 0, forks_count: 0, open_issues: 0, open_issues_count: 0, watchers: 0, watchers_count: 0 };
  const long_ago = "2025-01-01T00:00:00Z";
  return {
    ...wireMinimalRepository(repository, api),
    ...counts,
    git_url: `git://${page}.git`,
    ssh_url: `git@github.com:${repository.fullName}.git`,
    clone_url: `https://${page}.git`,
    svn_url: `https://${page}`,
    mirror_url: null,
    homepage: null,
    language: null,
    license: null,
    stargazers_count: 0,
    subscribers_count: 0,
    network_count: 0,
    size: 1,
    default_branch: "main",
    has_issues: true,
    has_projects: true,
    has_wiki: true,
    has_pages: false,
    has_discussions: false,
    archived: false,
    disabled: false,
    visibility: "private",
    pushed_at: long_ago,
    created_at: long_ago,
    updated_at: long_ago,
  };
}
