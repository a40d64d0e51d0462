import type { ServerResponse } from "node:http";
import type { SimClock } from "../../clock/sim-clock.ts";
import { type Delivery, deliver, type WireAnswer } from "../../http/deliver.ts";
import type { ServiceAnswer } from "./service-answer.ts";
import type { Outcome } from "./service-journal.ts";

const OUTCOMES: Record<Delivery["how"], Outcome> = {
  answer: "answered",
  dripped: "answered",
  truncated: "truncated",
  cut: "cut",
  silence: "never answered",
};

/** Sends what a caller gets to see of an answer, and says what became of the request. */
export function sendAnswer(response: ServerResponse, delivery: Delivery<ServiceAnswer>, clock: SimClock): Outcome {
  const sent = "answer" in delivery ? { ...delivery, answer: onWire(delivery.answer, clock) } : delivery;
  deliver(response, sent, clock);
  return OUTCOMES[delivery.how];
}

function onWire(answer: ServiceAnswer, clock: SimClock): WireAnswer {
  const isText = "text" in answer;
  const headers = {
    // The machines read the time of day from this header: it must be the simulated one.
    date: new Date(clock.now()).toUTCString(),
    // Exactly this type: the official client accepts no charset after it.
    "content-type": isText ? (answer.type ?? "text/plain") : "application/json",
  };
  return { status: answer.status, headers, body: Buffer.from(isText ? answer.text : JSON.stringify(answer.body)) };
}
