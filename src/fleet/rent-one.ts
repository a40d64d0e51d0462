import { describeBoot, type ImageFacts, limitsFor } from "../limits/boot-time.ts";
import type { CutBy, Limits } from "../limits/lifetime.ts";
import type { Log } from "../log.ts";
import { type CreateOutcome, createInstance, settleUncertain } from "../machine/create.ts";
import { destroyInstance } from "../machine/destroy.ts";
import { secretHider } from "../machine/hide-secrets.ts";
import { type InstanceWishes, instanceConfig } from "../machine/instance-config.ts";
import { makeLabel } from "../machine/label.ts";
import type { LedgerPort, RunnerPort } from "../machine/ports.ts";
import { CreateUncertainError } from "../machine/provisioning-errors.ts";
import type { Report } from "../machine/report.ts";
import { describePrice } from "../market/bid-price.ts";
import type { OfferWishes } from "../market/offer-wishes.ts";
import { type Candidate, describeOffer } from "../market/search.ts";
import type { Budget, Money } from "../money/budget.ts";
import type { ServiceClient } from "../service/service-client.ts";
import { oneLine } from "../text/foreign-text.ts";
import type { Clock } from "../time/clock.ts";
import type { Fleet } from "./fleet.ts";
import { planRental, type RentalPlan, tellPlan } from "./rental-plan.ts";

/** What one use asks for. */
export interface RentRequest {
  /** The label prefix of this use. */
  prefix: string;
  /** Every runner is named `<runnerNamePrefix>-<n>`. */
  runnerNamePrefix: string;
  offer: OfferWishes;
  /** On demand is good enough where no bid brings, or keeps, a machine. */
  bidFallback?: boolean;
  /** How long one search may go on when nothing matches, in milliseconds; 0: it asks once. */
  searchMs: number;
  instance: InstanceWishes;
  image: ImageFacts;
  /** With `boot-timeout: auto` the longest that any offer is given; `limitsFor` an offer it may be less. */
  limits: Limits;
  /** The user's line decides, too, whether a machine is good. */
  hasProbe?: boolean;
  /** How many machines may be rented, one after the other. */
  attempts: number;
  /** The script, as sent. */
  onstart: string;
  /** The environment of the instance. `deadline` in Unix seconds, `uptimeMs` the same as a length of time. */
  env: (machine: { jitConfig: string; deadline: number; uptimeMs: number }) => Record<string, string>;
  /** Left out: money sets no bounds. */
  money?: Money;
}

/** What renting needs. */
export interface RentDeps {
  service: ServiceClient;
  runners: RunnerPort;
  ledger: LedgerPort;
  fleet: Fleet;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}

/** A machine that is rented, ready or not. `deadline`: Unix seconds at which it gives itself back at the latest. */
export interface Rented {
  n: number;
  instanceId: number;
  runner: { id: number; name: string };
  candidate: Candidate;
  deadline: number;
  cutBy: CutBy;
  report: Report;
  /** Somebody bid more: the service stopped it. */
  isOutbid?: boolean;
  /** Takes this machine's secrets out of a text that it printed. */
  hideSecrets: (text: string) => string;
}

/**
 * How renting one offer ended. `lost`: an instance was made that could not be used; it is destroyed. `over`: an instance that never showed
 * up in the list ran the job all the same, and is gone.
 */
export type RentOutcome =
  | { kind: "rented"; rented: Rented }
  | { kind: "gone" }
  | { kind: "over" }
  | Extract<CreateOutcome, { kind: "refused" }>
  | { kind: "lost"; why: string };

/** How often an instance is looked for that must exist, because its runner is busy. */
const BUSY_ROUNDS = 5;

/** How long a destruction within main may take before main gives up and leaves it to post. */
export const DESTROY_WITHIN_MS = 90_000;

/** Rents one offer: registers its runner, writes down what is about to be, creates, writes down what came of it. */
export async function rentOne(
  deps: RentDeps,
  request: RentRequest,
  n: number,
  candidate: Candidate,
  budget: Budget,
): Promise<RentOutcome> {
  const { clock, ledger, log, runners, signal } = deps;
  const name = `${request.runnerNamePrefix}-${n}`;
  const { id: runnerId, jitConfig } = await runners.mint(name, signal);
  const minted = clock.now();
  ledger.runner(n, runnerId);
  const plan = planRental(clock.now(), limitsFor(request, candidate.offer), candidate, budget);
  const { deadline, uptimeMs } = plan;
  const label = makeLabel(request.prefix, n, plan.expiry);
  const config = instanceConfig(request.instance, {
    label,
    onstart: request.onstart,
    env: request.env({ jitConfig, deadline, uptimeMs }),
    bid: candidate.price.bid,
  });
  log.info(`Creating an instance from ${describeOffer(candidate.offer)} at ${describePrice(candidate.price)}.`);
  log.info(describeBoot(request, candidate.offer));
  tellPlan(log, plan, budget, clock.now());
  const asked = clock.now();
  ledger.pending(n, label);
  const outcome = await createInstance({ service: deps.service, clock, signal }, candidate.offer.id, config);
  const hideSecrets = secretHider(config.env);
  const draft = { n, runner: { id: runnerId, name }, candidate, minted, asked, label, plan, budget, hideSecrets };
  switch (outcome.kind) {
    case "created":
      return { kind: "rented", rented: record(deps, draft, outcome.id) };
    case "uncertain":
      log.warning(
        `It is not known whether the instance was created (${outcome.sentence}). Looking for it by its label.`,
      );
      return settle(deps, draft);
    case "unwanted":
      return discard(deps, draft, outcome);
    case "gone":
    case "refused":
      return notCreated(deps, draft, outcome);
  }
}

interface Draft extends Pick<Rented, "n" | "runner" | "candidate" | "hideSecrets"> {
  minted: number;
  asked: number;
  label: string;
  plan: RentalPlan;
  budget: Budget;
}

function record({ clock, ledger, log }: RentDeps, draft: Draft, instanceId: number): Rented {
  ledger.created(draft.n, instanceId);
  const report = firstReport(draft, instanceId, clock.now());
  ledger.report(draft.n, report);
  log.info(`Instance ${instanceId} is created. It bills from now on, until it is destroyed.`);
  const { n, runner, candidate, plan, hideSecrets } = draft;
  return { n, instanceId, runner, candidate, deadline: plan.deadline, cutBy: plan.cutBy, report, hideSecrets };
}

/** From now on it counts in the budget. */
function firstReport(draft: Draft, instanceId: number, created: number): Report {
  const { minted, asked, plan } = draft;
  const { offer } = draft.candidate;
  const report: Report = {
    instanceId,
    offer: { id: offer.id, machine_id: offer.machine_id, gpu_name: offer.gpu_name, num_gpus: offer.num_gpus },
    price: plan.price,
    deadline: plan.deadline,
    estimate: plan.estimate,
    at: { minted, asked, created },
    last: "created",
  };
  draft.budget.add(report);
  return report;
}

async function settle(deps: RentDeps, draft: Draft): Promise<RentOutcome> {
  try {
    return await lookForIt(deps, draft);
  } catch (error) {
    // Whatever ends main now: an instance may exist, and nobody may believe that nothing is rented.
    if (error instanceof CreateUncertainError) deps.fleet.expectStray(draft.label, draft.runner.id);
    throw error;
  }
}

async function lookForIt(deps: RentDeps, draft: Draft): Promise<RentOutcome> {
  const { fleet, log, runners, signal } = deps;
  for (let round = 1; round <= BUSY_ROUNDS; round += 1) {
    const found = await settleUncertain(deps, draft.label);
    if (found !== undefined) return { kind: "rented", rented: record(deps, draft, found) };
    // Its runner goes, so that a machine that still turns up can't take the job. A runner that is busy proves that there is one.
    if ((await runners.remove(draft.runner.id, signal)) !== "busy") break;
    if (round === BUSY_ROUNDS) throw new CreateUncertainError(draft.label, undefined);
  }
  fleet.expectStray(draft.label, draft.runner.id);
  if ((await runners.ranJob(draft.runner, signal)) === "yes") return { kind: "over" };
  log.info("No instance with that label is listed: the create counts as not carried out.");
  return { kind: "gone" };
}

async function discard(deps: RentDeps, draft: Draft, unwanted: { id: number; sentence: string }): Promise<RentOutcome> {
  const { clock, ledger, log, runners, signal } = deps;
  ledger.created(draft.n, unwanted.id);
  const sentence = draft.hideSecrets(unwanted.sentence);
  log.warning(`The service refused, and made instance ${unwanted.id} all the same (${sentence}). Destroying it.`);
  // Whatever the service says of it: a machine that has the job is the machine.
  if ((await runners.remove(draft.runner.id, signal)) === "busy")
    return { kind: "rented", rented: record(deps, draft, unwanted.id) };
  const report = firstReport(draft, unwanted.id, clock.now());
  await destroyInstance(
    { ...deps, until: clock.now() + DESTROY_WITHIN_MS },
    { id: unwanted.id, createdAt: clock.now() },
  );
  report.at.gone = clock.now();
  report.last = oneLine(sentence);
  ledger.report(draft.n, report);
  return { kind: "lost", why: sentence };
}

async function notCreated(
  { ledger, log, runners, signal }: RentDeps,
  draft: Draft,
  outcome: { kind: "gone"; sentence: string } | Extract<CreateOutcome, { kind: "refused" }>,
): Promise<RentOutcome> {
  ledger.created(draft.n, "none");
  await runners.remove(draft.runner.id, signal);
  if (outcome.kind === "refused") return outcome;
  log.info(`It was taken by somebody else (${outcome.sentence}). Trying the next one.`);
  return { kind: "gone" };
}
