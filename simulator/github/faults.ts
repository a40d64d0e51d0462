import { z } from "zod";
import { OPERATION_NAMES, type OperationName } from "./operation-name.ts";

const matching = {
  operation: z.enum(OPERATION_NAMES),
  /** The first request of this operation that is hit, counted from 1 (default 1). */
  nth: z.int().positive().optional(),
  /** How many requests in a row are hit (default: 1 with `nth`, else all). */
  times: z.int().positive().optional(),
};

/** What goes wrong with a request. Several faults may hit one request: all delays, and the first of the others. */
export const Fault = z.discriminatedUnion("kind", [
  /** This status and JSON body instead of the answer; nothing happens. */
  z.strictObject({
    ...matching,
    kind: z.literal("status"),
    status: z.int().min(200).max(599),
    body: z.unknown().optional(),
    headers: z.record(z.string(), z.string()).optional(),
  }),
  /** The connection is destroyed; nothing happens. */
  z.strictObject({ ...matching, kind: z.literal("reset") }),
  /** The connection stays open without an answer; nothing happens. */
  z.strictObject({ ...matching, kind: z.literal("never-answer") }),
  /** It takes effect so many simulated seconds later. */
  z.strictObject({ ...matching, kind: z.literal("delay"), seconds: z.number().min(0) }),
  /** It takes effect, then the connection is destroyed without an answer. */
  z.strictObject({ ...matching, kind: z.literal("lose-answer") }),
]);

/** One fault, as tests and scripts write it. */
export type Fault = z.infer<typeof Fault>;

/** What hits one request. */
export interface Hit {
  readonly delaySeconds: number;
  readonly fault: Exclude<Fault, { kind: "delay" }> | undefined;
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

  /** Counts one request and says what hits it. */
  take(operation: OperationName): Hit {
    const count = (this.#seen.get(operation) ?? 0) + 1;
    this.#seen.set(operation, count);
    const hits = this.#faults.filter((fault) => fault.operation === operation && isHit(fault, count));
    const delays = hits.filter((fault) => fault.kind === "delay");
    return {
      delaySeconds: delays.reduce((sum, fault) => sum + fault.seconds, 0),
      fault: hits.find((fault) => fault.kind !== "delay"),
    };
  }
}

function isHit({ nth, times }: Fault, count: number): boolean {
  const first = nth ?? 1;
  const last = first + (times ?? (nth === undefined ? Number.POSITIVE_INFINITY : 1)) - 1;
  return count >= first && count <= last;
}
