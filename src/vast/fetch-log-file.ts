import type { Clock } from "../shared/clock.ts";
import { isLoopback } from "../shared/loopback.ts";
import type { Connection } from "./connection.ts";
import { requestLogs } from "./endpoints/request-logs.ts";
import { NoAnswerError, UnexpectedAnswerError } from "./service-errors.ts";

const MOST_BYTES = 65_536;
/** So often the service's own client looks. */
const PAUSE_MS = 300;

/** The tools of fetching; `until` in milliseconds since the epoch. */
export interface Fetching {
  connection: Connection;
  clock: Clock;
  until: number;
  signal: AbortSignal;
}

/**
 * Looks at the address until the file is there, and brings its first 64 KB. Sends no key, follows
 * no redirect. Throws UnexpectedAnswerError for an address that is not https (or not on this
 * machine, when the service is), NoAnswerError when time is over.
 */
export async function fetchLogFile(address: string, { connection, clock, until, signal }: Fetching): Promise<string> {
  const url = safeAddress(address, connection.isLocal);
  for (;;) {
    const { status, text } = await connection.fetchText(url, MOST_BYTES, signal);
    if (status === 200) return text;
    if (status >= 300 && status < 400) throw unexpected("its file is somewhere else");
    if (clock.now() + PAUSE_MS >= until) {
      throw new NoAnswerError(requestLogs.operation, new Error(`its file is not there in time, ${status}`));
    }
    await clock.sleep(PAUSE_MS, signal);
  }
}

function safeAddress(address: string, isLocal: boolean): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) throw unexpected("result_url is no address");
  // A service elsewhere must not make us ask this machine's own ports.
  const isSafe = isLoopback(url.hostname) ? isLocal : url.protocol === "https:";
  if (!isSafe || !/^https?:$/.test(url.protocol)) throw unexpected("result_url is not an https address");
  return url;
}

function unexpected(what: string): UnexpectedAnswerError {
  return new UnexpectedAnswerError(requestLogs.operation, what);
}
