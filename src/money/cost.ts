import type { MachinePrice } from "./price.ts";

const HOUR_MS = 3_600_000;

/** What a machine cost, in USD. `bytes` is undefined where the service or the offer did not tell what they cost. */
export interface Cost {
  gpu: number;
  storage: number;
  bytes: number | undefined;
  total: number;
}

/** What the bill of one machine is made of. Times in milliseconds since the epoch. */
export interface Billed {
  price: MachinePrice;
  at: { created?: number | undefined; running?: number | undefined; gone?: number | undefined };
  /** What the service last showed to be billed for bytes, in GB. */
  traffic?: { downGb: number; upGb: number } | undefined;
}

/**
 * What a machine cost until it was gone, or else until `end` (ms since the epoch): storage from its creation, the GPU while it ran, bytes as
 * the service last showed them.
 */
export function actualCost({ at, price, traffic }: Billed, end: number): Cost {
  const until = at.gone ?? end;
  const hours = (from: number | undefined) => (from === undefined ? 0 : Math.max(0, until - from) / HOUR_MS);
  const gpu = Math.max(0, price.total - price.storage) * hours(at.running);
  const storage = price.storage * hours(at.created);
  const { inetDown, inetUp } = price;
  const isTold = traffic !== undefined && (inetDown ?? inetUp) !== undefined;
  const bytes = isTold ? traffic.downGb * (inetDown ?? 0) + traffic.upGb * (inetUp ?? 0) : undefined;
  return { gpu, storage, bytes, total: gpu + storage + (bytes ?? 0) };
}

/** The sum of `actualCost` alone, in USD. */
export function estimatedCost(machine: Billed, end: number): number {
  return actualCost(machine, end).total;
}

/** The same, of several machines. */
export function totalCost(machines: readonly Billed[], end: number): Cost {
  const costs = machines.map((machine) => actualCost(machine, end));
  const sum = (part: (cost: Cost) => number) => costs.reduce((total, cost) => total + part(cost), 0);
  const isTold = costs.some(({ bytes }) => bytes !== undefined);
  return {
    gpu: sum(({ gpu }) => gpu),
    storage: sum(({ storage }) => storage),
    bytes: isTold ? sum(({ bytes }) => bytes ?? 0) : undefined,
    total: sum(({ total }) => total),
  };
}
