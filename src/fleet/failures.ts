import { describeOffer } from "../market/search.ts";
import { oneLine } from "../shared/foreign-text.ts";
import type { Ending, Machine } from "./state/machine.ts";

interface Cause {
  one: string;
  many: string;
  /** The way out where most machines failed like that. */
  todo: string;
}

const AGAIN = "Run the job again; if it happens again, raise min-reliability or attempts.";

type CauseName = NonNullable<Ending["blame"]> | "outbid" | "stopped" | "none";

const CAUSES: Readonly<Record<CauseName, Cause>> = {
  boot: {
    one: "too slow to boot",
    many: "too slow to boot",
    todo: "Run the job again, use a smaller image, or raise boot-timeout.",
  },
  online: {
    one: "whose runner stayed offline",
    many: "whose runners stayed offline",
    todo: "Run the job again, or raise online-timeout; the log has each machine's last lines.",
  },
  preparing: {
    one: "that ended itself while it prepared",
    many: "that ended themselves while they prepared",
    todo: "Look at the image first, not at the market: it needs glibc, and a package manager or curl.",
  },
  image: {
    one: "that could not pull the image",
    many: "that could not pull the image",
    todo: "Check the image's name and tag, and image-login if it is private.",
  },
  machine: { one: "broken host", many: "broken hosts", todo: AGAIN },
  refused: {
    one: "that the service refused",
    many: "that the service refused",
    todo: "Look at what the service said: it may be the bid, or the account's credit or limits.",
  },
  price: {
    one: "dearer than max-price",
    many: "dearer than max-price",
    todo: "Raise max-price, or run the job again.",
  },
  outbid: { one: "outbid", many: "outbid", todo: "Raise bid-price, or set bid-fallback: true." },
  stopped: {
    one: "that the service stopped",
    many: "that the service stopped",
    todo: "Look at the account's credit: without any the service stops all machines. Else run the job again.",
  },
  none: { one: "lost", many: "lost", todo: AGAIN },
};

/** In words, `3 too slow to boot, 1 broken host`; and what to do about the commonest. */
export function commonCauses(failures: readonly Machine[]): { words: string; todo: string } {
  const byCause = Map.groupBy(failures, ({ ending }) => causeOf(ending));
  const causes = [...byCause].toSorted(([, left], [, right]) => right.length - left.length);
  const words = causes.map(([cause, { length }]) => `${length} ${CAUSES[cause][length === 1 ? "one" : "many"]}`);
  return { words: words.join(", "), todo: CAUSES[causes[0]?.[0] ?? "none"].todo };
}

/** JobMatcher fault it is comes before how far the machine was. */
function causeOf(ending: Ending | undefined): CauseName {
  if (ending?.isOutbid) return "outbid";
  return ending?.isStopped ? "stopped" : (ending?.blame ?? "none");
}

const MOST_TOLD = 4;

/** Each machine that failed, and why, in a sentence; of many the first ones. */
export function describeFailures(failures: readonly Machine[]): string[] {
  const told = failures
    .slice(0, MOST_TOLD)
    .map(
      ({ candidate, ending }, index) =>
        `Attempt ${index + 1}, ${describeOffer(candidate.offer)}: ${oneLine(ending?.why ?? "")}.`,
    );
  return failures.length > MOST_TOLD ? [...told, "The log has the others."] : told;
}
