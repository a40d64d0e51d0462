import type { Estimate } from "./estimate.ts";
import type { MachinePrice } from "./price.ts";

const HOUR_MS = 3_600_000;

/** A machine's cost in USD. `bytes` is undefined where nobody told what they cost. */
export interface Cost {
  gpu: number;
  storage: number;
  bytes: number | undefined;
  total: number;
}

/** The facts behind one machine's bill. Times in milliseconds since the epoch. */
export interface Billed {
  price: MachinePrice;
  at: { created?: number | undefined; running?: number | undefined; gone?: number | undefined };
  /** Bytes that were billed, as the service last showed, in GB. */
  traffic?: { downGb: number; upGb: number } | undefined;
  /** Its known loads, before it was rented. */
  estimate?: { bytes: Pick<Estimate["bytes"], "imageGb" | "runnerGb"> } | undefined;
}

/**
 * A machine's cost until it was gone, or else until `end` (ms since the epoch): storage from its
 * creation, the GPU while it ran, bytes as shown or as known before, whichever is more.
 */
export function actualCost(machine: Billed, end: number): Cost {
  const { at, price } = machine;
  const until = at.gone ?? end;
  const hours = (from: number | undefined) => (from === undefined ? 0 : Math.max(0, until - from) / HOUR_MS);
  const gpu = Math.max(0, price.total - price.storage) * hours(at.running);
  const storage = price.storage * hours(at.created);
  const bytes = bytesCost(machine);
  return { gpu, storage, bytes, total: gpu + storage + (bytes ?? 0) };
}

/**
 * Figures come late or never: the known loads are the least that is charged. Without both of image
 * and figures they are too little to be told as the bytes.
 */
function bytesCost(machine: Billed): number | undefined {
  const { price, traffic } = machine;
  const known = knownGb(machine);
  const isPriced = price.inetDown !== undefined || price.inetUp !== undefined;
  const isImageKnown = machine.estimate?.bytes.imageGb !== undefined && known > 0;
  if (!isPriced || (traffic === undefined && !isImageKnown)) return undefined;
  const { downGb, upGb } = traffic ?? { downGb: 0, upGb: 0 };
  return Math.max(downGb, known) * (price.inetDown ?? 0) + upGb * (price.inetUp ?? 0);
}

function knownGb({ at, estimate }: Billed): number {
  if (estimate === undefined || at.created === undefined) return 0;
  const { imageGb = 0, runnerGb } = estimate.bytes;
  return imageGb + (at.running === undefined ? 0 : runnerGb);
}

/** The sum of `actualCost`, of several machines. */
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
