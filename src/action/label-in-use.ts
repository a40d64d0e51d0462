import { GithubUnavailableError } from "../github/github-errors.ts";
import type { ListedRunner, Runners } from "../github/runners.ts";
import { UserError } from "../shared/user-error.ts";

/** A live runner already carries this use's label: a second machine would race it for the job. */
export class LabelInUseError extends UserError {
  override readonly name = "LabelInUseError";

  constructor(label: string, runner: string) {
    super(`A runner with the label ${label} is registered already (${runner}).`, {
      kind: "label-in-use",
      hint: "Use the action once per run attempt, or give each use its own name. If the runner is left over, remove it under Settings, Actions, Runners.",
    });
  }
}

/** A use that has registered a runner itself. */
interface OwnRunner {
  /** The beginning of the names of its runners, also of one that a lost answer left. */
  names: string;
  id: number;
}

/**
 * Throws LabelInUseError when another use has registered a runner with our label, before ours if we
 * have one: of two that see each other the first goes on, or nobody would. Best effort: where
 * GitHub can't be asked, it is taken to be free.
 */
export async function checkLabel(
  runners: Runners,
  label: string,
  signal: AbortSignal | undefined,
  own?: OwnRunner,
): Promise<void> {
  try {
    const isOwnOrLater = ({ id, name }: ListedRunner) =>
      own !== undefined && (name.startsWith(own.names) || id > own.id);
    const [rival] = await runners.find((runner) => runner.labels.includes(label) && !isOwnOrLater(runner), signal);
    if (rival) throw new LabelInUseError(label, rival.name);
  } catch (error) {
    if (!(error instanceof GithubUnavailableError)) throw error;
  }
}
