import type { Fault } from "../../scenario/fault.ts";

/** The first fault of a kind among those that hit a request. */
export function findFault<Kind extends Fault["kind"]>(
  faults: readonly Fault[],
  kind: Kind,
): Extract<Fault, { kind: Kind }> | undefined {
  return faults.find((fault): fault is Extract<Fault, { kind: Kind }> => fault.kind === kind);
}
