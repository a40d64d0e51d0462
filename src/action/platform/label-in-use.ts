import { GithubDoubtError } from "../../github/github-errors.ts";
import type { ListedRunner } from "../../github/runners/runner.ts";
import type { Runners } from "../../github/runners/runners.ts";
import { KnownError } from "../../known-error.ts";

/** A live runner already carries this use's label: a second machine would race it for the job. */
export class LabelInUseError extends KnownError {
  override readonly name = "LabelInUseError";

  constructor(label: string, runner: string) {
    super(`A runner with the label ${label} is registered already (${runner}).`, {
      kind: "label-in-use",
      hint: "Use the action once per run attempt, or give each use its own name. If the runner is left over, remove it under Settings, Actions, Runners.",
    });
  }
}

/**
 * Throws LabelInUseError when another use has registered a runner with our label. Best effort:
 * where GitHub can't be asked, it is taken to be free. `ownNames`: how the names of this use's own
 * runners begin, among them those that a lost answer left.
 */
export async function checkLabel(
  runners: Runners,
  label: string,
  signal: AbortSignal | undefined,
  ownNames?: string,
): Promise<void> {
  try {
    const isOwn = ({ name }: ListedRunner) => ownNames !== undefined && name.startsWith(ownNames);
    const [rival] = await runners.find((runner) => runner.labels.includes(label) && !isOwn(runner), signal);
    if (rival) throw new LabelInUseError(label, rival.name);
  } catch (error) {
    if (!(error instanceof GithubDoubtError)) throw error;
  }
}
