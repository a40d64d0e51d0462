import { checkLabel } from "../github/registrations.ts";
import { NoCreditError } from "../machine/errors.ts";
import { AuthenticationError, PermissionError } from "../marketplace/errors.ts";
import type { Account, Instance } from "../marketplace/marketplace.ts";
import { LowCreditError, NOTHING_RENTED } from "../money/errors.ts";
import { formatPrice } from "../money/price.ts";
import { attemptAsker, ownedInstances, sweeperOf } from "../release/leftovers.ts";
import type { Session } from "../release/session.ts";
import { type Swept, sweepOnce } from "../release/sweep.ts";
import type { AskingForTemplate } from "./template.ts";

/**
 * Checks keys, credit and label by one request each, side by side. Later steps prove the tokens in full. Returns all
 * instances of the account, whoever rented them, and its credit in USD; undefined if the key may not read that.
 */
export async function checkBeforeRenting(
  session: Pick<Session, "log" | "run" | "runners" | "service">,
  minCredit: number,
  signal: AbortSignal,
) {
  const { run, runners, service } = session;
  const askService = async () => {
    const instances = await service.list(signal);
    return { instances, credit: await checkCredit(session, minCredit, signal) };
  };
  const askGithub = async () => {
    const download = await runners.download(signal);
    await checkLabel(runners, run.runnerLabel, signal);
    return { download };
  };
  return await session.log.stage("Check keys and tokens", async () => {
    const both = [askService(), askGithub()] as const;
    // Where both refuse, always the same refusal is reported.
    await Promise.allSettled(both);
    return { ...(await both[0]), ...(await both[1]) };
  });
}

/** Returns the credit in USD; undefined if the key may not read it, or the service does not show it. */
async function checkCredit(
  session: AskingForTemplate,
  minCredit: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const user = await userOf(session, signal);
  const credit = user?.creditUsd;
  if (credit === undefined) {
    const skipped = minCredit > 0 ? "neither the credit nor min-credit was checked" : "the credit was not checked";
    const why = user
      ? "Vast.ai does not show the account's credit"
      : "The API key may not read the account (permission user_read)";
    session.log.warning(`${why}, so ${skipped}.`);
    return undefined;
  }
  session.log.info(`The service's account has ${formatPrice(credit)} of credit.`);
  throwIfTooLow(credit, minCredit);
  return credit;
}

/** Throws if the service would rent nothing for this credit, or if it is less than `min-credit`. */
export function throwIfTooLow(credit: number, minCredit: number): void {
  if (credit <= 0) throw new NoCreditError(`it has ${formatPrice(credit)} of credit`, NOTHING_RENTED);
  if (credit < minCredit) throw new LowCreditError(credit, minCredit);
}

/** How long the sweep before renting may take. The next sweep does what is left. */
const SWEEP_WITHIN_MS = 5000;
/** How long a destroyed instance may still be listed. After that, it did not go. SPEC-SILENT: no figure is named. */
const GOES_WITHIN_MS = 60_000;
/** How many instances the sweep before renting destroys. The service wants three seconds between two destructions. */
const MOST_DESTROYED = 2;

/**
 * Destroys leftovers of other runs, for five seconds at most. A failure here does not keep the step
 * from renting. `instances`: the account's, as just listed. Returns a function that finds this
 * repository's machines in a list, without those that are being destroyed.
 */
export async function sweepFirst(
  session: Pick<Session, "clock" | "log" | "repositoryId" | "run" | "runs" | "service">,
  { instances, signal }: { instances: readonly Instance[]; signal: AbortSignal },
): Promise<(listed: readonly Instance[]) => readonly number[]> {
  const sweeper = sweeperOf(session.run, await session.repositoryId(signal));
  const owned = (listed: readonly Instance[]) => ownedInstances(listed, sweeper).map(({ id }) => id);
  if (owned(instances).length === 0) return owned;
  const { clock, log, runs } = session;
  const sweeping = {
    ...session,
    sweeper,
    askAttempt: attemptAsker(runs, clock, (line) => log.info(line)),
    maxDestroy: MOST_DESTROYED,
    isDryRun: false,
    signal: AbortSignal.any([signal, AbortSignal.timeout(SWEEP_WITHIN_MS)]),
  };
  const { ours } = await log.stage("Sweep leftovers", () => sweepOnce(sweeping, instances, clock.now()));
  signal.throwIfAborted();
  const isLeaving = ({ kind, mayGo = false }: Swept) => kind === "destroyed" || kind === "was-gone" || mayGo;
  const leaving = new Set(ours.filter(({ fate }) => isLeaving(fate)).map(({ owned }) => owned.id));
  const until = clock.now() + GOES_WITHIN_MS;
  // A destroyed machine may be listed for longer than this sweep takes. One that stays after that counts again.
  const isGoing = (id: number) => clock.now() < until && leaving.has(id);
  return (listed) => owned(listed).filter((id) => !isGoing(id));
}

/** Reads the account. Returns undefined if the key may not read it, which does not stop renting. */
export async function userOf({ service }: Pick<Session, "service">, signal: AbortSignal): Promise<Account | undefined> {
  try {
    return await service.account(signal);
  } catch (error) {
    if (!(error instanceof AuthenticationError || error instanceof PermissionError)) throw error;
    return undefined;
  }
}
