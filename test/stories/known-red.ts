import type { Rule } from "./rule.ts";

/** A row of issue 24's table that the code does not meet yet, and the rules that it breaks for it. */
export interface KnownRed {
  why: string;
  breaks: readonly Rule[];
}

const ONE_REFUSAL: readonly Rule[] = ["renting stops for what still holds", "a waiting job gets a machine"];
const LISTS: readonly Rule[] = ["a running job keeps its machine", "the end is true of the jobs"];

/**
 * Who mends a row deletes it here. A row that passes and is still here fails the suite; drawn
 * stories may break the rules of the rows that are here, and no others.
 */
export const KNOWN_RED: Readonly<Record<string, KnownRed>> = {
  "1": { why: "two lists without a machine are believed", breaks: LISTS },
  "2": { why: "a list that is shorter than it says passes as whole", breaks: LISTS },
  "3": { why: "a machine that was ready has no visibility allowance", breaks: LISTS },
  "4": { why: "a gateway's page counts as a refusal of the key, and is latched", breaks: ONE_REFUSAL },
  "5": { why: "GitHub's first refusal is believed, and latched", breaks: ONE_REFUSAL },
  "6": { why: "a 400 about one host is taken for one about the request", breaks: ONE_REFUSAL },
  "7": {
    why: "a spare that is listed after it was gone counts as a failure",
    breaks: ["no host is blamed for our own ending", "renting stops for what still holds"],
  },
  "8": {
    why: "machines of one create are ended one by one, with the runner that they share",
    breaks: [
      "a shared runner is kept for its job",
      "machines of one create are not ended under its job",
      "a running job keeps its machine",
      "max-cost is kept",
    ],
  },
  "9": { why: "max-cost counts as used up though nothing was spent", breaks: ["renting stops for what still holds"] },
  "10": {
    why: "the service's word on an outbid machine comes too late for its job",
    breaks: ["failed is failed, lost is lost"],
  },
  "11": { why: "each use is looked at by its own request", breaks: ["GitHub is not asked too often"] },
  "13": { why: "a moment without its runner calls a job lost", breaks: ["failed is failed, lost is lost"] },
  "near its deadline": {
    why: "a machine that begins no further runner, as too little time is left, is called lost",
    breaks: ["no host is blamed for our own ending"],
  },
};

/** Rules that drawn stories may break for now. */
export function brokenForNow(): ReadonlySet<Rule> {
  return new Set(Object.values(KNOWN_RED).flatMap(({ breaks }) => breaks));
}
