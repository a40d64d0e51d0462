import { errorSentence } from "./error-body.ts";
import {
  AuthenticationError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  type Refusal,
  RequestRejectedError,
  ServerError,
  type ServiceError,
} from "./service-errors.ts";

/** One answer as it came: status, what was asked, body as text and, if it is JSON, as a value. */
export interface RawAnswer {
  status: number;
  text: string;
  json: unknown;
  retryAfter: string | undefined;
  /** Where a redirect leads. */
  location?: string | undefined;
}

const LONGEST_WAIT_MS = 60_000;

/** The error that a refusal stands for. */
export function refusalError(
  answer: RawAnswer,
  call: { operation: string; permission: string; intervalMs: number; route?: string },
): ServiceError {
  const sentence = elsewhere(answer) ?? errorSentence(answer.json, answer.text);
  const { operation, permission, route } = call;
  const { status } = answer;
  const isJson = answer.json !== undefined;
  const refusal: Refusal = { operation, permission, status, sentence, isJson, ...(route !== undefined && { route }) };
  if (answer.status === 403) return new PermissionError(refusal);
  if (isKeyRefused(answer.status, sentence)) return new AuthenticationError(refusal);
  if (answer.status === 404) return new NotFoundError(refusal);
  const wait = tooFastWait(answer, call.intervalMs);
  if (wait !== undefined) return new RateLimitError(refusal, wait.waitMs);
  return answer.status >= 500 ? new ServerError(refusal) : new RequestRejectedError(refusal);
}

/** A redirect in words. Its host alone: the address may repeat what was sent. */
function elsewhere({ status, location }: RawAnswer): string | undefined {
  if (status < 300 || status > 399 || location === undefined || !URL.canParse(location)) return undefined;
  const { host, origin } = new URL(location);
  return host === "" ? undefined : `it is at ${origin}`;
}

/** Seen with 404: a session that ran out (accounts with a second factor), and a key of nobody. */
const KEY_WORDS = /session expired|\bauth_error\b|invalid user key/i;

/**
 * True when it is the key that is refused, and not what was asked for. Told as 404, it must never
 * be read as "the instance is gone", nor as "the offer is gone".
 */
export function isKeyRefused(status: number, sentence: string): boolean {
  return status === 401 || status === 403 || (status < 500 && KEY_WORDS.test(sentence));
}

/**
 * How long a 429 asks to wait, in milliseconds; undefined for any other answer. The service sends
 * no Retry-After, but its sentence carries the route's threshold. SPEC-SILENT: its unit; taken as
 * seconds, as the service's documentation suggests.
 */
export function tooFastWait(answer: RawAnswer, intervalMs: number): { waitMs: number } | undefined {
  if (answer.status !== 429) return undefined;
  const sentence = errorSentence(answer.json, answer.text);
  const retryAfter = Number(answer.retryAfter);
  const threshold = Number(/threshold\D{0,3}(\d+(?:\.\d+)?)/i.exec(sentence)?.[1]);
  const seconds = [retryAfter, threshold].find((value) => Number.isFinite(value) && value > 0);
  return { waitMs: Math.min(LONGEST_WAIT_MS, Math.max(seconds === undefined ? 0 : seconds * 1000, intervalMs)) };
}

/** True for an answer that says no in its body while its status says yes. */
export function saysNo(answer: RawAnswer): boolean {
  return (
    typeof answer.json === "object" && answer.json !== null && (answer.json as { success?: unknown }).success === false
  );
}
