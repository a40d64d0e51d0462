import { describeImage } from "../machine/instance-config.ts";
import {
  AttemptsExhaustedError,
  ImageUnusableError,
  OffersExhaustedError,
  ProbeFailedError,
  ReadyTimeoutError,
} from "../machine/provisioning-errors.ts";
import { type Candidate, describeOffer, type Excluded } from "../market/search.ts";
import type { OfferBudget } from "../money/budget.ts";
import { BudgetError } from "../money/budget-errors.ts";
import { MAY_TURN_UP, NOTHING_LEFT, NOTHING_RENTED } from "../money/what-bills.ts";
import { oneLine } from "../text/foreign-text.ts";
import { formatDuration } from "../time/duration.ts";
import type { Fleet } from "./fleet.ts";
import type { FailedReadiness } from "./judge-readiness.ts";
import type { RentRequest } from "./rent-one.ts";

/** Keeps count over a whole use: which machines failed and why, how many may still be tried, and what to say of the bill. */
export class Tally {
  readonly #machines = new Set<number>();
  readonly #offers = new Set<number>();
  readonly #taken = new Set<number>();
  readonly #request: Pick<RentRequest, "attempts" | "hasProbe" | "instance" | "limits">;
  readonly #fleet: Pick<Fleet, "mayGrow">;
  readonly #failures: string[] = [];
  readonly #imageFaults = new Set<number>();
  #unprepared = 0;

  constructor(
    request: Pick<RentRequest, "attempts" | "hasProbe" | "instance" | "limits">,
    fleet: Pick<Fleet, "mayGrow">,
  ) {
    this.#request = request;
    this.#fleet = fleet;
  }

  /** What failed, or was somebody else's, and is not asked for again in this use. */
  get excluded(): Excluded {
    return { machines: this.#machines, offers: this.#offers, taken: this.#taken };
  }

  /** What may still bill, in a sentence, when every machine that is known was destroyed. */
  get billing(): string {
    if (this.#fleet.mayGrow) return MAY_TURN_UP;
    return this.#failures.length > 0 ? NOTHING_LEFT : NOTHING_RENTED;
  }

  /** Counts a machine that was rented and failed: it is never taken again. Throws when no attempt is left. Returns a line for the log. */
  add(candidate: Candidate, why: string): string {
    this.#note(candidate, why);
    return this.#orThrow();
  }

  /** The same for one that did not become ready: an image that two machines can't pull, and a time that is over, end it, too. */
  addUnready(candidate: Candidate, failed: FailedReadiness): string {
    this.#note(candidate, failed.why);
    if (failed.late === "ready") this.throwLate();
    if (failed.blame === "image") this.#imageFaults.add(candidate.offer.machine_id ?? -candidate.offer.id);
    if (failed.blame === "preparing") this.#unprepared += 1;
    if (this.#unprepared > 1 && this.#request.hasProbe) throw new ProbeFailedError(this.#unprepared, this.billing);
    if (this.#imageFaults.size > 1) throw new ImageUnusableError(describeImage(this.#request.instance), failed.why);
    return this.#orThrow();
  }

  /** Counts an offer that somebody else had. It costs no attempt. */
  addTaken({ offer }: Candidate): void {
    this.#taken.add(offer.id);
  }

  /** `ready-timeout` is over. */
  throwLate(): never {
    throw new ReadyTimeoutError(formatDuration(this.#request.limits.readyMs), this.#failures, this.billing);
  }

  /** What is left of `max-cost` buys no other machine. */
  throwOverBudget(budget: OfferBudget): never {
    throw new BudgetError(budget, this.#failures, this.billing);
  }

  /** No offer is left: the story of the machines that failed if there are any, else that of the market. */
  throwNoneLeft(): never {
    if (this.#failures.length > 0) throw new AttemptsExhaustedError(this.#failures, this.billing);
    throw new OffersExhaustedError(this.#taken.size, this.billing);
  }

  /** How many offers somebody else had. */
  get taken(): number {
    return this.#taken.size;
  }

  /** True once an offer was asked for in vain. */
  get hasTried(): boolean {
    return this.#failures.length > 0 || this.#taken.size > 0;
  }

  #note({ offer }: Candidate, why: string): void {
    this.#offers.add(offer.id);
    if (offer.machine_id !== undefined) this.#machines.add(offer.machine_id);
    this.#failures.push(`Attempt ${this.#failures.length + 1}, ${describeOffer(offer)}: ${oneLine(why)}.`);
  }

  #orThrow(): string {
    const { attempts } = this.#request;
    if (this.#failures.length >= attempts) throw new AttemptsExhaustedError(this.#failures, this.billing);
    return `Attempt ${this.#failures.length} of ${attempts} failed. Taking another machine.`;
  }
}
