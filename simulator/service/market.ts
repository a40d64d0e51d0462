import type { CompleteScenario, Simulate } from "../scenario.ts";
import { completeOffer, DEFAULT_MARKET } from "./default-market.ts";
import type { MarketOffer } from "./market-offer.ts";

/** One offer and what stands behind it. */
export interface Stall {
  readonly offer: MarketOffer;
  readonly simulate: Simulate;
}

/** The offers of one service; which of them are rented, the instances tell. */
export class Market {
  readonly openedAt: number;
  readonly stalls: readonly Stall[];

  constructor(offers: CompleteScenario["offers"], openedAt: number) {
    this.openedAt = openedAt;
    this.stalls = offers
      ? offers.map(({ simulate = {}, ...given }) => ({ offer: completeOffer(given), simulate }))
      : DEFAULT_MARKET.map((offer) => ({ offer, simulate: {} }));
    const ids = this.stalls.map(({ offer }) => offer.id);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined) throw new Error(`The scenario has two offers with the id ${twice}.`);
  }

  find(id: number): Stall | undefined {
    return this.stalls.find(({ offer }) => offer.id === id);
  }
}
