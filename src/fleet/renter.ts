import { limitsFor } from "../limits/boot-time.ts";
import type { RunnerStatus } from "../machine/ports.ts";
import type { Report } from "../machine/report.ts";
import { noteFigures } from "../machine/shown-figures.ts";
import { Bidding } from "../market/bidding.ts";
import { NoOfferError } from "../market/market-errors.ts";
import { type Candidate, searchForOffers } from "../market/search.ts";
import { Budget, leastCost } from "../money/budget.ts";
import type { Instance } from "../service/schemas/instance.ts";
import { oneLine } from "../text/foreign-text.ts";
import { giveUp } from "./give-up.ts";
import type { FailedReadiness } from "./judge-readiness.ts";
import { type RentDeps, type Rented, type RentOutcome, type RentRequest, rentOne } from "./rent-one.ts";
import { Tally } from "./tally.ts";
import { waitUntilReady } from "./wait-until-ready.ts";

/** A machine whose instance is running and whose runner is online. */
export interface Ready extends Rented {
  instance: Instance | undefined;
  /** From the start of the search, machines that failed included. */
  secondsToReady: number;
}

/** Creation, a boot without much to pull, and the runner's start. */
const LEAST_START_MS = 120_000;

/** GitHub's list of jobs lags behind. */
const LOOKS_APART_MS = 15_000;
const OUTBID = "The machine was outbid.";

/** Rents machines until one is ready; keeps count of attempts and of bad machines over the whole use. */
export class Renter {
  readonly #deps: RentDeps;
  readonly #request: RentRequest;
  readonly #tally: Tally;
  readonly #budget: Budget<Report>;
  readonly #bidding: Bidding;
  #creates = 0;
  #searchedAt = 0;

  constructor(deps: RentDeps, request: RentRequest) {
    this.#deps = deps;
    this.#request = request;
    this.#tally = new Tally(request, deps.fleet);
    this.#bidding = new Bidding(request.offer.bid, request.bidFallback ?? false, deps.log);
    this.#budget = new Budget<Report>(request.money ?? {}, request.limits);
  }

  /** What became of every machine that was rented so far, in order. Kept up to date. */
  get attempts(): readonly Report[] {
    return this.#budget.reports;
  }

  /** How many offers somebody else had when they were asked for. */
  get taken(): number {
    return this.#tally.taken;
  }

  /**
   * Searches, creates and waits; destroys a machine that fails and takes the next one. Nothing that is known is left rented when it throws.
   * Undefined: the job ran on a machine that was never seen, and is over.
   */
  async rent(): Promise<Ready | undefined> {
    const { clock, log } = this.#deps;
    const start = clock.now();
    const readyBy = start + this.#request.limits.readyMs;
    for (;;) {
      const candidates = await log.stage("Search offers", () => this.#search(readyBy));
      const rented = await log.stage("Create an instance", () => this.#rentFirst(candidates, readyBy));
      if (rented === "none") continue;
      if (rented === undefined) return undefined;
      const ready = await this.#readyOrGivenUp(rented, readyBy);
      if (ready) return { ...rented, ...ready, secondsToReady: Math.round((clock.now() - start) / 1000) };
    }
  }

  /** Gives up a machine that was ready. `kept`: a job runs on it. Throws when no attempt is left. */
  async giveUpReady(rented: Rented, why: string): Promise<"destroyed" | "kept"> {
    if ((await giveUp(this.#deps, rented, why)) === "kept") return "kept";
    this.#deps.log.info(this.#tally.add(rented.candidate, why));
    if (rented.isOutbid) this.#bidding.fallBack(OUTBID);
    return "destroyed";
  }

  async #search(readyBy: number): Promise<Candidate[]> {
    const { clock } = this.#deps;
    this.#searchedAt = clock.now();
    const until = Math.min(readyBy, this.#searchedAt + this.#request.searchMs);
    const budget = this.#budget.forOffers(this.#searchedAt);
    const offer = { ...this.#request.offer, bid: this.#bidding.bid, budget };
    try {
      return await searchForOffers(this.#deps, offer, this.#tally.excluded, { clock, until });
    } catch (error) {
      if (error instanceof NoOfferError && this.#bidding.fallBack("No interruptible machine is to be had."))
        return await this.#search(readyBy);
      if (budget && error instanceof NoOfferError && error.input === "max-cost" && this.#budget.hasSpent)
        this.#tally.throwOverBudget(budget);
      // "No offer matches" and "nothing was rented" need not be true any more: the story of what was tried is the better answer.
      if (error instanceof NoOfferError && this.#tally.hasTried) this.#tally.throwNoneLeft();
      throw error;
    }
  }

  /** Creates from the first offer that is still to be had. `none`: all were taken, search again. Undefined: the job is over already. */
  async #rentFirst(candidates: Candidate[], readyBy: number): Promise<Rented | "none" | undefined> {
    for (const candidate of candidates) {
      if (this.#deps.clock.now() >= readyBy - this.#leastMs()) this.#tally.throwLate();
      this.#checkBudget(candidate);
      this.#creates += 1;
      const outcome = await rentOne(this.#deps, this.#request, this.#creates, candidate, this.#budget);
      if (outcome.kind === "rented") {
        outcome.rented.report.at.searched = this.#searchedAt;
        return outcome.rented;
      }
      if (outcome.kind === "over") return undefined;
      this.#noteNotRented(candidate, outcome);
    }
    const isWorthAnother =
      this.#bidding.fallBack("Every interruptible machine was taken.") || this.#request.searchMs > 0;
    return isWorthAnother ? "none" : this.#tally.throwNoneLeft();
  }

  /** No machine is ready in less: with so little left of ready-timeout none is rented any more. */
  #leastMs(): number {
    return Math.min(LEAST_START_MS, this.#request.limits.readyMs / 4);
  }

  /** What was lost since the search may have cost something, too. */
  #checkBudget({ offer, price }: Candidate): void {
    const budget = this.#budget.forOffers(this.#deps.clock.now());
    if (budget && leastCost(price, offer, budget) > budget.left) this.#tally.throwOverBudget(budget);
  }

  #noteNotRented(candidate: Candidate, outcome: Exclude<RentOutcome, { kind: "rented" | "over" }>): void {
    if (outcome.kind === "refused") throw outcome.error(this.#tally.billing);
    if (outcome.kind === "gone") this.#tally.addTaken(candidate);
    if (outcome.kind === "lost") this.#deps.log.info(this.#tally.add(candidate, outcome.why));
  }

  /** Undefined: it was given up. */
  async #readyOrGivenUp(rented: Rented, readyBy: number): Promise<Pick<Ready, "instance"> | undefined> {
    const { log } = this.#deps;
    const title = `Wait until instance ${rented.instanceId} is ready`;
    const { failed, instance } = await log.stage(title, () => this.#wait(rented, readyBy));
    if (failed === undefined) return { instance };
    if ((await giveUp(this.#deps, rented, failed.why)) === "kept") {
      this.#noteState(rented, "ready");
      return { instance };
    }
    log.info(this.#tally.addUnready(rented.candidate, failed));
    if (failed.outbid) this.#bidding.fallBack(OUTBID);
    return undefined;
  }

  async #wait(
    rented: Rented,
    readyBy: number,
  ): Promise<{ failed: FailedReadiness | undefined } & Pick<Ready, "instance">> {
    const { instanceId, report } = rented;
    // Written down at once: post must know it, whatever ends main.
    const onLook = (seen: Instance | undefined, isNew: boolean) => {
      if ((seen && noteFigures(report, seen)) || isNew) this.#deps.ledger.report(rented.n, report);
    };
    const isBid = rented.candidate.price.bid !== undefined;
    const awaited = { instanceId, runner: rented.runner, at: report.at, readyBy, onLook, isBid };
    const waiting = { ...this.#deps, limits: limitsFor(this.#request, rented.candidate.offer) };
    const { readiness, instance, runner } = await waitUntilReady(waiting, awaited);
    const isReady = readiness.kind === "ready" || (await this.#ranJob(rented, runner));
    // A host's error may repeat the command with which it started the container, variables and all.
    const failed = isReady ? undefined : { ...readiness, why: rented.hideSecrets(readiness.why) };
    this.#noteState(rented, failed ? oneLine(failed.why) : "ready");
    return { failed, instance };
  }

  #noteState({ n, report }: Rented, state: string): void {
    report.last = state;
    this.#deps.ledger.report(n, report);
  }

  /** Before "never online" is believed: a job that ran on it means that it was online. */
  async #ranJob({ report, runner }: Rented, runnerStatus: RunnerStatus): Promise<boolean> {
    const { clock, runners, signal } = this.#deps;
    // A single-use runner that is registered still has had no job. One that is gone may have had it, and the list lags.
    const looks = runnerStatus === "offline" ? [0] : [0, LOOKS_APART_MS];
    for (const pause of looks) {
      await clock.sleep(pause, signal);
      if ((await runners.ranJob(runner, signal)) !== "yes") continue;
      // Nobody saw when it began to run; for the bill, the earliest moment that it can have been.
      report.at.running ??= report.at.created ?? report.at.asked;
      return true;
    }
    return false;
  }
}
