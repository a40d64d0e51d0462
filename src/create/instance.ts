import type { Instance, Reachable } from "../marketplace/marketplace.ts";
import { oneLine, withoutKeys } from "../shared/foreign-text.ts";

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

/**
 * Judges an instance as the service shows it. Unknown statuses are pending: the seed does not list
 * them all, and the deadlines of the caller bound the wait. `isBid`: it was rented by a bid, so
 * that what stopped it is a higher one.
 */
export function judgeInstance(instance: Instance, isBid = instance.isInterruptible === true): InstanceVerdict {
  const status = oneLine(instance.status ?? "null", 40);
  const message = oneLine(withoutKeys(instance.message ?? ""));
  if (wasStopped(instance, isBid)) return stopped(status, isBid);
  if (instance.state === "running") return { kind: "running", status };
  // "host texts" are looked for last: a daemon's error also opens the sentences that blame the
  // image.
  const fatal = FATAL_TEXTS.find(({ text }) => text.test(message));
  if (fatal) return { kind: "failed", status, why: message, blame: fatal.blame };
  // Seed: these never run. We ask for none of them.
  if (instance.state !== "pending") {
    return { kind: "failed", status, why: message ? `${status}: ${message}` : `it is ${status}`, blame: "machine" };
  }
  return { kind: "pending", status };
}

function stopped(status: string, isBid: boolean): InstanceVerdict {
  const why = isBid ? "outbid: the service stopped it" : "the service stopped it";
  return { kind: "failed", status, why, blame: "machine", ...(isBid ? { outbid: true } : { stopped: true }) };
}

/** Outbid, out of credit, or stopped by hand: of a bid, a stopped container alone says so. */
function wasStopped({ isHalted, state }: Instance, isBid: boolean): boolean {
  return isHalted || (isBid && state === "stopped");
}

/** Where a machine can be reached by SSH; empty where the service does not tell. */
interface SshAddress {
  host: string;
  port: string;
}

/** The machine's own address with `ssh_direct`, where shown; else that of the service's proxy. */
export function sshAddress(reachable: Reachable | undefined, access: "ssh_proxy" | "ssh_direct"): SshAddress {
  const { direct, proxy } = reachable ?? {};
  const isDirect = access === "ssh_direct" && direct?.port !== undefined && hostOf(direct.host) !== "";
  const address = isDirect ? direct : proxy;
  return { host: hostOf(address?.host), port: String(address?.port ?? "") };
}

/** Only what can be a name or an address: people copy it into a shell, and scripts use it there. */
function hostOf(text = ""): string {
  return /^[\da-z][\da-z.:-]*$/i.test(text) ? text : "";
}
