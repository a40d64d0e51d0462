import type { Report } from "../../machine/report.ts";
import { formatPrice } from "../../money/format-price.ts";
import { oneLine } from "../../text/foreign-text.ts";
import { formatDuration } from "../../time/duration.ts";

/** One machine in words, for a table. Foreign text is one line, not harmless in Markdown. */
export interface Attempt {
  n: string;
  offer: string;
  instance: string;
  gpu: string;
  machine: string;
  price: string;
  /** How far it came: created, running, ready. */
  gotTo: string;
  /** Why it ended, or its last state. */
  why: string;
  /** From its creation until it was gone, or until `end`. */
  rentedFor: string;
}

/** Puts a machine into words; `end` in milliseconds since the epoch. */
export function attemptOf(report: Report, index: number, end: number): Attempt {
  const { at, offer } = report;
  return {
    n: String(index + 1),
    offer: String(offer.id),
    instance: String(report.instanceId),
    gpu: gpuOf(report),
    machine: String(offer.machine_id ?? "unknown"),
    price: formatPrice(report.price.total),
    gotTo: stageOf(report),
    why: report.last,
    rentedFor: at.created === undefined ? "–" : formatDuration((at.gone ?? end) - at.created),
  };
}

/** Such as `1 × RTX 4090`. */
export function gpuOf({ offer }: Report): string {
  return `${offer.num_gpus} × ${oneLine(offer.gpu_name, 60)}`;
}

function stageOf({ at, last }: Report): string {
  if (at.online !== undefined || last === "ready") return "ready";
  return at.running === undefined ? "created" : "running";
}
