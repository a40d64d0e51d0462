import type { Change } from "./change.ts";
import type { Context } from "./context.ts";
import type { Repository } from "./facts.ts";
import { repositoryPath } from "./gh.ts";
import { commitAndPush } from "./git.ts";
import { BOOT_MINUTES, USUAL_MINUTES } from "./market.ts";
import type { CommitHow } from "./setting-forms.ts";
import type { Settings } from "./workflows.ts";

/** Of the commit, and of the pull request. */
const TITLE = "Run GPU tests on rented machines";

/** Commits and pushes the files; opens the pull request where one is wanted. */
export function commits(how: Exclude<CommitHow, "none">, branch: string, paths: readonly string[]): Change {
  const isPull = how === "pull-request";
  const says = isPull
    ? `Commit these files to the branch ${branch}, push it, and open a pull request.`
    : `Commit these files, and push the branch ${branch}.`;
  return {
    says: [says],
    carryOut: async ({ context, facts, settings }) => {
      const from = isPull ? facts.repository.default_branch : undefined;
      await commitAndPush({ root: facts.checkout.root, branch, from }, paths, TITLE);
      const pushed = `The branch ${branch} is pushed`;
      if (!isPull) return pushed;
      context.note.add(pushed);
      context.screen.say(`  ✓ ${pushed}`);
      context.screen.say("  You are on that branch now, with whatever is not committed: git switch - goes back.");
      return await openPullRequest(context, facts.repository, branch, settings);
    },
  };
}

/** The open pull request of a branch; undefined: there is none. */
export async function findPullRequest({ gh }: Context, { full_name, owner }: Repository, branch: string) {
  const head = encodeURIComponent(`${owner.login}:${branch}`);
  const path = `${repositoryPath(full_name)}/pulls?state=open&head=${head}`;
  const [open] = await gh.ask<{ html_url: string }[]>({ path, to: "list the pull requests" });
  return open;
}

/** Opens the pull request of a branch, or finds the one that is open; says where it is. */
async function openPullRequest(context: Context, repository: Repository, branch: string, settings: Settings) {
  const { gh } = context;
  const pulls = `${repositoryPath(repository.full_name)}/pulls`;
  const open = await findPullRequest(context, repository, branch);
  const body = { title: TITLE, head: branch, base: repository.default_branch, body: bodyFor(settings) };
  const pull =
    open ?? (await gh.ask<{ html_url: string }>({ method: "POST", path: pulls, body, to: "open the pull request" }));
  return `The pull request is open: ${pull.html_url}`;
}

/** What whoever reviews it, and whoever finds it later, has to know. */
function bodyFor({ action, maxCost, maxPrice, pullRequests, jobMinutes = USUAL_MINUTES }: Settings): string {
  const page = `https://github.com/${action.repository}`;
  const most = ((maxPrice * (jobMinutes + BOOT_MINUTES)) / 60).toFixed(2);
  return `Adds a workflow that rents a GPU machine for the GPU job, and two that sweep what a run may leave behind. The sweeps start to work when this is merged.

**What it costs.** Each push to the default branch${pullRequests ? " and each push to a pull request" : ""} rents. A job of ${jobMinutes} minutes costs up to ${most} USD at \`max-price\`, and the host's traffic. A run starts no machine beyond \`max-cost\`: ${maxCost}${maxCost === "none" ? "" : " USD"}.

**How it gives back.** The job \`rent\` destroys each machine when its job is over, even after a failure or a cancel. The machine ends itself at its deadline. The sweeps destroy what is left.

**When it is red.** Open the run: the annotation of \`rent\` says what failed, what may still bill, and what to do. "Re-run failed jobs" rents anew. [What each error means](${page}/blob/main/docs/troubleshooting.md).`;
}
