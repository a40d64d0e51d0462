import type { Fault, ServiceOperation } from "../../scenario/fault.ts";

/** The marks of a request by which a fault hits it. */
interface FaultTarget {
  operation: ServiceOperation;
  /** The id in the path: of an offer for create, of an instance for the others. */
  id: number | undefined;
  caller: "account" | "instance" | "other";
}

/** The faults in force and how often each was met. */
export class FaultBook {
  #faults: { fault: Fault; met: number }[] = [];

  constructor(faults: readonly Fault[]) {
    this.set(faults);
  }

  /** Replaces all faults; counting begins anew. */
  set(faults: readonly Fault[]): void {
    this.#faults = faults.map((fault) => ({ fault, met: 0 }));
  }

  /** Counts the request for each fault that it matches and gives those that hit it. */
  hits(target: FaultTarget): Fault[] {
    const matching = this.#faults.filter(({ fault }) => matches(fault, target));
    for (const each of matching) each.met += 1;
    return matching.filter(({ fault, met }) => isTurn(fault, met)).map(({ fault }) => fault);
  }
}

function matches(fault: Fault, { operation, id, caller }: FaultTarget): boolean {
  const named = operation === "createInstance" ? fault.offer : fault.instance;
  return (
    fault.operation === operation &&
    (named === undefined || named === id) &&
    (fault.caller === undefined || fault.caller === caller)
  );
}

function isTurn({ nth, times }: Fault, met: number): boolean {
  const first = nth ?? 1;
  const count = times ?? (nth === undefined ? Number.POSITIVE_INFINITY : 1);
  return met >= first && met < first + count;
}

/** The first fault of a kind among those that hit a request. */
export function findFault<Kind extends Fault["kind"]>(
  faults: readonly Fault[],
  kind: Kind,
): Extract<Fault, { kind: Kind }> | undefined {
  return faults.find((fault): fault is Extract<Fault, { kind: Kind }> => fault.kind === kind);
}
