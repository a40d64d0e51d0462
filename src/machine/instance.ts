import type { Instance } from "../marketplace/marketplace.ts";
import { oneLine, withoutKeys } from "../shared/foreign-text.ts";

/** What an instance's state means for a machine that shall become, or stay, ready. */
export type InstanceVerdict =
  | { kind: "pending"; status: string }
  | { kind: "running"; status: string }
  /**
   * The machine will not come (back). Blame `image`: the image can't be pulled, on other machines
   * either. `stopped`: by the service, or by hand.
   */
  | { kind: "failed"; status: string; why: string; blame: "machine" | "image"; outbid?: true; stopped?: true };

/** Words of `status_msg` after which no machine was seen to start, whatever its state. The first match counts. */
const FATAL_TEXTS: readonly { text: RegExp; blame: "machine" | "image" }[] = [
  { text: /manifest unknown|manifest for .* not found|failed to resolve reference/i, blame: "image" },
  { text: /unauthorized|pull access denied|repository does not exist|no such image/i, blame: "image" },
  { text: /no space left on device|unexpected eof|oci runtime|pull rate limit|toomanyrequests/i, blame: "machine" },
  { text: /error response from daemon|failed to pull image/i, blame: "machine" },
];

/** What an instance is whose status the service does not show yet. */
export const BEING_MADE = "being made";

/**
 * Judges an instance as the service shows it. Unknown statuses are pending: the specification does
 * not list them all, and the deadlines of the caller bound the wait. `isBid`: the instance was rented
 * by a bid, so that a higher bid is what stopped it.
 */
export function judgeInstance(instance: Instance, isBid = instance.isInterruptible === true): InstanceVerdict {
  const status = oneLine(instance.status ?? BEING_MADE, 40);
  const message = oneLine(withoutKeys(instance.message ?? ""));
  if (wasStopped(instance, isBid)) return stoppedVerdict(status, isBid);
  if (instance.state === "running") return { kind: "running", status };
  const fatal = FATAL_TEXTS.find(({ text }) => text.test(message));
  if (fatal) return { kind: "failed", status, why: message, blame: fatal.blame };
  // The specification says of these states that they never run.
  if (instance.state !== "pending") {
    return { kind: "failed", status, why: message ? `${status}: ${message}` : `it is ${status}`, blame: "machine" };
  }
  return { kind: "pending", status };
}

function stoppedVerdict(status: string, isBid: boolean): InstanceVerdict {
  const why = isBid ? "outbid: the service stopped it" : "the service stopped it";
  return { kind: "failed", status, why, blame: "machine", ...(isBid ? { outbid: true } : { stopped: true }) };
}

/** True for an instance that was stopped: outbid, out of credit, or by hand. For a bid a stopped container is enough. */
function wasStopped({ isHalted, state }: Instance, isBid: boolean): boolean {
  return isHalted || (isBid && state === "stopped");
}
