import type { Log } from "../log.ts";
import type { OfferWishes } from "./offer-wishes.ts";

/** How machines are asked for over a whole use: by bids at first, and on demand once a bid was of no use and the user wants that. */
export class Bidding {
  #bid: OfferWishes["bid"];
  readonly #mayFallBack: boolean;
  readonly #log: Log;

  constructor(bid: OfferWishes["bid"], mayFallBack: boolean, log: Log) {
    this.#bid = bid;
    this.#mayFallBack = mayFallBack;
    this.#log = log;
  }

  /** What is bid now; undefined: on demand. */
  get bid(): OfferWishes["bid"] {
    return this.#bid;
  }

  /** A bid was of no use. True: from now on machines are rented on demand, and it is worth searching again. */
  fallBack(why: string): boolean {
    if (this.#bid === undefined || !this.#mayFallBack) return false;
    this.#bid = undefined;
    this.#log.info(`${why} From now on machines are rented on demand (bid-fallback).`);
    return true;
  }
}
