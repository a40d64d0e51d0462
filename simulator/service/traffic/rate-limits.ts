import { OPERATIONS, type ServiceOperation } from "../../scenario/fault.ts";
import type { Dialect } from "./refusal.ts";
import type { ServiceAnswer } from "./service-journal.ts";

/** The list without pages is deprecated and "gives 429 readily". */
const LIST_WITHOUT_PAGES = { seconds: 4 };

/** In what form a 429 comes; all three were seen. */
type TooFrequentForm = "text" | "json" | "detail";

/** Keeps the minimum intervals between the calls of one key to one operation, whatever its address. */
export class RateLimits {
  readonly #form: TooFrequentForm;
  readonly #now: () => number;
  readonly #let: Map<string, number[]> = new Map();

  constructor(now: () => number, form: TooFrequentForm) {
    this.#now = now;
    this.#form = form;
  }

  /** Counts a call; gives the answer to one that came too soon: it is not executed, nor counted. */
  count(operation: ServiceOperation, who: { key: string; paged: boolean; words: Dialect }): ServiceAnswer | undefined {
    const unpaged = operation === "listInstances" && !who.paged;
    const limit: { seconds: number; calls?: number } = unpaged ? LIST_WITHOUT_PAGES : OPERATIONS[operation];
    const { seconds, calls } = limit;
    const route = `${operation} ${unpaged} ${who.key}`;
    const now = this.#now();
    const recent = (this.#let.get(route) ?? []).filter((at) => now - at < seconds * 1000);
    // Where only the seed's words are known, they are used in both dialects.
    if (recent.length >= (calls ?? 1))
      return tooFrequent(calls?.toString() ?? seconds.toFixed(1), who.words === "seed" ? "json" : this.#form);
    this.#let.set(route, [...recent, now]);
    return undefined;
  }
}

/** No Retry-After: the service sends none. */
function tooFrequent(threshold: string, form: TooFrequentForm): ServiceAnswer {
  const sentence = `API requests too frequent: endpoint threshold=${threshold}`;
  if (form === "text") return { status: 429, text: `${sentence}*1.0` };
  if (form === "detail") return { status: 429, body: { detail: `${sentence}*1.0` } };
  return { status: 429, body: { success: false, error: "rate_limit_exceeded", msg: sentence } };
}
