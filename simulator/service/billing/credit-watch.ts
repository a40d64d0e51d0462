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

/** Observed: at a credit of zero the service stops every instance. Their disks bill on, into the negative. */
export class CreditWatch {
  readonly #options: CreditWatchOptions;
  #cancel: (() => void) | undefined;
  #isLooking = false;

  constructor(options: CreditWatchOptions) {
    this.#options = options;
  }

  /** Stops what runs if the credit is gone; else looks again when it will be, at the present rate. To be called after each event. */
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

  /** The rate changes with the states of the instances: the next look is at the next of those changes at the latest. */
  #msUntilNextLook(left: number): number {
    const { clock, books, rentals } = this.#options;
    const now = clock.now();
    const rates = [...books.billingNow().map(({ gpuPerHour, storagePerHour }) => gpuPerHour + storagePerHour)];
    const rate = [...rates, ...books.volumesNow().map((volume) => volume.storagePerHour)].reduce((a, b) => a + b, 0);
    const changes = rentals.records.map((record) => (phaseAt(record, now)?.to ?? Number.POSITIVE_INFINITY) - now);
    const empty = rate > 0 ? (left / rate) * 3_600_000 : Number.POSITIVE_INFINITY;
    // A timer can't wait longer than about 24 days, and the bytes that an instance moves are not in the rate.
    return Math.max(1, Math.min(empty, ...changes, LONGEST_MS));
  }

  /** Looks no more. */
  [Symbol.dispose](): void {
    this.#cancel?.();
    this.#isLooking = true;
  }
}

const LONGEST_MS = 600_000;
