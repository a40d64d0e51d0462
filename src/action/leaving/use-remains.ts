import type { UseRemains } from "../../machine/destroy-use.ts";
import type { Ledger } from "../platform/ledger.ts";

type Written = Pick<Ledger, "prefix" | "pending" | "created" | "reports">;

/** What post is to look for, by what main wrote down; undefined: nothing can have been rented. */
export function remainsOf(ledger: Written): UseRemains | undefined {
  const { created, pending, prefix } = ledger;
  // Every create is announced before it is sent: without an announcement there is nothing to look for.
  if (prefix === undefined || pending.size === 0) return undefined;
  const isUncertain = [...pending.keys()].some((n) => !created.has(n));
  return { prefix, known: knownInstances(ledger), isUncertain };
}

/** The newest first: the older ones were destroyed before it was created. */
function knownInstances({ created, reports }: Written): UseRemains["known"] {
  const known = [...created].flatMap(([n, id]) =>
    id === "none" ? [] : [{ id, createdAt: reports.get(n)?.at.created }],
  );
  return known.reverse();
}
