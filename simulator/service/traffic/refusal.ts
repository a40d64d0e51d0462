import type { ServiceAnswer } from "./service-answer.ts";

/** A refusal's content beside its status. */
export interface RefusalWords {
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
