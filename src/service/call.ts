import type { Clock } from "../time/clock.ts";
import type { CallSignals, Connection } from "./connection.ts";
import type { Endpoint } from "./endpoint.ts";
import { type RawAnswer, refusalError, saysNo } from "./judge-status.ts";
import { NoAnswerError, RateLimitError, ServerError, UnexpectedAnswerError } from "./service-errors.ts";

const TRIES = 4;
const FIRST_PAUSE_MS = 1000;

/** What a call needs beside its endpoint and input. */
export interface CallContext {
  connection: Connection;
  clock: Clock;
  signal?: AbortSignal;
}

/** Sends one request and brings back the raw answer; for operations whose refusals carry meaning (create). */
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

/** Calls an operation as its retry policy says, and opens its answer. */
export async function call<Input, Output>(
  endpoint: Endpoint<Input, Output>,
  input: Input,
  context: CallContext,
): Promise<Output> {
  const { clock, connection, signal } = context;
  const tries = endpoint.retry === "read" ? TRIES : 1;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return open(endpoint, input, await exchange(endpoint, input, connection, { before: signal, way: signal }));
    } catch (error) {
      const pause = pauseBefore(attempt, error);
      if (attempt >= tries || !isPassing(error) || pause >= connection.timeLeftMs()) throw error;
      await clock.sleep(pause, signal);
    }
  }
}

/** True for a fault that may be gone a moment later. */
export function isPassing(error: unknown): boolean {
  return error instanceof NoAnswerError || error instanceof RateLimitError || error instanceof ServerError;
}

function pauseBefore(attempt: number, error: unknown): number {
  const backoff = FIRST_PAUSE_MS * 2 ** (attempt - 1);
  const asked = error instanceof RateLimitError ? error.waitMs : 0;
  // Jitter, so that the jobs of one run don't come back in step.
  return Math.max(backoff, asked) * (1 + Math.random() * 0.3);
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
