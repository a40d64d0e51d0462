import { type History, type HistoryPort, imageMark, knownOf, ratiosOf } from "../history/hosts.ts";
import type { Offer, Price } from "../marketplace/marketplace.ts";
import { RUNNER_GB } from "../money/cost.ts";
import { HOUR_MS } from "../shared/duration.ts";
import { expectedBootMs, expectedBytes, GB, type ImageFacts, type Standing } from "../timing/boot.ts";
import { TUNING } from "../timing/tuning.ts";

const { urgentUsdPerHour, waitingUsdPerHour, aroundJobMs, priorJobMs, failureMs } = TUNING.cost;

/** The expected cost of a job on an offer, in USD, with the time of whoever waits for it. */
type ExpectedCost = ReturnType<typeof expectedCost>;

interface CostFacts {
  /** How long the machine takes to run, in milliseconds. */
  bootMs: number;
  /** How long the GPU job takes, in milliseconds. */
  jobMs: number;
  /** Compressed bytes of the image that it has to pull; 0 if it has the image. */
  imageBytes: number;
  /** The chance that the machine never gets ready, 0 to 1. */
  failureChance: number;
}

/** Expects how long a GPU job takes, in milliseconds: the mean of the finished ones and one guess. */
export function expectedJobMs(finishedMs: readonly number[], guessMs: number = priorJobMs): number {
  return finishedMs.reduce((sum, each) => sum + each, guessMs) / (finishedMs.length + 1);
}

/** Expects what a job costs on an offer, by which the order `auto` ranks offers (docs/internals/adr/0017). */
export function expectedCost(price: Price, { bootMs, jobMs, imageBytes, failureChance }: CostFacts) {
  const gpu = (Math.max(0, price.total - price.storage) * (jobMs + aroundJobMs)) / HOUR_MS;
  const storage = (price.storage * (jobMs + bootMs)) / HOUR_MS;
  const bytes = (price.inetDown ?? 0) * (imageBytes / GB + RUNNER_GB);
  const waiting = (waitingUsdPerHour * bootMs + urgentUsdPerHour * failureMs * failureChance) / HOUR_MS;
  return { gpu, storage, bytes, waiting, total: gpu + storage + bytes + waiting };
}

/** Expects what a job costs, in USD, whose wait for another machine failed: each further minute counts more. */
export function urgentCost({ total }: ExpectedCost, bootMs: number): number {
  return total + ((urgentUsdPerHour - waitingUsdPerHour) * bootMs) / HOUR_MS;
}

/** Describes an expected cost without the wait, which nobody bills. */
export function describeExpectedCost({ total, waiting }: ExpectedCost): string {
  return `${(total - waiting).toFixed(3)} USD expected`;
}

/** What is known, other than the offers themselves. */
export interface Knowledge {
  image: Pick<ImageFacts, "bytes" | "isDevel" | "name">;
  /** How long the GPU job is expected to take, in milliseconds. */
  jobMs: number;
  /** The past of machines, in this session and in earlier ones as far as they are known. */
  history: History;
  /** Machines of earlier sessions are known. */
  isKept: boolean;
  /** In milliseconds since the epoch. */
  now: number;
}

/** Puts together what is known before a search. `finishedMs`: how long the finished GPU jobs took. */
export function knowledgeOf(
  { image, jobMs: guessMs }: { image: ImageFacts; jobMs?: number | undefined },
  finishedMs: readonly number[],
  { isKept, known }: Pick<HistoryPort, "isKept" | "known">,
  now: number,
): Knowledge {
  return { image, jobMs: expectedJobMs(finishedMs, guessMs), history: known, isKept, now };
}

/** What we expect of a machine that is rented by an offer. */
export interface Expectation {
  /** From its creation to running, in milliseconds. */
  bootMs: number;
  standing: Standing;
  failedLately: boolean;
  hasImage: boolean;
  cost: ExpectedCost;
}

/** Makes the function that says what to expect of each offer; what all offers share is computed once. */
export function expectations(knowledge: Knowledge): (offer: Offer, price: Price) => Expectation {
  const { history, image, isKept, jobMs, now } = knowledge;
  const mark = imageMark(image);
  const recentRatios = ratiosOf(history);
  return (offer, price) => {
    const { isProven, failedLately, ownRatio, hasImage } = knownOf(history, offer.machineId, mark, now);
    const bootMs = expectedBootMs(image, offer, { ownRatio, recentRatios, hasImage });
    const failureChance = TUNING.cost.failureChance[isProven ? "proven" : "usual"];
    const imageBytes = hasImage ? 0 : expectedBytes(image);
    const cost = expectedCost(price, { bootMs, jobMs, imageBytes, failureChance });
    const ofKept = isProven ? "proven" : "unproven";
    return { bootMs, standing: isKept ? ofKept : "none", failedLately, hasImage, cost };
  };
}
