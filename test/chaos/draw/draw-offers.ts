import type { Simulate } from "../../../simulator/scenario/simulate.ts";
import type { PlannedRun } from "../planned-run.ts";
import type { Dice } from "./dice.ts";

const DEAR = { gpu_name: "A100 PCIE", dph_base: 3.5 };
/** So that it needs no process. */
const NEVER_UP: Simulate = { statuses: [{ after: 0, actual_status: "loading" }] };

/** How many of the offers are for machines that are not ours. */
export const BYSTANDERS = 4;
/** The first of our offers, the cheapest; the others follow it. */
export const FIRST_OFFER = 11;

type Kind = "good" | "no-gpu" | "mute" | "stuck" | "no-image" | "late" | "tardy" | "clock" | "key" | "taken";

/** How often each kind of machine stands behind an offer. `tardy` ones come, but not in time. */
const KINDS: Record<"one" | "fleet" | "calm", Record<Kind, number>> = {
  one: { good: 14, "no-gpu": 1, mute: 1, stuck: 1, "no-image": 1, late: 1, tardy: 0, clock: 2, key: 2, taken: 1 },
  fleet: { good: 20, "no-gpu": 1, mute: 2, stuck: 1, "no-image": 0.3, late: 1, tardy: 4, clock: 2, key: 2, taken: 2 },
  calm: { good: 23, "no-gpu": 0, mute: 0, stuck: 0, "no-image": 0, late: 0, tardy: 4, clock: 0, key: 0, taken: 2 },
};

/** Other people's offers, and so many of ours, the cheapest first. */
export function drawOffers(dice: Dice, count: number, mix: keyof typeof KINDS): PlannedRun["offers"] {
  const bystanders = Array.from({ length: BYSTANDERS }, (_, index) => ({ id: index + 1, ...DEAR, simulate: NEVER_UP }));
  const ours = dice.several(count, count, () => drawMachine(dice, dice.weighted(KINDS[mix])));
  return [
    ...bystanders,
    ...ours.map((simulate, index) => ({ id: FIRST_OFFER + index, dph_base: (30 + index) / 100, simulate })),
  ];
}

function drawMachine(dice: Dice, kind: Kind): Simulate {
  const running = dice.whole(2, 20);
  const delay = { listenerDelaySeconds: dice.whole(0, 15) };
  const statuses = bootTo(running);
  switch (kind) {
    case "good":
      return { statuses, machine: delay };
    case "no-gpu":
      return { statuses, machine: { gpus: 0 } };
    case "mute":
      return { statuses, machine: { onstart: "skip" } };
    case "stuck":
      return NEVER_UP;
    case "no-image":
      return { statuses: failingPull(running) };
    case "late":
      return { statuses, machine: { listenerDelaySeconds: 80 } };
    case "tardy":
      return { statuses: bootTo(dice.whole(65, 160)), machine: delay };
    case "clock":
      return { statuses, machine: { ...delay, clockOffsetSeconds: dice.pick([-86_400, -100, 100, 86_400]) } };
    case "key":
      return { statuses, machine: delay, instanceKey: dice.pick(["missing", "wrong"] as const) };
    case "taken":
      return { statuses, unavailable: true };
  }
}

function bootTo(running: number): NonNullable<Simulate["statuses"]> {
  return [
    { after: 0, actual_status: null },
    { after: 1, actual_status: "loading" },
    { after: running, actual_status: "running" },
  ];
}

function failingPull(after: number): NonNullable<Simulate["statuses"]> {
  const status_msg = "Error response from daemon: manifest unknown";
  return [
    { after: 0, actual_status: null },
    { after, actual_status: "loading", status_msg },
  ];
}
