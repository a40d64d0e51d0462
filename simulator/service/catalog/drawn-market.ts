import type { DrawnMarket } from "../../scenario/host-model.ts";
import type { MarketOffer } from "../../scenario/market-offer.ts";
import type { Simulate } from "../../scenario/simulate.ts";
import { completeOffer } from "./default-market.ts";
import { Draws } from "./draws.ts";
import { HOURS_PER_MONTH } from "./storage-price.ts";

/** Of so many offers someone else takes the machine first. */
const GONE_SHARE = 0.1;
const FIRST_ID = 101;
const FIRST_MACHINE = 60_001;

/** Draws the offers with what stands behind them; the same seed gives the same market. */
export function drawMarket({ offers, ...model }: DrawnMarket): { offer: MarketOffer; simulate: Simulate }[] {
  const draws = new Draws(model.seed);
  return Array.from({ length: offers }, (_, index) => {
    const simulate: Simulate = { model, unavailable: draws.unit("gone", index) < GONE_SHARE };
    return { offer: drawOffer(draws, index), simulate };
  });
}

function drawOffer(draws: Draws, index: number): MarketOffer {
  return completeOffer({
    id: FIRST_ID + index,
    machine_id: FIRST_MACHINE + index,
    dph_base: rounded(clipped(0.35 * Math.exp(0.25 * draws.normal("price", index)), 0.18, 0.6)),
    inet_down: Math.round(clipped(800 * Math.exp(0.7 * draws.normal("speed", index)), 200, 5000)),
    // The model counts 730 hours a month.
    storage_cost: rounded((draws.between(0.05, 0.3, "storage", index) / 730) * HOURS_PER_MONTH),
    inet_down_cost: draws.unit("free bytes", index) < 0.3 ? 0 : rounded(draws.between(0.002, 0.02, "bytes", index)),
  });
}

function clipped(number: number, low: number, high: number): number {
  return Math.min(Math.max(number, low), high);
}

function rounded(price: number): number {
  return Math.round(price * 10_000) / 10_000;
}
