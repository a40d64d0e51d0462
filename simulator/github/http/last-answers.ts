import type { ShapingFault } from "../faults.ts";
import type { Answer } from "./answer.ts";

/** The last answer to each read, for lists that lag behind. */
export class LastAnswers {
  readonly #answers = new Map<string, Answer>();

  /** The fresh answer, which is remembered; under a `stale` fault the remembered one. */
  give(
    { path, query }: { path: string; query: URLSearchParams },
    fresh: Answer,
    fault: ShapingFault | undefined,
  ): Answer {
    const name = `${path}?${query}`;
    if (fault?.kind === "stale") return this.#answers.get(name) ?? fresh;
    this.#answers.set(name, fresh);
    return fresh;
  }
}
