import { oneLine, withoutKeys } from "../shared/foreign-text.ts";
import type { Instance } from "../vast/schemas/instance.ts";

/** The meaning of an instance's state when it is to become, or to stay, ready. */
export type InstanceVerdict =
  | { kind: "pending"; status: string }
  | { kind: "running"; status: string }
  /**
   * It will not come (back). `image`: it can't be pulled; another machine would say the same.
   * `stopped`: by the service, or by hand.
   */
  | { kind: "failed"; status: string; why: string; blame: "machine" | "image"; outbid?: true; stopped?: true };

interface FatalText {
  text: RegExp;
  blame: "machine" | "image";
}

/** Words of `status_msg` after which none was seen to start, whatever its state (field notes). */
const FATAL_TEXTS: readonly FatalText[] = [
  { text: /manifest unknown|manifest for .* not found|failed to resolve reference/i, blame: "image" },
  { text: /unauthorized|pull access denied|repository does not exist|no such image/i, blame: "image" },
  { text: /no space left on device|unexpected eof|oci runtime|pull rate limit|toomanyrequests/i, blame: "machine" },
  { text: /error response from daemon|failed to pull image/i, blame: "machine" },
];

/** Seed: these never run. `stopped` and `frozen` are not in it; we never ask for them. */
const ENDED = new Set(["exited", "unknown", "offline", "stopped", "frozen"]);

/**
 * Judges an instance as the service shows it. Unknown statuses are pending: the seed does not list
 * them all, and the deadlines of the caller bound the wait. `isBid`: it was rented by a bid, so
 * that what stopped it is a higher one.
 */
export function judgeInstance(instance: Instance, isBid = instance.is_bid === true): InstanceVerdict {
  const status = oneLine(instance.actual_status ?? "null", 40);
  const message = oneLine(withoutKeys(instance.status_msg ?? ""));
  if (wasStopped(instance, isBid)) return stopped(status, isBid);
  if (instance.actual_status === "running") return { kind: "running", status };
  // "host texts" are looked for last: a daemon's error also opens the sentences that blame the
  // image.
  const fatal = FATAL_TEXTS.find(({ text }) => text.test(message));
  if (fatal) return { kind: "failed", status, why: message, blame: fatal.blame };
  if (ENDED.has(instance.actual_status ?? "")) {
    return { kind: "failed", status, why: message ? `${status}: ${message}` : `it is ${status}`, blame: "machine" };
  }
  return { kind: "pending", status };
}

function stopped(status: string, isBid: boolean): InstanceVerdict {
  const why = isBid ? "outbid: the service stopped it" : "the service stopped it";
  return { kind: "failed", status, why, blame: "machine", ...(isBid ? { outbid: true } : { stopped: true }) };
}

/**
 * Outbid, out of credit, or stopped by hand. `actual_status` may say anything then; where it is all
 * that is shown, it says `stopped`.
 */
function wasStopped({ intended_status, cur_state, actual_status }: Instance, isBid: boolean): boolean {
  return (intended_status === "stopped" && cur_state === "stopped") || (isBid && actual_status === "stopped");
}
