import { MAY_TURN_UP, NOTHING_LEFT, NOTHING_RENTED } from "../../money/errors.ts";
import type { Fleet } from "./fleet.ts";
import { isAlive } from "./stage.ts";

/** A sentence on what may still bill. Undefined: nothing could be rented yet. */
export function billingOf(fleet: Readonly<Fleet> | undefined): string {
  if (fleet === undefined) return NOTHING_RENTED;
  const { machines } = fleet;
  const alive = machines.filter(isAlive).flatMap(({ instanceId }) => (instanceId === undefined ? [] : [instanceId]));
  const several = `Instances ${alive.join(", ")} are given back now.`;
  const known = alive.length > 0 ? [alive.length === 1 ? `Instance ${alive[0]} is given back now.` : several] : [];
  if (!isSure(fleet)) return [...known, MAY_TURN_UP].join(" ");
  return known[0] ?? (machines.length > 0 ? NOTHING_LEFT : NOTHING_RENTED);
}

/** Only a list that was read after the last create can say that nothing came of it. */
function isSure({ machines, strays, instancesAt }: Readonly<Fleet>): boolean {
  const isAsking = machines.some(({ instanceId, goneAt }) => instanceId === undefined && goneAt === undefined);
  const open = strays.filter(({ n }) => !machines.some((machine) => machine.n === n));
  const areSure = open.every(({ isListed, isUncertain, since }) => {
    const wasRead = isListed || (instancesAt !== undefined && instancesAt > since);
    return !isUncertain && wasRead;
  });
  return !isAsking && areSure;
}
