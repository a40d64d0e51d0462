import { z } from "zod";
import { LACKS } from "../scenario/fault.ts";
import { OPERATION_NAMES, type OperationName } from "./operation-name.ts";

const matching = {
  operation: z.enum(OPERATION_NAMES),
  /** The first request of this operation that is hit, counted from 1 (default 1). */
  nth: z.int().positive().optional(),
  /** How many requests in a row are hit (default: 1 with `nth`, else all). */
  times: z.int().positive().optional(),
};

const when = z.enum(["before", "after"]).optional();

/**
 * A request's fault. `when`: whether it has taken effect by then (default before). Several may hit
 * one request: all delays, and the first of the others.
 */
export const Fault = z.discriminatedUnion("kind", [
  /** This status and JSON body instead of the answer. */
  z.strictObject({
    ...matching,
    kind: z.literal("status"),
    status: z.int().min(200).max(599),
    body: z.unknown().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    when,
  }),
  /** This text instead of the answer, as text/html. */
  z.strictObject({
    ...matching,
    kind: z.literal("text"),
    text: z.string(),
    status: z.int().min(200).max(599).optional(),
    when,
  }),
  /** The connection is destroyed; nothing happens. */
  z.strictObject({ ...matching, kind: z.literal("reset") }),
  /** The connection stays open without an answer. */
  z.strictObject({ ...matching, kind: z.literal("never-answer"), when }),
  /** It takes effect (with `when: "after"` it is only answered) so many simulated seconds later. */
  z.strictObject({ ...matching, kind: z.literal("delay"), seconds: z.number().min(0), when }),
  /** It takes effect, then the connection is destroyed without an answer. */
  z.strictObject({ ...matching, kind: z.literal("lose-answer") }),
  /** It takes effect; only the answer's first bytes arrive before the connection is destroyed. */
  z.strictObject({ ...matching, kind: z.literal("truncate"), bytes: z.int().min(0) }),
  /** It takes effect; its answer arrives bit by bit over so many simulated seconds. */
  z.strictObject({ ...matching, kind: z.literal("drip"), seconds: z.number().min(0) }),
  /**
   * Reads only: an answer to the very same request without such a fault, if there is one: the last,
   * or the first of the last so many simulated seconds.
   */
  z.strictObject({ ...matching, kind: z.literal("stale"), seconds: z.number().min(0).optional() }),
  /** Lists only: it lacks rows of this page, and its total counts all of them or those shown. */
  z.strictObject({ ...matching, kind: z.literal("short-list"), lacks: LACKS, total: z.enum(["all", "shown"]) }),
]);

/** One fault, as tests and scripts write it. */
export type Fault = z.infer<typeof Fault>;

/** A fault that decides whether a request takes effect and what arrives of its answer. */
export type ShapingFault = Exclude<Fault, { kind: "delay" }>;

/** The faults of one request. */
export interface Hit {
  /** Before it takes effect, and after that. */
  readonly delaySeconds: { readonly before: number; readonly after: number };
  readonly fault: ShapingFault | undefined;
}

/** The faults in force and how often each operation was asked since they were set. */
export class Faults {
  #faults: readonly Fault[] = [];
  readonly #seen = new Map<OperationName, number>();

  /** Replaces all faults and begins to count anew; throws when one is wrong. */
  set(faults: readonly Fault[]): void {
    this.#faults = z.array(Fault).parse(faults);
    this.#seen.clear();
  }

  /** Requests of an operation since the faults were set, with those that wait for their answer. */
  arrived(operation: OperationName): number {
    return this.#seen.get(operation) ?? 0;
  }

  /** Counts one request and says what hits it. */
  take(operation: OperationName): Hit {
    const count = (this.#seen.get(operation) ?? 0) + 1;
    this.#seen.set(operation, count);
    const hits = this.#faults.filter((fault) => fault.operation === operation && isHit(fault, count));
    const delays = hits.filter((fault) => fault.kind === "delay");
    const delayed = (when: "before" | "after") =>
      delays.filter((delay) => (delay.when ?? "before") === when).reduce((sum, { seconds }) => sum + seconds, 0);
    return {
      delaySeconds: { before: delayed("before"), after: delayed("after") },
      fault: hits.find((fault) => fault.kind !== "delay"),
    };
  }
}

function isHit({ nth, times }: Fault, count: number): boolean {
  const first = nth ?? 1;
  const last = first + (times ?? (nth === undefined ? Number.POSITIVE_INFINITY : 1)) - 1;
  return count >= first && count <= last;
}
