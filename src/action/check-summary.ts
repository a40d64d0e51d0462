import type { Rental } from "../fleet/state/rental.ts";
import { describeExpectedCost } from "../market/expectation.ts";
import { type Candidate, describeOffer } from "../market/search.ts";
import { describePull } from "../money/boot.ts";
import { formatPrice } from "../money/price.ts";
import { withoutMarkdown } from "../shared/foreign-text.ts";
import { markdownTable } from "../shared/table.ts";
import type { CheckResult } from "./checklist.ts";

/** An offer that fits, with what to expect of it. */
export interface OfferLine {
  /** For the log. */
  text: string;
  /** For the summary, cell by cell. */
  cells: readonly string[];
}

/** Time to pull the image and cost until the deadline, for a machine made of this offer. */
export function offerLine(candidate: Candidate, plan: Rental, imageBytes: number | undefined): OfferLine {
  const { expected, offer, price } = candidate;
  const { most, minutes } = plan.estimate;
  const pull = imageBytes === undefined ? "the image's size is not known" : describePull(imageBytes, offer);
  const cost = `${formatPrice(most)} at most, if used for all of its ${minutes} minutes`;
  const likely = expected === undefined ? "" : describeExpectedCost(expected.cost);
  return {
    text: `  ${describeOffer(offer)}: ${formatPrice(price.total)} per hour; ${pull}; ${likely}; ${cost}`,
    cells: [
      String(offer.id),
      `${offer.numGpus} × ${offer.gpuName}`,
      String(offer.machineId ?? "unknown"),
      formatPrice(price.total),
      pull,
      likely,
      cost,
    ],
  };
}

const MOST_ROWS = 20;
const SIGNS = { ok: "✅", failed: "❌", unknown: "➖" };

/** The job summary of a check, in Markdown. */
export function checkSummary(results: readonly CheckResult[], offers: readonly OfferLine[]): string {
  const answers = results.map(({ what, state, answer }) => [SIGNS[state], ...[what, answer].map(harmless)]);
  const rows = offers.slice(0, MOST_ROWS).map(({ cells }) => cells.map(harmless));
  return [
    "### GPU machine: check, nothing was rented",
    "",
    ...markdownTable([["", "asked", "answer"], ...answers]),
    "",
    ...markdownTable([OFFER_TITLES, ...rows]),
    ...(offers.length > MOST_ROWS ? ["", `… and ${offers.length - MOST_ROWS} more.`] : []),
    "",
  ].join("\n");
}

const OFFER_TITLES = ["offer", "GPU", "machine", "price per hour", "pull", "expected for a job of 5 min", "at most"];

// Not handed on as it is: an index as second argument would be its length.
const harmless = (cell: string) => withoutMarkdown(cell);
