import type { z } from "zod";

/**
 * How often a call may be sent again by itself: `read` after no answer, 429 and 5xx; `destroy` the
 * same, but its caller decides how long; `never`: sent once, because a second one could rent a
 * second machine, or come too late to be of use.
 */
export type RetryPolicy = "read" | "destroy" | "never";

/** One operation of the service, all that a reviewer holds against the specification. */
export interface Endpoint<Input, Output> {
  /** The operation in the specification's words, for messages. */
  readonly operation: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: (input: Input) => string;
  readonly query?: (input: Input) => Record<string, string>;
  readonly body?: (input: Input) => unknown;
  /** Opens the envelope of a 2xx answer. */
  readonly answer: z.ZodType<Output>;
  readonly retry: RetryPolicy;
  /** The scope that a restricted key needs for it. */
  readonly permission: string;
  /** The service refuses calls of one route that follow each other faster, in milliseconds. */
  readonly intervalMs: number;
}
