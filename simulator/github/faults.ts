import { z } from "zod";
import { FaultBook } from "../http/faults.ts";
import { COMMON_FAULTS, faultSchema } from "../scenario/fault.ts";
import { OPERATION_NAMES, type OperationName } from "./operation-name.ts";

/** A request's fault. Several may hit one request: all delays, the first that shapes the answer, and all the others. */
export const Fault = faultSchema(
  { operation: z.enum(OPERATION_NAMES) },
  {
    ...COMMON_FAULTS,
    /** The connection is destroyed; nothing happens. */
    reset: {},
    status: { ...COMMON_FAULTS.status, headers: z.record(z.string(), z.string()).optional() },
    /**
     * Reads only: an answer to the very same request without such a fault, if there is one: the last,
     * or the first of the last so many simulated seconds.
     */
    stale: { seconds: z.number().min(0).optional() },
  },
);

/** One fault, as tests and scripts write it. */
export type Fault = z.infer<typeof Fault>;

/** Opens the faults in force, and counts how often each operation was asked since they were set. */
export function openFaults() {
  const book = new FaultBook<Fault>();
  const seen = new Map<OperationName, number>();
  /** Requests of an operation since the faults were set, with those that wait for their answer. */
  const arrived = (operation: OperationName) => seen.get(operation) ?? 0;
  return {
    arrived,
    /** Replaces all faults and begins to count anew; throws when one is wrong. */
    set(faults: readonly Fault[]): void {
      book.set(z.array(Fault).parse(faults));
      seen.clear();
    },
    /** Counts one request and says what hits it. */
    take(operation: OperationName): Fault[] {
      seen.set(operation, arrived(operation) + 1);
      return book.hits((fault) => fault.operation === operation);
    },
  };
}
