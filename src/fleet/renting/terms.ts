import type { MachineTerms } from "../../machine/record.ts";
import { affordableMs, type OfferBudget } from "../../money/budget.ts";
import { estimateCost } from "../../money/cost.ts";
import type { Candidate } from "../../offers/ranking.ts";
import { expectedBootMs, lateToRunMs } from "../../timing/boot.ts";
import { deadlineOf, type Limits, longestToReadyMs, machineLimits } from "../../timing/limits.ts";
import type { RentalTerms } from "../options.ts";
import type { Timing } from "../state.ts";

/** Plans when a machine would end that is created now, and what it may cost until then. `left`: what max-cost leaves for it. */
export function planRental(
  now: number,
  limits: Limits,
  { price }: Candidate,
  left: OfferBudget | undefined,
  imageBytes: number | undefined,
) {
  const end = deadlineOf(now, limits, left && affordableMs(price, left));
  const estimate = estimateCost({ price, from: now, deadline: end.deadline, imageBytes });
  return { ...end, price, estimate };
}

/** Returns the terms of a machine made of this offer. */
export function termsOf(
  { offer }: Candidate,
  { deadline, estimate, price }: ReturnType<typeof planRental>,
): MachineTerms {
  const { gpuName, id, machineId, numGpus } = offer;
  return { offer: { id, machineId, gpuName, numGpus }, price, deadline, estimate };
}

/** Returns how long this machine may take. */
export function timingOf({ image, limits, setupMs }: RentalTerms, { expected, offer }: Candidate): Timing {
  const expectedMs = expected?.bootMs ?? expectedBootMs(image, offer);
  const { bootMs, onlineMs } = machineLimits(limits, image.decidesBoot, expectedMs);
  const lateMs = lateToRunMs(expectedMs, expected?.standing ?? "none");
  const mayWait = image.decidesBoot;
  const lifeMs = limits.maxLifetime;
  return { expectedMs, lateMs, bootMs: Math.min(bootMs, limits.readyMs), onlineMs, lifeMs, setupMs, mayWait };
}

/** Returns the limits for a machine's deadline, which allows for the longest wait until it is ready. */
export function deadlineLimits(limits: Limits, { bootMs, mayWait }: Timing): Limits {
  const own = { ...limits, bootMs };
  return mayWait ? { ...own, bootMs: longestToReadyMs(own) - own.onlineMs } : own;
}
