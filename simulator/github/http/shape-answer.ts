import type { Delivery } from "../../http/deliver.ts";
import type { ShapingFault } from "../faults.ts";
import { type Answer, refusal } from "./answer.ts";

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

/** The answer under a fault, `answer` without it; undefined: nothing is sent. */
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

/** How an answer is sent under a fault; undefined is sent as a broken connection, or not at all. */
export function deliveryOf(fault: ShapingFault | undefined, answer: Answer | undefined): Delivery<Answer> {
  if (answer === undefined) return { how: fault?.kind === "never-answer" ? "silence" : "cut" };
  if (fault?.kind === "drip") return { how: "dripped", answer, seconds: fault.seconds };
  if (fault?.kind === "truncate") return { how: "truncated", answer, bytes: fault.bytes };
  return { how: "answer", answer };
}
