import type { SimClock } from "../../clock/sim-clock.ts";
import { phaseAt } from "../rentals/lifecycle.ts";
import type { Rentals } from "../rentals/rentals.ts";
import type { Books } from "./books.ts";

const LONGEST_MS = 600_000;

interface Watched {
  clock: SimClock;
  books: Books;
  rentals: Rentals;
}

/** Observed: a credit of zero stops every instance. Their disks bill on, into the negative. `credit`: USD before that. */
export function watchCredit(credit: number, watched: Watched) {
  const { clock, books, rentals } = watched;
  let isBusy = false;
  let cancel = () => {};
  /** Stops what runs if the credit is gone; else looks when it will be. Call after each event. */
  const look = () => {
    // Stopping an instance is an event, too.
    if (isBusy) return;
    isBusy = true;
    cancel();
    const left = credit - books.total();
    if (left <= 0) for (const record of rentals.records) rentals.stop(record, "owner");
    else if (books.billingNow().length > 0) cancel = clock.after(msUntilNextLook(left, watched), look);
    isBusy = false;
  };
  const end = () => {
    cancel();
    isBusy = true;
  };
  return { look, end };
}

/** The next look is at the next change of an instance's state, as that changes the rate. */
function msUntilNextLook(left: number, { clock, books, rentals }: Watched): number {
  const now = clock.now();
  const rates = books.billingNow().map(({ gpuPerHour, storagePerHour }) => gpuPerHour + storagePerHour);
  const ofVolumes = books.volumesNow().map(({ storagePerHour }) => storagePerHour);
  const rate = [...rates, ...ofVolumes].reduce((a, b) => a + b, 0);
  const changes = rentals.records.map((record) => (phaseAt(record, now)?.to ?? Number.POSITIVE_INFINITY) - now);
  const empty = rate > 0 ? (left / rate) * 3_600_000 : Number.POSITIVE_INFINITY;
  // A timer waits 24 days at most, and bytes that an instance moves are not in the rate.
  return Math.max(1, Math.min(empty, ...changes, LONGEST_MS));
}
