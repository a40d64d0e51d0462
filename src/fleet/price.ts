import { isDearer } from "../machine/record.ts";
import { formatBeside } from "../money/price.ts";
import { type InstanceFacts, type Machine, machineFacts } from "./stage.ts";

/** Returns an instance's price in USD per hour: as offered, or what the service asks now if that is more. */
export function priceOfOne({ terms }: Machine, { usdPerHour = 0 }: InstanceFacts): number {
  return isDearer(usdPerHour, terms.price.total) ? usdPerHour : terms.price.total;
}

/** Returns what a machine costs now in USD per hour, all its instances together. */
export function priceNow(machine: Machine): number {
  const { alive } = machineFacts(machine);
  if (alive.length === 0) return machine.terms.price.total;
  return alive.reduce((sum, instance) => sum + priceOfOne(machine, instance), 0);
}

/** Says what a machine costs per hour now. Undefined: not more than `most`. */
export function priceAbove(machine: Machine, most: number): string | undefined {
  const [instance] = machineFacts(machine).alive;
  const total = instance === undefined ? 0 : priceOfOne(machine, instance);
  return isDearer(total, most) ? formatBeside(total, most) : undefined;
}
