import type { ServerResponse } from "node:http";
import type { SimClock } from "../../clock/sim-clock.ts";
import { drip } from "../../http/drip.ts";
import type { Delivery, ServiceAnswer } from "./service-answer.ts";
import type { Outcome } from "./service-journal.ts";

/** Sends what a caller gets to see, or leaves it waiting. */
export function deliver(response: ServerResponse, delivery: Delivery, clock: SimClock): Outcome {
  switch (delivery.how) {
    case "cut":
      response.socket?.destroy();
      return "cut";
    case "silence":
      return "never answered";
    case "truncated":
      sendStart(response, delivery.answer, delivery.bytes);
      return "truncated";
    case "dripped":
      drip(sendHead(response, delivery.answer), Buffer.from(textOf(delivery.answer)), {
        clock,
        seconds: delivery.seconds,
      });
      return "answered";
    case "answer":
      sendHead(response, delivery.answer).end(textOf(delivery.answer));
      return "answered";
  }
}

function sendStart(response: ServerResponse, answer: ServiceAnswer, bytes: number): void {
  const start = Buffer.from(textOf(answer)).subarray(0, bytes);
  sendHead(response, answer).flushHeaders();
  // Destroyed only after the bytes are out, else the caller might see nothing at all.
  response.write(start, () => response.socket?.end(() => response.socket?.destroy()));
}

function sendHead(response: ServerResponse, answer: ServiceAnswer): ServerResponse {
  return response.writeHead(answer.status, {
    // Exactly this type: the official client accepts no charset after it.
    "content-type": "text" in answer ? (answer.type ?? "text/plain") : "application/json",
    "content-length": Buffer.byteLength(textOf(answer)),
  });
}

function textOf(answer: ServiceAnswer): string {
  return "text" in answer ? answer.text : JSON.stringify(answer.body);
}
