import { clip, Draws } from "./draws.ts";

/** A market's shape, without its hosts. Times in seconds, sizes in GB. */
export interface MarketShape {
  offers: number;
  /** The share of hosts that never become ready. */
  broken: number;
  /** The image, compressed. */
  imageGb: number;
  /** The ratio of a pull's true time to the time expected from `inet_down`. */
  pullFactor: number;
}

/** The market of the study, unless a row says otherwise. */
export const USUAL: MarketShape = { offers: 40, broken: 0.2, imageGb: 3.5, pullFactor: 1 };

/** A host: what it offers, and what it is. USD per hour and per GB, Mbit/s. */
export interface Host {
  id: number;
  inetDown: number;
  gpuPrice: number;
  /** Of 32 GB. */
  storagePrice: number;
  bytePrice: number;
  /** How much slower or faster it pulls than its line lets expect. */
  slowness: number;
  broken: "no" | "ends" | "hangs" | "runs without a runner";
  hasImage: boolean;
}

/** One pull and start of a host, in seconds after the create has answered. */
export interface Boot {
  /** Somebody else had the offer. */
  isTaken: boolean;
  /** Until the service shows running; never, on a broken host. */
  running: number;
  /** Until its runner is online, after the create. */
  online: number;
  /** Until the service shows that it has ended; infinite unless it does. */
  ended: number;
}

/** Draws a host. Each belongs to (seed, trial, slot, generation): every policy meets the same. */
function drawHost(shape: MarketShape, id: number, draws: Draws): Host {
  const inetDown = clip(800 * Math.exp(0.7 * draws.normal()), 200, 5000);
  const gpuPrice = clip(0.35 * Math.exp(0.25 * draws.normal()), 0.18, 0.6);
  const storagePrice = (draws.uniform(0.05, 0.3) * 32) / 730;
  const bytePrice = draws.isTrue(0.3) ? 0 : draws.uniform(0.002, 0.02);
  const slowness = Math.exp(0.4 * draws.normal());
  const prices = { gpuPrice, storagePrice, bytePrice };
  return { id, inetDown, ...prices, slowness, broken: drawFault(shape, draws), hasImage: false };
}

function drawFault({ broken }: MarketShape, draws: Draws): Host["broken"] {
  const isBroken = draws.isTrue(broken);
  const ends = draws.isTrue(0.5);
  const runs = draws.isTrue(0.3);
  if (!isBroken) return "no";
  if (ends) return "ends";
  return runs ? "runs without a runner" : "hangs";
}

/** Draws the next boot of a host; `draws` is its own, so that what others do changes nothing. */
function drawBoot(shape: MarketShape, host: Host, draws: Draws): Boot {
  const isTaken = draws.isTrue(0.1);
  const start = draws.uniform(10, 30);
  const pull = Math.exp(0.3 * draws.normal());
  const cached = draws.uniform(30, 60);
  const online = draws.uniform(10, 30);
  const end = draws.uniform(60, 180);
  const base = shape.imageGb * (16_000 / host.inetDown + 20) * shape.pullFactor;
  const running = host.hasImage ? cached : start + base * host.slowness * pull;
  const never = Number.POSITIVE_INFINITY;
  if (host.broken === "ends") return { isTaken, running: never, online: never, ended: end };
  if (host.broken === "hangs") return { isTaken, running: never, online: never, ended: never };
  if (host.broken !== "no") return { isTaken, running, online: never, ended: never };
  return { isTaken, running, online: running + online, ended: never };
}

/** The hosts of one market. In an hour, 30% of them are others. */
export class Market {
  readonly shape: MarketShape;
  readonly hosts: Host[] = [];
  readonly #seeds: readonly [number, number];
  readonly #boots = new Map<number, Draws>();
  #lastId = 0;

  constructor(shape: MarketShape, seed: number, trial: number) {
    this.shape = shape;
    this.#seeds = [seed, trial];
    for (let slot = 0; slot < shape.offers; slot += 1) this.hosts.push(this.#draw());
  }

  /** The next boot of a host. */
  boot(host: Host): Boot {
    const draws = this.#boots.get(host.id) ?? new Draws(...this.#seeds, "boots", host.id);
    this.#boots.set(host.id, draws);
    return drawBoot(this.shape, host, draws);
  }

  /** An hour goes by. */
  churn(hour: number): void {
    const draws = new Draws(...this.#seeds, "churn", hour);
    for (const [slot] of this.hosts.entries()) if (draws.isTrue(0.3)) this.hosts[slot] = this.#draw();
  }

  #draw(): Host {
    this.#lastId += 1;
    return drawHost(this.shape, this.#lastId, new Draws(...this.#seeds, "host", this.#lastId));
  }
}
