import { CONFIRMED_AFTER_MS } from "../stage.ts";
import type { Fleet } from "../state.ts";
import type { Facts } from "./facts.ts";

/** Asks the image's registry whether it has the image now. */
export interface ImageCommand {
  kind: "look-up-image";
}

/**
 * An image that was not there at the start may be built by another job of the run: it is asked for
 * when a machine is wanted, and again while the registry says that it has none.
 */
export function imageCommands(facts: Facts, { wanted }: { wanted: number }): ImageCommand[] {
  const { at = Number.NEGATIVE_INFINITY, isAsking = false } = facts.fleet.image ?? {};
  const isDue = wanted > 0 && !isAsking && facts.now - at >= CONFIRMED_AFTER_MS;
  return isDue && awaitsImage(facts) ? [{ kind: "look-up-image" }] : [];
}

/** Whether a create has to wait for the registry: it bills, and comes to nothing without the image. */
export function awaitsImage({ fleet: { image }, rules }: Pick<Facts, "fleet" | "rules">): boolean {
  return rules.asksImage && (image?.at === undefined || image.missing !== undefined);
}

/** The registry's word that there is no such image, said twice. */
export function missingImage({ image }: Fleet): string | undefined {
  const { at = 0, missing } = image ?? {};
  return missing !== undefined && at - missing.since >= CONFIRMED_AFTER_MS ? missing.word : undefined;
}
