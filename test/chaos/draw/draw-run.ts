import type { PlannedJob, PlannedRun } from "../planned-run.ts";
import { Dice } from "./dice.ts";
import { drawDeath, drawMachineDeath, drawPost } from "./draw-deaths.ts";
import { withEvidence } from "./draw-evidence.ts";
import { drawFaults, drawMachineFaults, drawOutage } from "./draw-faults.ts";
import { withFleet } from "./draw-fleet.ts";
import { drawOffers } from "./draw-offers.ts";
import { withFalseLists, withMachineAlone, withServiceAway, withUncertainCreate } from "./draw-stories.ts";

/** How many of the runs are those of a fleet. */
const FLEETS = 0.35;
/** And how many have what looks like evidence, and is none. */
const MISLED = 0.5;

/** How often each story is drawn: a fleet is to live long enough to be one. */
const STORIES = {
  one: { anything: 12, "uncertain-create": 3, "machine-alone": 3, "service-away": 1, "false-lists": 2 },
  fleet: { anything: 16, "uncertain-create": 1, "machine-alone": 2, "service-away": 0.5, "false-lists": 2 },
};

/** Draws that all runs of a suite have; without them some have. */
export interface Only {
  fleets?: boolean;
  /** What looks like evidence, and is none. */
  evidence?: boolean;
}

/** Draws a run. The same seed and index give the same run. */
export function drawRun(seed: number, index: number, only: Only = {}): PlannedRun {
  const dice = new Dice(`${seed}:${index}`);
  const isMisled = only.evidence === true || new Dice(`${seed}:${index}:misled`).chance(MISLED);
  const run = drawStory(dice, drawAnything(dice, seed, index), only);
  return isMisled ? withEvidence(run) : run;
}

function drawStory(dice: Dice, one: PlannedRun, { fleets = false }: Only): PlannedRun {
  const isFleet = dice.chance(fleets ? 1 : FLEETS);
  const anything = isFleet ? withFleet(dice, one) : one;
  switch (dice.weighted(isFleet ? STORIES.fleet : STORIES.one)) {
    case "anything":
      return anything;
    case "uncertain-create":
      return withUncertainCreate(dice, anything);
    case "machine-alone":
      return withMachineAlone(dice, anything);
    case "service-away":
      return withServiceAway(dice, anything);
    case "false-lists":
      return withFalseLists(dice, anything);
  }
}

/** One machine after the other, for one GPU job or none. */
function drawAnything(dice: Dice, seed: number, index: number): PlannedRun {
  const faults = { main: drawFaults(dice, "main"), post: drawFaults(dice, "post"), sweep: drawFaults(dice, "sweep") };
  const post = drawPost(dice);
  const isHeavy = post !== "never" && dice.chance(0.02);
  if (isHeavy) faults.post.service.unshift(drawOutage(dice));
  const offers = drawOffers(dice, dice.whole(1, 4), "one");
  return {
    ...{ seed, index, faults, post, isHeavy, offers },
    dialect: dice.weighted({ observed: 8, seed: 2 }),
    jobs: drawJob(dice),
    inputs: drawInputs(dice),
    machineFaults: drawMachineFaults(dice),
    ...((post === "never" || dice.chance(0.6)) && { mainDeath: drawDeath(dice, "main") }),
    machineDeaths: dice.chance(0.3) ? [drawMachineDeath(dice)] : [],
    without: dice.chance(0.25) ? "itself" : "sweep",
    // More than a page.
    ...(dice.chance(0.15) && { otherRunners: 120 }),
  };
}

function drawJob(dice: Dice): PlannedJob[] {
  const kind = dice.weighted({ short: 5, long: 3, endless: 3, failing: 1, later: 2, none: 1 });
  if (kind === "none") return [];
  return [kind === "later" ? { name: "test", does: "short", shownAfter: 15 } : { name: "test", does: kind }];
}

/** USD: from too little for any machine to plenty. */
const MAX_COSTS = ["0.005", "0.03", "0.06", "0.12", "0.3", "1", "5"];

function drawInputs(dice: Dice): Record<string, string> {
  return {
    hold: dice.weighted({ true: 9, false: 2 }),
    "boot-timeout": "60s",
    "online-timeout": dice.pick(["30s", "60s"]),
    "ready-timeout": dice.pick(["90s", "4m"]),
    "max-lifetime": dice.pick(["1m", "2m"]),
    "idle-timeout": "30s",
    "wait-for-job": dice.pick(["0s", "40s"]),
    "search-timeout": dice.pick(["0s", "0s", "30s"]),
    attempts: dice.pick(["1", "2", "3"]),
    "if-no-machine": dice.pick(["auto", "cancel", "leave"]),
    ...(dice.chance(0.2) ? { env: "GREETING=hello world" } : {}),
    ...(dice.chance(0.2) && { "max-cost": dice.pick(MAX_COSTS) }),
    ...(dice.chance(0.2) && { "keep-failed": dice.pick(["30s", "60s"]) }),
  };
}
