import { NoCreditError } from "../create/errors.ts";
import type { RunnerDownload } from "../github/runner.ts";
import type { Instance } from "../marketplace/marketplace.ts";
import { LowCreditError, NOTHING_RENTED } from "../money/errors.ts";
import { formatPrice } from "../money/price.ts";
import { userOf } from "./check-only.ts";
import type { Clients } from "./clients.ts";
import { checkLabel } from "./label-in-use.ts";

/** The findings that renting builds on. */
export interface Checked {
  download: RunnerDownload;
  /** USD; undefined where the key may not read it. */
  credit: number | undefined;
  /** All instances of the account. */
  instances: Instance[];
}

/**
 * Asks all that can be known before money is spent, one request each, service and GitHub side by
 * side: the API key, the credit, the GitHub token, whose label it is. Minting and reading the jobs
 * prove the tokens in full, later.
 */
export async function checkBeforeRenting(
  rooms: Clients,
  runnerLabel: string,
  minCredit: number,
  signal: AbortSignal,
): Promise<Checked> {
  return await rooms.log.stage("Check keys and tokens", async () => {
    const both = [askService(rooms, minCredit, signal), askGithub(rooms, runnerLabel, signal)] as const;
    // Where both refuse, the same one is told each time.
    await Promise.allSettled(both);
    return { ...(await both[0]), ...(await both[1]) };
  });
}

async function askService(rooms: Clients, minCredit: number, signal: AbortSignal) {
  const instances = await rooms.service.list(signal);
  return { instances, credit: await checkCredit(rooms, minCredit, signal) };
}

async function askGithub({ runners }: Clients, runnerLabel: string, signal: AbortSignal) {
  const download = await runners.download(signal);
  await checkLabel(runners, runnerLabel, signal);
  return { download };
}

/** The credit in USD; undefined where the key may not read it, or the service does not tell. */
async function checkCredit(rooms: Clients, minCredit: number, signal: AbortSignal): Promise<number | undefined> {
  const user = await userOf(rooms, signal);
  const credit = user?.creditUsd;
  if (credit === undefined) {
    const skipped = minCredit > 0 ? "neither the credit nor min-credit was checked" : "the credit was not checked";
    const why = user
      ? "The service does not tell the account's credit"
      : "The API key may not read the account (permission user_read)";
    rooms.log.warning(`${why}, so ${skipped}.`);
    return undefined;
  }
  rooms.log.info(`The service's account has ${formatPrice(credit)} of credit.`);
  if (credit <= 0) throw new NoCreditError(`it has ${formatPrice(credit)} of credit`, NOTHING_RENTED);
  if (credit < minCredit) throw new LowCreditError(credit, minCredit);
  return credit;
}
