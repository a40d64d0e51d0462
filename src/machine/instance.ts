import type { Instance } from "../marketplace/marketplace.ts";
import { oneLine, withoutKeys } from "../shared/foreign-text.ts";
import { judgeText, type TextBlame } from "./said.ts";

/** What an instance's state means for a machine that shall become, or stay, ready. */
export type InstanceVerdict =
  /** `says`: words of the service's that nobody here knows. */
  | { kind: "pending"; status: string; says?: string }
  | { kind: "running"; status: string }
  /** It won't come (back). Blame other than `machine`: another may do no better. `isUnsure`: it may try once more. */
  | {
      kind: "failed";
      status: string;
      why: string;
      blame: "machine" | Exclude<TextBlame, "host" | "going on">;
      isUnsure?: true;
      outbid?: true;
      stopped?: true;
    };

/** What an instance is whose status the service does not show yet. */
export const BEING_MADE = "being made";

/** Judges an instance. Unknown statuses are pending: the caller's deadlines bound the wait. */
export function judgeInstance(instance: Instance, isBid = instance.isInterruptible === true): InstanceVerdict {
  const status = oneLine(instance.status ?? BEING_MADE, 40);
  // Outbid, out of credit, or by hand. For a bid a stopped container is enough.
  if (instance.isHalted || (isBid && instance.state === "stopped")) {
    const why = isBid ? "outbid: the service stopped it" : "the service stopped it";
    return { kind: "failed", status, why, blame: "machine", ...(isBid ? { outbid: true } : { stopped: true }) };
  }
  return instance.state === "running" ? { kind: "running", status } : saidVerdict(instance, status);
}

/** How much of a message is read at its beginning and at its end: nobody says more with one. */
const READ = 2000;

/** Takes the middle out of a message that is very long. A word that this cuts goes whole, as it may be a key. */
function withoutMiddle(message: string): string {
  if (message.length <= 2 * READ) return message;
  const head = message.slice(0, READ).split(" ").slice(0, -1);
  const tail = message.slice(-READ).split(" ").slice(1);
  return [...head, "…", ...tail].join(" ");
}

function saidVerdict({ message = "", state }: Instance, status: string): InstanceVerdict {
  const text = withoutKeys(withoutMiddle(message));
  const why = oneLine(text);
  const said = judgeText(text);
  if (said !== undefined && said !== "going on" && said !== "host") return { kind: "failed", status, why, blame: said };
  // The specification says of the other states that they never run.
  if (state !== "pending")
    return { kind: "failed", status, why: why ? `${status}: ${why}` : `it is ${status}`, blame: "machine" };
  if (said === "host") return { kind: "failed", status, why, blame: "machine", isUnsure: true };
  return { kind: "pending", status, ...(said === undefined && why !== "" ? { says: why } : {}) };
}
