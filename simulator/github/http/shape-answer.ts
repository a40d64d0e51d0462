import type { ServerResponse } from "node:http";
import type { SimClock } from "../../clock/sim-clock.ts";
import { drip } from "../../http/drip.ts";
import type { ShapingFault } from "../faults.ts";
import { type Answer, refusal } from "./answer.ts";
import { prepare, send } from "./send.ts";

/** Whether a request under this fault takes effect. */
export function takesEffect(fault: ShapingFault | undefined): boolean {
  switch (fault?.kind) {
    case "reset":
      return false;
    case "status":
    case "text":
    case "never-answer":
      return fault.when === "after";
    default:
      return true;
  }
}

/** What is sent under a fault, `answer` being what would have been; undefined: nothing at all. */
export function shapeAnswer(fault: ShapingFault | undefined, answer: Answer | undefined): Answer | undefined {
  switch (fault?.kind) {
    case "reset":
    case "lose-answer":
    case "never-answer":
      return undefined;
    case "status": {
      const { status, body, headers = {} } = fault;
      return body === undefined ? refusal(status, "Fault of the test", headers) : { status, body, headers };
    }
    case "text":
      return { status: fault.status ?? 200, body: fault.text, headers: { "content-type": "text/html" } };
    default:
      return answer;
  }
}

/** Sends an answer in the way that a fault has it, or destroys or forgets the connection. */
export function deliver(
  response: ServerResponse,
  answer: Answer | undefined,
  { fault, clock }: { fault: ShapingFault | undefined; clock: SimClock },
): void {
  if (answer === undefined) {
    if (fault?.kind !== "never-answer") response.destroy();
  } else if (fault?.kind === "drip") {
    drip(response, withLength(response, prepare(response, answer, clock)), { clock, seconds: fault.seconds });
  } else if (fault?.kind === "truncate") {
    const body = withLength(response, prepare(response, answer, clock));
    response.flushHeaders();
    // Destroyed only after the bytes are out, else the caller might see nothing at all.
    response.write(body.subarray(0, fault.bytes), () => response.socket?.end(() => response.socket?.destroy()));
  } else {
    send(response, answer, clock);
  }
}

function withLength(response: ServerResponse, body: Buffer): Buffer {
  response.setHeader("content-length", body.length);
  return body;
}
