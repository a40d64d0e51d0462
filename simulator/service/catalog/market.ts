import type { MarketOffer } from "../../scenario/market-offer.ts";
import type { CompleteScenario } from "../../scenario/scenario.ts";
import type { Simulate } from "../../scenario/simulate.ts";
import { completeOffer, DEFAULT_MARKET } from "./default-market.ts";
import { drawMarket } from "./drawn-market.ts";

/** One offer and what stands behind it. */
export interface Stall {
  readonly offer: MarketOffer;
  readonly simulate: Simulate;
}

/** The offers of one service; which of them are rented, the instances tell. */
export class Market {
  readonly openedAt: number;
  readonly stalls: readonly Stall[];

  /** Throws on a scenario that both lists offers and has them drawn, or has two of one id. */
  constructor({ offers, market }: Pick<CompleteScenario, "offers" | "market">, openedAt: number) {
    if (offers && market)
      throw new Error("The scenario has offers and a market that is drawn: only one of them can be.");
    this.openedAt = openedAt;
    this.stalls = offers ? offers.map(stallOf) : market ? drawMarket(market) : DEFAULT_STALLS;
    const ids = this.stalls.map(({ offer }) => offer.id);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined) throw new Error(`The scenario has two offers with the id ${twice}.`);
  }

  find(id: number): Stall | undefined {
    return this.stalls.find(({ offer }) => offer.id === id);
  }
}

const DEFAULT_STALLS: readonly Stall[] = DEFAULT_MARKET.map((offer) => ({ offer, simulate: {} }));

function stallOf({ simulate = {}, ...given }: NonNullable<CompleteScenario["offers"]>[number]): Stall {
  return { offer: completeOffer(given), simulate };
}
