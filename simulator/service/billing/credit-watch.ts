import type { SimClock } from "../../clock/sim-clock.ts";
import { phaseAt } from "../rentals/lifecycle.ts";
import type { Rentals } from "../rentals/rentals.ts";
import type { Books } from "./books.ts";

interface CreditWatchOptions {
  clock: SimClock;
  /** USD before anything was billed. */
  credit: number;
  books: Books;
  rentals: Rentals;
}

/** Observed: a credit of zero stops every instance. Their disks bill on, into the negative. */
export class CreditWatch {
  readonly #options: CreditWatchOptions;
  #cancel: (() => void) | undefined;
  #isLooking = false;

  constructor(options: CreditWatchOptions) {
    this.#options = options;
  }

  /** Stops what runs if the credit is gone; else looks when it will be. Call after each event. */
  look(): void {
    // Stopping an instance is an event, too.
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#cancel?.();
    this.#cancel = undefined;
    const { clock, credit, books, rentals } = this.#options;
    const left = credit - books.total();
    if (left <= 0) {
      for (const record of rentals.records) rentals.stop(record, "owner");
    } else if (books.billingNow().length > 0) {
      this.#cancel = clock.after(this.#msUntilNextLook(left), () => this.look());
    }
    this.#isLooking = false;
  }

  /** The next look is at the next change of an instance's state, as that changes the rate. */
  #msUntilNextLook(left: number): number {
    const { clock, books, rentals } = this.#options;
    const now = clock.now();
    const rates = [...books.billingNow().map(({ gpuPerHour, storagePerHour }) => gpuPerHour + storagePerHour)];
    const rate = [...rates, ...books.volumesNow().map((volume) => volume.storagePerHour)].reduce((a, b) => a + b, 0);
    const changes = rentals.records.map((record) => (phaseAt(record, now)?.to ?? Number.POSITIVE_INFINITY) - now);
    const empty = rate > 0 ? (left / rate) * 3_600_000 : Number.POSITIVE_INFINITY;
    // A timer waits 24 days at most, and bytes that an instance moves are not in the rate.
    return Math.max(1, Math.min(empty, ...changes, LONGEST_MS));
  }

  /** Looks no more. */
  [Symbol.dispose](): void {
    this.#cancel?.();
    this.#isLooking = true;
  }
}

const LONGEST_MS = 600_000;
