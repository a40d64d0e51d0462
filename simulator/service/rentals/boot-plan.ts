import type { CompleteScenario } from "../../scenario/scenario.ts";
import { bootSteps, type StatusStep } from "../../scenario/simulate.ts";
import { drawFate, type Stall } from "../catalog/market.ts";
import type { InstanceOrder } from "../requests/create-body.ts";
import type { Dialect } from "../traffic/refusal.ts";
import { canPull, deniedBoot } from "./image-login.ts";

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

interface BootTerms {
  readonly dialect: Dialect;
  readonly scenario: Pick<CompleteScenario, "statuses" | "imageLogins">;
  /** Which boot on this machine it is. */
  readonly nth: number;
  /** The machine has pulled this image before. */
  readonly hasImage: boolean;
  /** Another instance has the same offer already. */
  readonly isSecond: boolean;
}

/**
 * Settles a boot: by the image's login, its offer, what is drawn for it, or the scenario. `words`: the
 * cause behind it, where something was drawn.
 */
export function planBoot({ offer, simulate }: Stall, order: InstanceOrder, terms: BootTerms) {
  const { machine = {}, traffic } = simulate;
  const fixed = { machine, traffic, words: undefined };
  if (!canPull(order, terms.scenario.imageLogins)) return { ...fixed, statuses: deniedBoot(order.image) };
  if (terms.isSecond) return { ...fixed, statuses: PORT_TAKEN, words: "its ports are bound by another instance" };
  const { nth, hasImage } = terms;
  const fate = simulate.model && drawFate(simulate.model, { offer, nth, hasImage });
  const plain = terms.scenario.statuses ?? defaultBoot(terms.dialect, order.image);
  return {
    statuses: simulate.statuses ?? fate?.statuses ?? plain,
    machine: { ...fate?.machine, ...machine },
    traffic: traffic ?? (fate && { imageGb: fate.imageGb, downGbPerHour: 0, upGbPerHour: 0 }),
    words: fate?.words,
  };
}

/** As Docker says it; the status stays `created`, and nothing else tells of it. */
const PORT_TAKEN = bootSteps([
  3,
  "created",
  "Error response from daemon: driver failed programming external connectivity on endpoint C.1: Bind for 0.0.0.0:41000 failed: port is already allocated \n",
]);
