import type { Answer } from "../../http/deliver.ts";

/** `seed`: the letter of the specification. `observed`: what the public service was seen to do. */
export type Dialect = "seed" | "observed";

/** A refused request; thrown anywhere in an operation, it becomes the answer, without effect. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly answer: Answer;

  constructor(status: number, body: object) {
    super(`${status} ${JSON.stringify(body)}`);
    this.answer = { status, body };
  }
}

/** A refusal in the shape that most have: the service's own word for the case, its sentence, and what more it says. */
export function refusal(status: number, error: string, msg: string, extra: object = {}): Refusal {
  return new Refusal(status, { success: false, error, msg, ...extra });
}

/** The 400 for a value that the service does not take. */
export function invalidArgs(msg: string): Refusal {
  return refusal(400, "invalid_args", msg);
}

/** The 400 for a request that can't be read, or asks for what there is not. */
export function invalidRequest(msg: string): Refusal {
  return refusal(400, "invalid_request", msg);
}

/** The answer to an address that there is not, or not in this dialect. */
export function unknownPath(): Refusal {
  return refusal(404, "not_found", "There is no such path.");
}

/** A request for something of the service that is not imitated: 501, marked in the journal. */
export function notSimulated(what: string): Refusal {
  return refusal(501, "not_simulated", `The simulator does not imitate ${what}.`);
}

/** No value of the service looks like this. */
const MARK = "<<NaN>>";

/**
 * Spoils an answer as the service was seen to do: columns that are a bare NaN, which JSON does not have,
 * and columns that are missing. Its status and a text stay.
 */
export function withJunk(answer: Answer, { nan, drop }: { nan: readonly string[]; drop: readonly string[] }): Answer {
  if (answer.text !== undefined) return answer;
  const spoil = (name: string, value: unknown) => {
    if (drop.includes(name)) return undefined;
    return nan.includes(name) ? MARK : value;
  };
  const text = JSON.stringify(answer.body, spoil).replaceAll(`"${MARK}"`, "NaN");
  return { status: answer.status, text, headers: { "content-type": "application/json" } };
}
