import type { Offer, Service } from "./service.ts";

/** One kind of GPU, as the market offers it now. Prices in USD per hour. */
export interface GpuKind {
  name: string;
  memoryGb: number;
  median: number;
  /** USD per GB that a machine downloads; the median. */
  perGb: number;
  /** The prices of its machines, cheapest first, one each; among the cheapest 64 offers of its size. */
  prices: readonly number[];
}

/** The service shows 64 offers at most, and so many searches a minute are welcome: one a size of memory, from so many MB on. */
const SIZES = [10_000, 14_000, 20_000, 30_000, 39_000, 60_000];
const MOST_MB = 1_000_000;
const MOST_KINDS = 12;
/** So many machines below the price leave a choice when some are bad. */
export const ENOUGH_MACHINES = 8;
export const USUAL_MINUTES = 10;
export const BOOT_MINUTES = 3;
const IMAGE_GB = 4;

/** Looks at what is on the market now: the most offered kinds, most machines first. */
export async function lookAtMarket(service: Service): Promise<GpuKind[]> {
  const sizes = SIZES.map((gte, index) => ({ gte, lte: (SIZES[index + 1] ?? MOST_MB + 1) - 1 }));
  const offers = await Promise.all(sizes.map((size) => service.offers(size)));
  return kindsOf(offers.flat()).slice(0, MOST_KINDS);
}

/** Groups offers by the GPU's name. */
export function kindsOf(offers: readonly Offer[]): GpuKind[] {
  // A name goes into a file that GitHub evaluates: one that is no plain word is nobody's GPU.
  const named = offers.filter(({ gpu_name }) => /^[\w .+-]+$/.test(gpu_name));
  const offersOf = (name: string) => named.filter(({ gpu_name }) => gpu_name === name);
  return [...new Set(named.map(({ gpu_name }) => gpu_name))]
    .map((name) => kindOf(name, offersOf(name)))
    .sort((one, other) => other.prices.length - one.prices.length || cheapest(one) - cheapest(other));
}

function kindOf(name: string, offers: readonly Offer[]): GpuKind {
  const dearestFirst = offers.toSorted((one, other) => other.dph_total - one.dph_total);
  // Of a machine's offers the last is kept.
  const byMachine = new Map(dearestFirst.map(({ id, machine_id, dph_total }) => [machine_id ?? -id, dph_total]));
  const prices = sorted([...byMachine.values()]);
  return {
    name,
    memoryGb: Math.round(median(offers.map(({ gpu_ram = 0 }) => gpu_ram)) / 1024),
    median: median(prices),
    perGb: median(offers.map(({ inet_down_cost = 0 }) => inet_down_cost)),
    prices,
  };
}

function cheapest({ prices }: GpuKind): number {
  return prices[0] ?? 0;
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((one, other) => one - other);
}

function median(values: readonly number[]): number {
  return sorted(values)[Math.floor((values.length - 1) / 2)] ?? 0;
}

/** What a job costs on a machine of the median price, with its boot and an image of 4 GB. */
export function jobCost({ median: price, perGb }: GpuKind, jobMinutes: number = USUAL_MINUTES): number {
  return (price * (jobMinutes + BOOT_MINUTES)) / 60 + IMAGE_GB * perGb;
}

/** The table that people choose from. */
export function marketTable(kinds: readonly GpuKind[], jobMinutes: number = USUAL_MINUTES): string[][] {
  const rows = kinds.map((kind) => [
    kind.name,
    `${kind.memoryGb} GB`,
    String(kind.prices.length),
    cheapest(kind).toFixed(2),
    kind.median.toFixed(2),
    kind.perGb.toFixed(3),
    jobCost(kind, jobMinutes).toFixed(2),
  ]);
  return [["GPU", "memory", "machines", "USD/h from", "median", "USD/GB", `${jobMinutes}-minute job`], ...rows];
}

const MOST_NAMES = 4;
/** A further kind may cost so many times what the one before it does. */
const NOT_MUCH_MORE = 1.5;

/** The names to ask for: the cheapest kinds with the memory until there are enough machines, and what costs little more. */
export function proposeGpu(kinds: readonly GpuKind[], memoryGb: number): string[] {
  // Cards report slightly less than their nominal size.
  const fitting = kinds
    .filter((kind) => kind.memoryGb >= memoryGb * 0.9)
    .sort((one, other) => one.median - other.median);
  const taken: GpuKind[] = [];
  for (const kind of fitting.slice(0, MOST_NAMES)) {
    const machines = taken.reduce((sum, each) => sum + each.prices.length, 0);
    const { median: last } = taken.at(-1) ?? kind;
    if (machines >= ENOUGH_MACHINES && kind.median > NOT_MUCH_MORE * last) break;
    taken.push(kind);
  }
  return taken.map(({ name }) => name);
}

/** The names in a setting. */
export function namesIn(gpu: string): string[] {
  return gpu.split(",").map((name) => name.trim());
}

/** The prices of the machines with a GPU of these names, cheapest first. */
function pricesOf(kinds: readonly GpuKind[], names: readonly string[]): number[] {
  const wanted = names.map((name) => name.toLowerCase());
  return sorted(kinds.filter(({ name }) => wanted.includes(name.toLowerCase())).flatMap(({ prices }) => prices));
}

/** The price below which eight machines are to be had; all of them, where there are fewer. Undefined: none. */
export function proposePrice(kinds: readonly GpuKind[], names: readonly string[]): number | undefined {
  const eighth = pricesOf(kinds, names).slice(0, ENOUGH_MACHINES).at(-1);
  return eighth === undefined ? undefined : Math.ceil(eighth * 100 + 0.001) / 100;
}

/** What the market was when a price was proposed, for whoever reads it years later. */
export function describeMarket(kinds: readonly GpuKind[], names: readonly string[], price: number): string {
  const each = kinds
    .filter(({ name }) => names.includes(name))
    .map((kind) => `${kind.name} from ${cheapest(kind).toFixed(2)}`);
  const day = new Date().toISOString().slice(0, 10);
  return `proposed on ${day}, ${machinesBelow(kinds, names, price)} machines below it, ${each.join(", ")}`;
}

/** How many of the listed machines cost no more than this. */
export function machinesBelow(kinds: readonly GpuKind[], names: readonly string[], price: number): number {
  return pricesOf(kinds, names).filter((each) => each <= price).length;
}

/** Two machines for as long as the job may take, and their boots: a machine that fails leaves room for another. */
export function proposeCost(price: number, jobMinutes: number): number {
  return Math.max(1, Math.ceil(((2 * price * (jobMinutes + 15)) / 60) * 10) / 10);
}
