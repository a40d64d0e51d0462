import type { CompleteScenario } from "../../scenario/scenario.ts";
import { bootSteps, type StatusStep } from "../../scenario/simulate.ts";
import type { Stall } from "../catalog/market.ts";
import type { InstanceOrder } from "../requests/create-body.ts";
import type { Dialect } from "../traffic/refusal.ts";
import { canPull, deniedBoot } from "./image-login.ts";

/** What a scenario says of all boots. */
export type BootScenario = Pick<CompleteScenario, "statuses" | "imageLogins">;

/** A boot without a word in the scenario: some simulated seconds, in the order that was seen. */
function defaultBoot(dialect: Dialect, image: string): StatusStep[] {
  if (dialect === "seed") return bootSteps([2, "loading"], [5, "running"]);
  return bootSteps(
    [1, "created"],
    [2, "loading", "5a7813e071bf: Pulling fs layer \n"],
    [4, "loading", "5a7813e071bf: Pull complete \n"],
    [5, "running", runningMessage(image)],
  );
}

/** From stopped back to running; the old status is shown for a while, as was seen. */
export function restartSteps(stoppedStatus: string, image: string): StatusStep[] {
  return bootSteps([0, stoppedStatus], [1, "loading"], [3, "running", runningMessage(image)]);
}

function runningMessage(image: string): string {
  return `success, running ${image.replaceAll(/[^A-Za-z0-9.]/g, "_")}/ssh`;
}

/** The boot of an instance: by the image's login, its offer, or the scenario. `isSecond`: another one has the offer already. */
export function bootOf(
  { simulate }: Stall,
  order: InstanceOrder,
  { dialect, scenario, isSecond }: { dialect: Dialect; scenario: BootScenario; isSecond: boolean },
): readonly StatusStep[] {
  if (!canPull(order, scenario.imageLogins)) return deniedBoot(order.image);
  if (isSecond) return PORT_TAKEN;
  return simulate.statuses ?? scenario.statuses ?? defaultBoot(dialect, order.image);
}

/** As Docker says it; the status stays `created`, and nothing else tells of it. */
const PORT_TAKEN = bootSteps([
  3,
  "created",
  "Error response from daemon: driver failed programming external connectivity on endpoint C.1: Bind for 0.0.0.0:41000 failed: port is already allocated \n",
]);
