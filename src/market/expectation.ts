import type { ImageFacts } from "../money/boot-time.ts";
import { expectedBootMs, expectedBytes } from "../money/expected-boot.ts";
import type { Standing } from "../money/late.ts";
import type { OfferPrice } from "../money/price.ts";
import { TUNING } from "../money/tuning.ts";
import type { Offer } from "../vast/schemas/offer.ts";
import { type ExpectedCost, expectedCost, expectedJobMs } from "./expected-cost.ts";
import { type History, type HistoryPort, imageMark, knownOf, ratiosOf } from "./history.ts";

/** The knowledge beside the offers. */
export interface Knowledge {
  image: Pick<ImageFacts, "bytes" | "isDevel" | "name">;
  /** How long the GPU job is expected to take, in milliseconds. */
  jobMs: number;
  /** Of this use, and of earlier ones where a history is kept. */
  history: History;
  /** The input `history` names a file, and it held something. */
  isKept: boolean;
  /** In milliseconds since the epoch. */
  now: number;
}

/** Puts it together. `finishedMs`: how long the GPU jobs took that are over. */
export function knowledgeOf(
  { image }: { image: ImageFacts },
  finishedMs: readonly number[],
  { isKept, known }: Pick<HistoryPort, "isKept" | "known">,
  now: number,
): Knowledge {
  const jobMs = expectedJobMs(finishedMs);
  return { image, jobMs, history: known, isKept, now };
}

/** The expected machine, made of an offer. */
export interface Expectation {
  /** From its creation to running, in milliseconds. */
  bootMs: number;
  standing: Standing;
  failedLately: boolean;
  hasImage: boolean;
  cost: ExpectedCost;
}

/** Expects of each offer; the part that all share is worked out once. */
export function expectations(knowledge: Knowledge): (offer: Offer, price: OfferPrice) => Expectation {
  const { history, image, isKept, jobMs, now } = knowledge;
  const mark = imageMark(image);
  const recentRatios = ratiosOf(history);
  return (offer, price) => {
    const { isProven, failedLately, ownRatio, hasImage } = knownOf(history, offer.machine_id, mark, now);
    const bootMs = expectedBootMs(image, offer, { ownRatio, recentRatios, hasImage });
    const failureChance = TUNING.cost.failureChance[isProven ? "proven" : "usual"];
    const imageBytes = hasImage ? 0 : expectedBytes(image);
    const cost = expectedCost(offer, price, { bootMs, jobMs, imageBytes, failureChance });
    const strange = isKept ? "unproven" : "none";
    return { bootMs, standing: isKept && isProven ? "proven" : strange, failedLately, hasImage, cost };
  };
}
