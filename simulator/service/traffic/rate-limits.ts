import { OPERATIONS, type ServiceOperation } from "../../scenario/fault.ts";
import type { ServiceAnswer } from "./service-journal.ts";

/** The list without pages is deprecated and "gives 429 readily". */
const LIST_WITHOUT_PAGES = { seconds: 4 };

/** In what form a 429 comes; all three were seen. */
type TooFrequentForm = "text" | "json" | "detail";

/** Keeps the minimum intervals between the calls of one key to one operation, whatever its address. */
export class RateLimits {
  /** Of the answers to calls that came too soon. */
  readonly form: TooFrequentForm;
  readonly #now: () => number;
  readonly #let: Map<string, number[]> = new Map();

  constructor(now: () => number, form: TooFrequentForm) {
    this.#now = now;
    this.form = form;
  }

  /** Counts a call; returns the threshold that it breaks: then it is not executed, nor counted. */
  count(operation: ServiceOperation, who: { key: string; paged: boolean }): string | undefined {
    const unpaged = operation === "listInstances" && !who.paged;
    const limit: { seconds: number; calls?: number } = unpaged ? LIST_WITHOUT_PAGES : OPERATIONS[operation];
    const { seconds, calls } = limit;
    const route = `${operation} ${unpaged} ${who.key}`;
    const now = this.#now();
    const recent = (this.#let.get(route) ?? []).filter((at) => now - at < seconds * 1000);
    if (recent.length >= (calls ?? 1)) return calls === undefined ? seconds.toFixed(1) : String(calls);
    this.#let.set(route, [...recent, now]);
    return undefined;
  }
}

/** The answer to a call that came too soon. No Retry-After: the service sends none. */
export function tooFrequent(threshold: string, form: TooFrequentForm): ServiceAnswer {
  const sentence = `API requests too frequent: endpoint threshold=${threshold}`;
  if (form === "text") return { status: 429, text: `${sentence}*1.0` };
  if (form === "detail") return { status: 429, body: { detail: `${sentence}*1.0` } };
  return { status: 429, body: { success: false, error: "rate_limit_exceeded", msg: sentence } };
}
