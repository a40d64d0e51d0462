import { Draws } from "./draws.ts";
import type { Host, Market } from "./market.ts";
import { type Bill, billOf, type Outcome, TRIAL_SECONDS } from "./outcome.ts";

/** Seconds that a policy without these rules takes at its steps. */
const SEARCH = 2;
const JOB = 600;
const CREATE_EVERY = 4.5;
/** How late it is seen that a machine runs, or has ended, at the most. */
const LOOK = 10;
const ONLINE_LOOK = 2.5;
const ONLINE_LIMIT = 300;

/** How long plain failover waits for one machine, in seconds. */
export type BootLimit = (host: Host, imageGb: number) => number;

export const TEN_MINUTES: BootLimit = () => 600;
/** Three times the pull and three minutes, between 10 and 40 min: what this action did before. */
export const BY_SIZE: BootLimit = ({ inetDown }, imageGb) =>
  Math.min(2400, Math.max(600, 60 * Math.ceil((3 * imageGb * (16_000 / inetDown + 20) + 180) / 60)));

/** Plain failover: cheapest by the hour first, then the next. No rule of the project is in it. */
export function plainFailover(market: Market, trial: number, limit: BootLimit): Outcome {
  const draws = new Draws(trial, "plain");
  const bills: Bill[] = [];
  const hourly = ({ gpuPrice, storagePrice }: Host) => gpuPrice + storagePrice;
  let now = SEARCH;
  for (const host of market.hosts.toSorted((left, right) => hourly(left) - hourly(right))) {
    const tried = tryOne(market, host, now, limit(host, market.shape.imageGb), draws);
    if (tried.created > TRIAL_SECONDS) break;
    if (tried.bill) bills.push(tried.bill);
    if (tried.ready !== undefined) return { ready: [tried.ready], end: tried.next, bills };
    now = Math.max(now + CREATE_EVERY, tried.next);
  }
  return { ready: [Number.POSITIVE_INFINITY], end: Number.POSITIVE_INFINITY, bills };
}

interface Tried {
  created: number;
  /** Undefined: it failed and was destroyed, or somebody else had the offer. */
  ready?: number;
  next: number;
  bill?: Bill;
}

function tryOne(market: Market, host: Host, now: number, limit: number, draws: Draws): Tried {
  const created = now + draws.uniform(1, 2);
  const boot = market.boot(host);
  if (boot.isTaken) return { created, next: created };
  const online = created + boot.online + draws.uniform(0, LOOK) + draws.uniform(0, ONLINE_LOOK);
  const isReady = boot.running <= limit && online <= TRIAL_SECONDS;
  const running = created + boot.running;
  const gone = isReady ? online + JOB : givenUp(created, boot, limit, draws);
  const bill = billOf(host, market.shape, created, running, gone);
  return { created, next: gone, bill, ...(isReady ? { ready: online } : {}) };
}

function givenUp(created: number, boot: { running: number; ended: number }, limit: number, draws: Draws): number {
  if (Number.isFinite(boot.ended)) return created + boot.ended + draws.uniform(0, LOOK);
  return created + (boot.running <= limit ? boot.running + ONLINE_LIMIT : limit);
}
