import type { Facts } from "../facts.ts";
import { isConfirmed } from "../lifecycle/late.ts";

/** Asks the image's registry whether it has the image now. */
export interface ImageCommand {
  kind: "look-up-image";
}

/**
 * Returns the question to the registry, when it is due. Another job of the run may build the image,
 * so it is asked for only when a machine is wanted, and again while it is missing.
 */
export function imageCommands(facts: Facts, { wanted }: { wanted: number }): ImageCommand[] {
  const { at = Number.NEGATIVE_INFINITY, isAsking = false } = facts.fleet.image ?? {};
  const isDue = wanted > 0 && !isAsking && isConfirmed(at, facts.now);
  return isDue && awaitsImage(facts) ? [{ kind: "look-up-image" }] : [];
}

/** True if a create has to wait for the registry: without the image it would bill for nothing. */
export function awaitsImage({ fleet: { image }, rules }: Pick<Facts, "fleet" | "rules">): boolean {
  return rules.asksImage && (image?.at === undefined || image.missing !== undefined);
}
