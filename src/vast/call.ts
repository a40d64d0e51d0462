import { UnexpectedAnswerError } from "../marketplace/errors.ts";
import type { CallLimits, CallOptions } from "../marketplace/marketplace.ts";
import type { Clock } from "../shared/clock.ts";
import { withRetry } from "../shared/retry.ts";
import { isPassing } from "../shared/user-error.ts";
import { type CallSignals, type Connection, growing } from "./connection.ts";
import type { Endpoint } from "./endpoints.ts";
import { type RawAnswer, refusalError, saysNo } from "./refusals.ts";

/** Makes what one call needs beside its endpoint and input. */
export type ContextOf = (options?: CallOptions) => CallContext;

/** What a call needs beside its endpoint and input: the connection, the clock, and its limits. */
interface CallContext extends CallLimits {
  connection: Connection;
  clock: Clock;
  /** How long to retry, in milliseconds, if no `until` is given. */
  patienceMs: number;
}

const PATIENCE_MS = 45_000;

/** Makes the contexts of a client's calls. */
export function contextOf(options: { clock: Clock; patienceMs?: number }, connection: Connection): ContextOf {
  const { clock, patienceMs = PATIENCE_MS } = options;
  const common = { connection, clock, patienceMs };
  return (given = {}) => ({ ...common, ...(given instanceof AbortSignal ? { signal: given } : given) });
}

/** Sends one request and returns the raw answer, for operations whose refusals carry meaning. */
export function exchange<Input, Output>(
  endpoint: Endpoint<Input, Output>,
  input: Input,
  connection: Connection,
  signals: CallSignals,
): Promise<RawAnswer> {
  const { operation, method, intervalMs } = endpoint;
  const body = endpoint.body?.(input);
  const query = endpoint.query?.(input) ?? {};
  return connection.exchange({ operation, method, path: endpoint.path(input), query, body, intervalMs }, signals);
}

/** Calls an operation, retries it as its policy says, and unwraps the answer. */
export async function call<Input, Output>(
  endpoint: Endpoint<Input, Output>,
  input: Input,
  context: CallContext,
): Promise<Output> {
  const { clock, connection, signal } = context;
  const once = async () =>
    open(endpoint, input, await exchange(endpoint, input, connection, { before: signal, way: signal }));
  if (endpoint.retry !== "read") return await once();
  const until = Math.min(context.until ?? clock.now() + context.patienceMs, connection.until);
  return await withRetry(once, { clock, signal, until, pauseAfter });
}

function pauseAfter(error: unknown, attempt: number): number | undefined {
  return isPassing(error) ? growing(error.waitMs, attempt) : undefined;
}

function open<Input, Output>(endpoint: Endpoint<Input, Output>, input: Input, answer: RawAnswer): Output {
  if (answer.status < 200 || answer.status > 299 || saysNo(answer)) {
    throw refusalError(answer, { ...endpoint, route: `${endpoint.method} ${endpoint.path(input)}` });
  }
  const parsed = endpoint.answer.safeParse(answer.json);
  if (!parsed.success) throw new UnexpectedAnswerError(endpoint.operation, whatIsWrong(parsed.error.issues[0]));
  return parsed.data;
}

function whatIsWrong(issue: { path: PropertyKey[]; message: string } | undefined): string {
  const place = issue?.path.map(String).join(".");
  return place ? `${place}: ${issue?.message}` : (issue?.message ?? "unknown shape");
}
