import type { Context } from "./context.ts";
import type { Facts } from "./facts.ts";
import { partOf, repositoryPath } from "./gh.ts";
import { isKnown } from "./git.ts";
import { SetupError } from "./setup-error.ts";
import { GPU_WORKFLOW } from "./workflows.ts";

/** Throws where the repository is not ready for init. Gives why nothing can be committed on what is checked out, if so. */
export async function refuseUnready(context: Context, facts: Facts): Promise<string | undefined> {
  const { checkout, files, repository } = facts;
  if (!(await isKnown(checkout.root, "HEAD")))
    throw new SetupError("The repository has no commit yet.", "Commit something, push it, and run this again.");
  const base = await findBranch(context, facts, repository.default_branch);
  if (base === undefined)
    throw new SetupError(
      `GitHub has no branch ${repository.default_branch} of ${repository.full_name}.`,
      `Push it first: git push -u origin ${repository.default_branch}`,
    );
  const { owner, why = "is not init's own" } = files.find(({ path }) => path === GPU_WORKFLOW) ?? {};
  if (owner === "foreign")
    throw new SetupError(
      `${GPU_WORKFLOW} ${why}, and init writes its workflow there. Nothing was changed.`,
      `Give it another name, and run this again: git mv ${GPU_WORKFLOW} ${GPU_WORKFLOW.replace("gpu.yml", "gpu-own.yml")}`,
    );
  return await whyNoCommit(context, facts);
}

async function whyNoCommit(context: Context, facts: Facts): Promise<string | undefined> {
  const { branch } = facts.checkout;
  const found = branch === undefined ? undefined : await findBranch(context, facts, branch);
  if (branch !== undefined && !found?.protected) return undefined;
  const why = branch === undefined ? "no branch is checked out (a detached HEAD)" : `the branch ${branch} is protected`;
  if (context.options.commit === "branch")
    throw new SetupError(`The files can't be committed: ${why}. Nothing was changed.`, "Take --commit pull-request.");
  return why;
}

async function findBranch({ gh }: Context, { repository }: Facts, name: string) {
  const path = `${repositoryPath(repository.full_name)}/branches/${partOf(name)}`;
  return await gh.find<{ protected?: boolean }>({ path, to: `show the branch ${name}` });
}
