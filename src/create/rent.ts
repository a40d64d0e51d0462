import type { OfferPrice } from "../money/price.ts";
import type { Log } from "../shared/log.ts";
import { UserError } from "../shared/user-error.ts";
import type { Offer } from "../vast/schemas/offer.ts";
import {
  type CreateOutcome,
  type Creating,
  findByLabel,
  type RefusedBy,
  sendCreate,
  settleUncertain,
} from "./create.ts";
import { secretHider } from "./hide-secrets.ts";
import { instanceConfig } from "./instance-config.ts";
import { makeLabel } from "./label.ts";
import type { MachineRecord, Terms } from "./machine-record.ts";
import type { LedgerPort, RunnersPort } from "./ports.ts";
import type { RentRequest } from "./rent-request.ts";

/** The tools of renting. */
export interface RentDeps extends Creating {
  runners: RunnersPort;
  ledger: LedgerPort;
  log: Log;
}

/** A machine that is to be rented: of which offer, and what is settled about its end and cost. */
export interface Rental {
  n: number;
  offer: Offer;
  price: OfferPrice;
  searchedAt: number;
  /** Unix seconds; the same as a length of time; and when its label expires. */
  deadline: number;
  uptimeMs: number;
  expiry: number;
  terms: Terms;
  /** Called when its runners are registered. `hide` takes the machine's secrets out of a text. */
  onRegistered: (runners: readonly { id: number; name: string }[], hide: (text: string) => string) => void;
}

/**
 * How renting one offer ended. `unwanted`: the service made an instance and refused all the same.
 * `not-made`: nothing is known to exist; what may turn up all the same carries the label.
 * `isListed`: a list that was read after it lacks it.
 */
export type RentOutcome =
  | { kind: "created"; instanceId: number; report: MachineRecord; unwanted?: string }
  | { kind: "not-made"; why: "gone" | "too-fast" | "unknown"; sentence: string; isListed?: boolean }
  | { kind: "refused"; by: RefusedBy | "registration"; error: (billing: string) => UserError; isListed?: boolean }
  | { kind: "unregistered"; error: UserError };

interface Draft {
  rental: Rental;
  label: string;
  runners: readonly { id: number; name: string; jitConfig: string }[];
  mintedAt: number;
  askedAt: number;
  hide: (text: string) => string;
}

/** Registers one machine's runners and creates it, writing down each step before and after. */
export async function rent(deps: RentDeps, request: RentRequest, rental: Rental): Promise<RentOutcome> {
  const { clock, ledger } = deps;
  const runners = await register(deps, request, rental);
  if (runners instanceof UserError) return { kind: "unregistered", error: runners };
  const mintedAt = clock.now();
  const { deadline, uptimeMs } = rental;
  const label = makeLabel(request.prefix, rental.n, rental.expiry);
  const env = request.env({ jitConfigs: runners.map(({ jitConfig }) => jitConfig), deadline, uptimeMs });
  const config = instanceConfig(request.instance, { label, onstart: request.onstart, env, bid: rental.price.bid });
  const draft = { rental, label, runners, mintedAt, askedAt: clock.now(), hide: secretHider(env) };
  rental.onRegistered(runners, draft.hide);
  const outcome = await sendCreate(deps, rental.offer.id, config, () => {
    draft.askedAt = clock.now();
    ledger.pending(rental.n, label);
  });
  return await settle(deps, draft, outcome);
}

/** One after the other, so that what was registered before a failure is known, and removed. */
async function register(
  { runners, ledger, signal }: RentDeps,
  { jobsPerMachine, runnerNamePrefix }: RentRequest,
  { n }: Rental,
): Promise<Draft["runners"] | UserError> {
  const minted: { id: number; name: string; jitConfig: string }[] = [];
  try {
    for (let k = 1; k <= jobsPerMachine; k += 1) {
      const name = k === 1 ? `${runnerNamePrefix}-${n}` : `${runnerNamePrefix}-${n}-${k}`;
      minted.push({ name, ...(await runners.registerRunner(name, signal)) });
      ledger.runners(
        n,
        minted.map(({ id }) => id),
      );
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    for (const { id } of minted) await runners.remove(id, signal);
    return error;
  }
  return minted;
}

async function settle(deps: RentDeps, draft: Draft, outcome: CreateOutcome): Promise<RentOutcome> {
  switch (outcome.kind) {
    case "created":
      return record(deps, draft, outcome.id);
    case "unwanted":
      return { ...record(deps, draft, outcome.id), unwanted: draft.hide(outcome.sentence) };
    case "uncertain":
      deps.log.warning(
        `It is not known whether the instance was created (${outcome.sentence}). Looking for it by its label.`,
      );
      return await lookForIt(deps, draft, outcome.sentence);
    default:
      return await notMade(deps, draft, outcome);
  }
}

function record({ clock, ledger }: RentDeps, draft: Draft, instanceId: number): RentOutcome & { kind: "created" } {
  const { askedAt, mintedAt, rental } = draft;
  const { n, searchedAt, terms } = rental;
  ledger.created(n, instanceId);
  const report: MachineRecord = {
    instanceId,
    ...terms,
    at: { searched: searchedAt, minted: mintedAt, asked: askedAt, created: clock.now() },
    last: "created",
  };
  ledger.report(n, report);
  return { kind: "created", instanceId, report };
}

async function lookForIt(deps: RentDeps, draft: Draft, sentence: string): Promise<RentOutcome> {
  const found = await settleUncertain(deps, draft.label);
  if (found !== undefined) return record(deps, draft, found);
  await removeRunners(deps, draft);
  return { kind: "not-made", why: "unknown", sentence, isListed: false };
}

/** Refusals were seen to have made an instance: the list is asked before they are believed. */
async function notMade(
  deps: RentDeps,
  draft: Draft,
  outcome: Extract<CreateOutcome, { kind: "gone" | "too-fast" | "refused" }>,
): Promise<RentOutcome> {
  const sentence = "sentence" in outcome ? outcome.sentence : "too many requests";
  const found = outcome.kind === "gone" ? undefined : await findByLabel(deps, draft.label);
  if (typeof found === "number") {
    const made = record(deps, draft, found);
    return outcome.kind === "too-fast" ? made : { ...made, unwanted: draft.hide(sentence) };
  }
  // While the list can't be read, post must go on looking for it: nothing is written down.
  if (found === undefined) deps.ledger.created(draft.rental.n, "none");
  await removeRunners(deps, draft);
  const isListed = found === undefined && outcome.kind !== "gone";
  if (outcome.kind === "refused") return { ...outcome, isListed };
  return { kind: "not-made", why: found === undefined ? outcome.kind : "unknown", sentence, isListed };
}

/** They go, so that a machine that still turns up can't take a job. */
async function removeRunners({ runners, signal }: RentDeps, draft: Draft): Promise<void> {
  for (const { id } of draft.runners) await runners.remove(id, signal);
}
