import type { ImageFacts } from "../../limits/boot-time.ts";
import type { Knowledge } from "../../market/history/expectation.ts";
import { expectedJobMs } from "../../market/history/expected-cost.ts";
import { NO_HISTORY } from "../../market/history/history.ts";

/** The knowledge before any machine was rented, without a history. `now`: ms since the epoch. */
export function firstKnowledge(
  { image, instance }: { image: ImageFacts; instance: { image?: string | undefined } },
  now: number,
): Knowledge {
  return {
    image: { ...image, name: instance.image ?? "" },
    jobMs: expectedJobMs([]),
    history: NO_HISTORY,
    isKept: false,
    now,
  };
}
