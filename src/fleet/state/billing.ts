import { MAY_TURN_UP, NOTHING_LEFT, NOTHING_RENTED } from "../../money/what-bills.ts";
import type { Fleet } from "./fleet.ts";
import { isAlive } from "./stage.ts";

/** A sentence on what may still bill. Undefined: nothing could be rented yet. */
export function billingOf(fleet: Readonly<Fleet> | undefined): string {
  if (fleet === undefined) return NOTHING_RENTED;
  const { machines, strays, instancesAt } = fleet;
  const alive = machines.filter(isAlive).flatMap(({ instanceId }) => (instanceId === undefined ? [] : [instanceId]));
  if (alive.length > 0) return `Instance ${alive.join(", ")} is given back now.`;
  // Only a list that was read after the last create can say that nothing came of it.
  const isAsking = machines.some(({ instanceId, goneAt }) => instanceId === undefined && goneAt === undefined);
  const isSure = strays.every(({ isListed, isUncertain, since }) => {
    const wasRead = isListed || (instancesAt !== undefined && instancesAt > since);
    return !isUncertain && wasRead;
  });
  if (isAsking || !isSure) return MAY_TURN_UP;
  return machines.length > 0 ? NOTHING_LEFT : NOTHING_RENTED;
}
