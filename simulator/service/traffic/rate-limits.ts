import type { Answer } from "../../http/deliver.ts";
import { OPERATIONS, type ServiceOperation } from "../../scenario/fault.ts";
import { type Dialect, refusal } from "./refusal.ts";

/** The list without pages is deprecated and "gives 429 readily". */
const LIST_WITHOUT_PAGES = { seconds: 4 };

/** In what form a 429 comes; all three were seen. */
type TooFrequentForm = "text" | "json" | "detail";

/**
 * Keeps the minimum intervals between the calls of one key to one operation, whatever its address. Counts a
 * call; gives the answer to one that came too soon: it is not executed, nor counted.
 */
export function rateLimits(clock: { now(): number }, form: TooFrequentForm) {
  const taken = new Map<string, number[]>();
  return (operation: ServiceOperation, who: { key: string; isSecond: boolean; words: Dialect }): Answer | undefined => {
    const unpaged = operation === "listInstances" && !who.isSecond;
    const { seconds, calls = 1, threshold } = limitOf(operation, unpaged);
    const route = `${operation} ${unpaged} ${who.key}`;
    const now = clock.now();
    const recent = (taken.get(route) ?? []).filter((at) => now - at < seconds * 1000);
    // Where only the seed's words are known, they are used in both dialects.
    if (recent.length >= calls) return tooFrequent(threshold, who.words === "seed" ? "json" : form);
    taken.set(route, [...recent, now]);
    return undefined;
  };
}

function limitOf(operation: ServiceOperation, unpaged: boolean) {
  const limit: { seconds: number; calls?: number } = unpaged ? LIST_WITHOUT_PAGES : OPERATIONS[operation];
  return { ...limit, threshold: limit.calls?.toString() ?? limit.seconds.toFixed(1) };
}

/** No Retry-After: the service sends none. */
function tooFrequent(threshold: string, form: TooFrequentForm): Answer {
  const sentence = `API requests too frequent: endpoint threshold=${threshold}`;
  if (form === "json") return refusal(429, "rate_limit_exceeded", sentence).answer;
  const text = `${sentence}*1.0`;
  return form === "text" ? { status: 429, text } : { status: 429, body: { detail: text } };
}
