import type { Delivery } from "../../http/deliver.ts";
import type { Fault } from "../../scenario/fault.ts";
import type { ServiceAnswer } from "./service-answer.ts";

/** A fault that decides whether the request takes effect and what arrives of its answer. */
export type ShapingFault = Extract<
  Fault,
  { kind: "refuse" | "lose-answer" | "never-answer" | "status" | "text" | "truncate" | "drip" | "late-create" }
>;

const SHAPING: readonly string[] = [
  "refuse",
  "lose-answer",
  "never-answer",
  "status",
  "text",
  "truncate",
  "drip",
  "late-create",
] satisfies ShapingFault["kind"][];

/** The first fault that shapes the answer; the others of that kind wait for another request. */
export function shapingFault(faults: readonly Fault[]): ShapingFault | undefined {
  return faults.find((fault): fault is ShapingFault => SHAPING.includes(fault.kind));
}

/** True when the request takes effect now. A late create's later effect is the caller's. */
export function takesEffect(fault: ShapingFault | undefined): boolean {
  switch (fault?.kind) {
    case undefined:
    case "lose-answer":
    case "truncate":
    case "drip":
      return true;
    case "refuse":
    case "late-create":
      return false;
    case "never-answer":
    case "status":
    case "text":
      return fault.when === "after";
  }
}

/** The rest of an answer under a fault; `answer`: undefined if the request took no effect. */
export function shapeAnswer(
  fault: ShapingFault | undefined,
  answer: ServiceAnswer | undefined,
): Delivery<ServiceAnswer> {
  switch (fault?.kind) {
    case "refuse":
    case "lose-answer":
    case "late-create":
      return { how: "cut" };
    case "never-answer":
      return { how: "silence" };
    case "status":
      return { how: "answer", answer: { status: fault.status, body: fault.body ?? {} } };
    case "text":
      return { how: "answer", answer: { status: fault.status ?? 200, text: fault.text } };
    case "truncate":
      return answer ? { how: "truncated", answer, bytes: fault.bytes } : { how: "cut" };
    case "drip":
      return answer ? { how: "dripped", answer, seconds: fault.seconds } : { how: "cut" };
    case undefined:
      return answer ? { how: "answer", answer } : { how: "cut" };
  }
}
