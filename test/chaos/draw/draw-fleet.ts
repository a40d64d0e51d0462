import type { Death, MachineDeath, Moment, PlannedJob, PlannedRun } from "../planned-run.ts";
import type { Dice } from "./dice.ts";
import { drawMachineDeath } from "./draw-deaths.ts";
import { drawOffers, FIRST_OFFER } from "./draw-offers.ts";

/** Small: a boot is expected in 48 s, and late if it does not run after a minute. */
const IMAGE_GB = 0.2;

/**
 * Several jobs, several machines, spares for those that are late; the faults and deaths of the run
 * stay, or it is a calm one.
 */
export function withFleet(dice: Dice, run: PlannedRun): PlannedRun {
  const isCalm = dice.chance(0.3);
  const jobs = drawJobs(dice, dice.weighted({ "1": 1, "2": 3, "3": 3, "4": 2, "5": 1, "6": 1 }));
  const offers = drawOffers(dice, dice.whole(7, 9), isCalm ? "calm" : "fleet");
  const { mainDeath: _, ...rest } = run;
  const fleet: PlannedRun = {
    ...rest,
    ...{ jobs, offers, imageGb: dice.chance(0.8) ? IMAGE_GB : 3 },
    inputs: { ...run.inputs, ...drawInputs(dice, jobs.length, isCalm) },
    ...(dice.chance(0.4) && { rivals: [FIRST_OFFER + dice.whole(0, 3)] }),
    ...(dice.chance(0.15) && { matrix: { maxParallel: dice.whole(1, 2), failFast: dice.chance(0.5) } }),
  };
  return isCalm ? calm(fleet) : troubled(dice, fleet);
}

/** Nothing goes wrong but machines: each job is served. */
function calm(run: PlannedRun): PlannedRun {
  const none = { service: [], github: [] };
  const faults = { main: none, post: none, sweep: none };
  return { ...run, faults, machineFaults: [], machineDeaths: [], post: "runs", isHeavy: false };
}

function troubled(dice: Dice, run: PlannedRun): PlannedRun {
  const machineDeaths = dice.several(0, 2, () => drawDeathOf(dice));
  const dies = dice.chance(0.4);
  return { ...run, machineDeaths, ...(dies && { mainDeath: drawDeath(dice) }) };
}

function drawJobs(dice: Dice, count: string): PlannedJob[] {
  let endless = 0;
  return Array.from({ length: Number(count) }, (_, index) => {
    const name = `test (${index + 1})`;
    const does = dice.weighted({ short: 5, long: 4, endless: endless === 0 ? 1 : 0, failing: 1 });
    if (does === "endless") endless += 1;
    return {
      ...{ name, does },
      ...(dice.chance(0.25) && { shownAfter: dice.whole(5, 90) }),
      ...(dice.chance(does === "endless" ? 0.6 : 0.15) && { cancelledAfter: dice.whole(5, 120) }),
    };
  });
}

function drawInputs(dice: Dice, jobs: number, isCalm: boolean): Record<string, string> {
  return {
    machines: dice.weighted({ "1": 1, "2": 3, "3": 2, "4": 3 }),
    "jobs-per-machine": dice.weighted({ "1": 3, "2": 2 }),
    hedge: dice.weighted({ true: 3, false: 1 }),
    order: dice.weighted({ auto: 2, price: 1 }),
    hold: dice.weighted({ true: 14, false: 1 }),
    "boot-timeout": dice.pick(["auto", "3m"]),
    "online-timeout": "60s",
    "ready-timeout": "6m",
    "max-lifetime": dice.pick(["2m", "4m"]),
    "idle-timeout": dice.pick(["30s", "60s"]),
    "wait-for-job": dice.pick(["0s", "2m"]),
    "search-timeout": dice.pick(["30s", "2m"]),
    attempts: isCalm ? "4" : dice.pick(["1", "2", "4"]),
    ...(dice.chance(0.5) && { jobs: String(jobs) }),
  };
}

/** Later than one of a run with one machine: at any of several creates, looks and destructions. */
function drawDeath(dice: Dice): Death {
  const how = dice.weighted({ cancel: 3, SIGINT: 1, SIGTERM: 2, SIGKILL: 4 });
  const side = dice.pick(["before", "after"] as const);
  const at = <Name extends string>(operation: Name, most: number) => ({ operation, nth: dice.whole(1, most), side });
  const moment = dice.pick<Moment>([
    { at: "service", ...at("createInstance", 6) },
    { at: "service", ...at("destroyInstance", 5) },
    { at: "service", ...at("listInstances", 24) },
    { at: "github", ...at("generateJitConfig", 8) },
    { at: "github", ...at("removeRunner", 4) },
    { at: "github", ...at("listJobs", 24) },
    { at: "time", seconds: dice.whole(20, 300) },
  ]);
  return { how, moment };
}

function drawDeathOf(dice: Dice): MachineDeath {
  return { ...drawMachineDeath(dice), nth: dice.whole(1, 4) };
}
