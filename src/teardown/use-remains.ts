import type { Ledger } from "../action/ledger.ts";
import type { UseRemains } from "./destroy-use.ts";

type Written = Pick<Ledger, "prefix" | "pending" | "created" | "reports">;

/** The remains that post looks for, as main wrote down; undefined: nothing can be rented. */
export function remainsOf(ledger: Written): UseRemains | undefined {
  const { created, pending, prefix } = ledger;
  // Every create is announced before it is sent: without an announcement there is nothing to look
  // for.
  if (prefix === undefined || pending.size === 0) return undefined;
  const isUncertain = [...pending.keys()].some((n) => !created.has(n));
  return { prefix, known: knownInstances(ledger), isUncertain };
}

/** The oldest first: it has billed longest. Those that main confirmed to be gone are left out. */
function knownInstances({ created, reports }: Written): UseRemains["known"] {
  return [...created].flatMap(([n, id]) => {
    const report = reports.get(n);
    return id === "none" || report?.isGone ? [] : [{ id, createdAt: report?.at.created }];
  });
}
