import { z } from "zod";
import { COMMON_FAULTS, faultSchema } from "../scenario/fault.ts";
import { OPERATION_NAMES } from "./operation-name.ts";

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
