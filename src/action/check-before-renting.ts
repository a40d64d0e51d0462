import { GithubDoubtError } from "../github/github-errors.ts";
import type { RunnerDownload } from "../github/runner-desk.ts";
import { KnownError } from "../known-error.ts";
import { formatPrice } from "../provisioning/offer-wishes.ts";
import { NoCreditError } from "../provisioning/provisioning-errors.ts";
import { AuthenticationError, PermissionError } from "../service/service-errors.ts";
import type { Rooms } from "./rooms.ts";

/** A live runner already carries this use's label: a second machine would race it for the job. */
export class LabelInUseError extends KnownError {
  override readonly name = "LabelInUseError";

  constructor(label: string, runner: string) {
    super(`A runner with the label ${label} is registered already (${runner}). Nothing was rented.`, {
      hint: "Use the action once per run attempt. If the runner is left over, remove it under Settings, Actions, Runners.",
    });
  }
}

/**
 * Asks all that can be known before money is spent, one request each: the API key, the credit, the GitHub token, whose label it is.
 * (Minting a runner configuration, later, is the full proof of the token; reading the jobs is that of the job token.)
 */
export async function checkBeforeRenting(
  rooms: Rooms,
  runnerLabel: string,
  signal: AbortSignal,
): Promise<RunnerDownload> {
  return await rooms.log.stage("Check keys and tokens", async () => {
    await rooms.service.listInstances(signal);
    await checkCredit(rooms, signal);
    const download = await rooms.desk.download(signal);
    await checkLabel(rooms, runnerLabel, signal);
    return download;
  });
}

/** Best effort: where GitHub can't be asked, the label is taken to be free. */
async function checkLabel({ desk, log }: Rooms, runnerLabel: string, signal: AbortSignal): Promise<void> {
  try {
    const [rival] = await desk.find((runner) => runner.labels.includes(runnerLabel), signal);
    if (rival) throw new LabelInUseError(runnerLabel, rival.name);
  } catch (error) {
    if (!(error instanceof GithubDoubtError)) throw error;
    log.info(`Whether the runner label is free could not be checked: ${error.message}`);
  }
}

async function checkCredit({ service, log }: Rooms, signal: AbortSignal): Promise<void> {
  try {
    const { credit } = await service.currentUser(signal);
    if (credit === undefined) return;
    log.info(`The service's account has ${formatPrice(credit)} of credit.`);
    if (credit <= 0) throw new NoCreditError(`it has ${formatPrice(credit)} of credit`);
  } catch (error) {
    if (!(error instanceof AuthenticationError || error instanceof PermissionError)) throw error;
    log.warning("The API key may not read the account (permission user_read), so the credit was not checked.");
  }
}
