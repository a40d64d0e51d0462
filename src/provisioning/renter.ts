import { oneLine } from "../foreign-text.ts";
import type { Instance } from "../service/schemas/instance.ts";
import { formatDuration } from "../time/duration.ts";
import { destroyInstance } from "./destroy.ts";
import type { Readiness } from "./judge-readiness.ts";
import {
  AttemptsExhaustedError,
  ImageUnusableError,
  NoOfferError,
  OffersExhaustedError,
  ReadyTimeoutError,
} from "./provisioning-errors.ts";
import { DESTROY_WITHIN_MS, type RentDeps, type Rented, type RentRequest, rentOne } from "./rent-one.ts";
import { type Candidate, describeOffer, type Excluded, searchForOffers } from "./search.ts";
import { waitUntilReady } from "./wait-until-ready.ts";

/** A machine whose instance is running and whose runner is online. */
export interface Ready extends Rented {
  instance: Instance | undefined;
  /** From the start of the search, machines that failed included. */
  secondsToReady: number;
}

type Failed = Extract<Readiness, { kind: "failed" }>;

/** How often GitHub is asked to remove a runner before its machine is destroyed without that word. */
const REMOVE_TRIES = 4;
const REMOVE_PAUSE_MS = 5000;

/** Rents machines until one is ready; keeps count of attempts and of bad machines over the whole use. */
export class Renter {
  readonly #deps: RentDeps;
  readonly #request: RentRequest;
  readonly #bad: Excluded = { machines: new Set(), offers: new Set() };
  readonly #imageFaults = new Set<number>();
  readonly #failures: string[] = [];
  #creates = 0;

  constructor(deps: RentDeps, request: RentRequest) {
    this.#deps = deps;
    this.#request = request;
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
      const candidates = await log.stage("Search offers", () => this.#search());
      const rented = await log.stage("Create an instance", () => this.#rentFirst(candidates, readyBy));
      if (rented === undefined) return undefined;
      const ready = await log.stage(`Wait until instance ${rented.instanceId} is ready`, () =>
        this.#wait(rented, readyBy),
      );
      if (ready) return { ...rented, ...ready, secondsToReady: Math.round((clock.now() - start) / 1000) };
    }
  }

  /** Counts a machine that was lost after it had been ready: it is never taken again. Throws when no attempt is left. */
  countLost(rented: Rented, why: string): void {
    this.#addFailure(rented.candidate, why);
    this.#checkAttempts();
  }

  /**
   * Gives up a machine that might still work: first its runner, so that no job can come. `kept`: a job runs on it, and it stays.
   */
  async giveUp(rented: Rented, why: string): Promise<"destroyed" | "kept"> {
    const { clock, ledger, log } = this.#deps;
    if ((await this.#removeRunner(rented.runner.id)) === "busy") return "kept";
    log.info(`Destroying instance ${rented.instanceId}: ${why}.`);
    await destroyInstance({ ...this.#deps, until: clock.now() + DESTROY_WITHIN_MS }, rented.instanceId);
    rented.report.at.gone ??= clock.now();
    rented.report.last = oneLine(why);
    ledger.report(rented.n, rented.report);
    log.info(`Instance ${rented.instanceId} is destroyed.`);
    return "destroyed";
  }

  async #search(): Promise<Candidate[]> {
    try {
      return await searchForOffers(this.#deps, this.#request.offer, this.#bad);
    } catch (error) {
      // "Nothing was rented" would not be true any more: the story of the failed machines is the better answer.
      if (error instanceof NoOfferError && this.#failures.length > 0) throw new AttemptsExhaustedError(this.#failures);
      throw error;
    }
  }

  /** Creates from the first offer that is still to be had. Undefined: the job is over already. */
  async #rentFirst(candidates: Candidate[], readyBy: number): Promise<Rented | undefined> {
    for (const candidate of candidates) {
      this.#checkTime(readyBy);
      this.#creates += 1;
      const outcome = await rentOne(this.#deps, this.#request, this.#creates, candidate);
      if (outcome.kind === "rented") return outcome.rented;
      if (outcome.kind === "over") return undefined;
      if (outcome.kind !== "lost") continue;
      this.#addFailure(candidate, outcome.why);
      this.#checkAttempts();
    }
    if (this.#failures.length > 0) throw new AttemptsExhaustedError(this.#failures);
    throw new OffersExhaustedError(candidates.length, this.#deps.fleet.mayGrow);
  }

  /** Undefined: it was given up. */
  async #wait(rented: Rented, readyBy: number): Promise<Pick<Ready, "instance"> | undefined> {
    const { ledger, runners, signal } = this.#deps;
    const awaited = { instanceId: rented.instanceId, runner: rented.runner, at: rented.report.at, readyBy };
    const { readiness, instance } = await waitUntilReady({ ...this.#deps, limits: this.#request.limits }, awaited);
    rented.report.last = readiness.kind === "ready" ? "ready" : oneLine(readiness.why);
    ledger.report(rented.n, rented.report);
    if (readiness.kind === "ready") return { instance };
    // Before "never online" is believed: a job that ran on it means that it was online, and is done.
    if ((await runners.ranJob(rented.runner, signal)) === "yes") {
      // Nobody saw when it began to run; for the bill, the earliest moment that it can have been.
      rented.report.at.running ??= rented.report.at.created ?? rented.report.at.asked;
      return { instance };
    }
    if ((await this.giveUp(rented, readiness.why)) === "kept") return { instance };
    this.#judgeFailure(rented, readiness);
    return undefined;
  }

  #judgeFailure(rented: Rented, failed: Failed): void {
    const { offer } = rented.candidate;
    this.#addFailure(rented.candidate, failed.why);
    if (failed.late === "ready") this.#throwLate();
    if (failed.blame === "image") this.#imageFaults.add(offer.machine_id ?? -offer.id);
    if (this.#imageFaults.size > 1) throw new ImageUnusableError(this.#request.instance.image, failed.why);
    this.#checkAttempts();
  }

  #addFailure({ offer }: Candidate, why: string): void {
    this.#bad.offers.add(offer.id);
    if (offer.machine_id !== undefined) this.#bad.machines.add(offer.machine_id);
    this.#failures.push(`Attempt ${this.#failures.length + 1}, ${describeOffer(offer)}: ${oneLine(why)}.`);
  }

  #checkAttempts(): void {
    const { attempts } = this.#request;
    if (this.#failures.length >= attempts) throw new AttemptsExhaustedError(this.#failures);
    this.#deps.log.info(`Attempt ${this.#failures.length} of ${attempts} failed. Taking another machine.`);
  }

  #checkTime(readyBy: number): void {
    if (this.#deps.clock.now() >= readyBy) this.#throwLate();
  }

  #throwLate(): never {
    throw new ReadyTimeoutError(formatDuration(this.#request.limits.readyMs), this.#failures);
  }

  async #removeRunner(runnerId: number): Promise<"removed" | "busy" | "unknown"> {
    const { clock, runners, signal } = this.#deps;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await runners.remove(runnerId, signal);
      if (answer !== "unknown" || attempt === REMOVE_TRIES) return answer;
      await clock.sleep(REMOVE_PAUSE_MS, signal);
    }
  }
}
