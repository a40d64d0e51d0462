import type { ServerResponse } from "node:http";
import type { SimClock } from "../../clock/sim-clock.ts";
import { type Delivery, deliver, type WireAnswer } from "../../http/deliver.ts";
import type { Fault } from "../../scenario/fault.ts";
import type { Outcome, ServiceAnswer } from "./service-journal.ts";

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

/** A refusal's content beside its status. */
interface RefusalWords {
  /** The service's own word for the case, as in `error`. */
  error: string;
  /** The sentence, as in `msg`. */
  msg: string;
  /** More fields of the body. */
  extra?: Record<string, unknown>;
}

/** A refused request; thrown anywhere in an operation, it becomes the answer, without effect. */
export class Refusal extends Error {
  override readonly name: string = "Refusal";
  readonly status: number;
  readonly words: RefusalWords;

  constructor(status: number, words: RefusalWords) {
    super(`${status} ${words.error}: ${words.msg}`);
    this.status = status;
    this.words = words;
  }

  /** The answer in the shape that most of the service's errors have. */
  get answer(): ServiceAnswer {
    const { error, msg, extra } = this.words;
    return { status: this.status, body: { success: false, error, msg, ...extra } };
  }
}

/** A refusal whose body has another shape than most. */
export class ShapedRefusal extends Refusal {
  override readonly name = "ShapedRefusal";
  readonly #body: unknown;

  constructor(status: number, body: { msg: string } | { status: "failure"; message: string }) {
    super(status, { error: "", msg: "msg" in body ? body.msg : body.message });
    this.#body = body;
  }

  override get answer(): ServiceAnswer {
    return { status: this.status, body: this.#body };
  }
}

/** The answer to an address that the dialect does not have. */
export function unknownPath(): Refusal {
  return new Refusal(404, { error: "not_found", msg: "There is no such path." });
}

/** A request for something of the service that is not imitated: 501, marked in the journal. */
export class NotSimulated extends Refusal {
  override readonly name = "NotSimulated";

  constructor(what: string) {
    super(501, { error: "not_simulated", msg: `The simulator does not imitate ${what}.` });
  }
}

/** The 400 for a request that can't be read, or asks for what there is not. */
export function invalidRequest(msg: string): Refusal {
  return new Refusal(400, { error: "invalid_request", msg });
}

/** A fault that decides whether the request takes effect and what arrives of its answer. */
type ShapingFault = Extract<
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

/** The faults in an answer's rows. */
interface Junk {
  /** Columns that are a bare NaN, which JSON does not have. */
  readonly nan: readonly string[];
  readonly drop: readonly string[];
}

/** No value of the service looks like this. */
const MARK = "<<NaN>>";

/** Spoils an answer as the service was seen to do; its status stays. Text stays as it is. */
export function withJunk(answer: ServiceAnswer, { nan, drop }: Junk): ServiceAnswer {
  if ("text" in answer) return answer;
  const spoil = (name: string, value: unknown) => {
    if (drop.includes(name)) return undefined;
    return nan.includes(name) ? MARK : value;
  };
  const text = JSON.stringify(answer.body, spoil).replaceAll(`"${MARK}"`, "NaN");
  return { status: answer.status, text, type: "application/json" };
}

/** Throws an unknown address's 404 in the seed's dialect: it has only what the seed shows. */
export function notInTheSeed(dialect: Dialect): void {
  if (dialect === "seed") throw new Refusal(404, { error: "not_found", msg: "There is no such path." });
}

/** `seed`: the letter of the specification. `observed`: what the public service was seen to do. */
export type Dialect = "seed" | "observed";
