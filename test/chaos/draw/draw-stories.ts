import type { Moment, PlannedRun } from "../planned-run.ts";
import type { Dice } from "./dice.ts";
import { drawFalseList, drawFalseListOfGithub } from "./draw-evidence.ts";
import { drawOutage, drawUncertainCreate } from "./draw-faults.ts";

/** Seldom drawn by itself: main dies while nobody knows whether it has rented. */
export function withUncertainCreate(dice: Dice, run: PlannedRun): PlannedRun {
  const main = { service: drawUncertainCreate(dice), github: [] };
  const nth = dice.whole(2, 4);
  const moment = dice.pick<Moment>([
    { at: "service", operation: "createInstance", nth: 1, side: "after" },
    { at: "service", operation: "listInstances", nth, side: "before" },
    { at: "service", operation: "listInstances", nth, side: "after" },
  ]);
  const how = dice.pick(["cancel", "SIGTERM", "SIGKILL"] as const);
  return { ...run, faults: { ...run.faults, main }, mainDeath: { how, moment } };
}

/** Seldom drawn by itself: what was rented is all that is left, and nobody comes. */
export function withMachineAlone(dice: Dice, run: PlannedRun): PlannedRun {
  const moment = dice.pick<Moment>([
    { at: "service", operation: "createInstance", nth: Math.min(run.jobs.length, 3) || 1, side: "after" },
    { at: "service", operation: "listInstances", nth: dice.whole(3, 5), side: "before" },
    { at: "github", operation: "listJobs", nth: dice.whole(3, 6), side: "before" },
  ]);
  const main = { service: [], github: [] };
  const mainDeath = { how: "SIGKILL", moment } as const;
  return { ...run, faults: { ...run.faults, main }, mainDeath, post: "never", without: "itself", isHeavy: false };
}

/** Seldom drawn by itself: a machine works, and post can't destroy it. */
export function withServiceAway(dice: Dice, run: PlannedRun): PlannedRun {
  const main = { service: [], github: [] };
  const post = { service: [drawOutage(dice)], github: [] };
  const moment = { at: "github", operation: "listJobs", nth: dice.whole(2, 5), side: "after" } as const;
  const mainDeath = { how: dice.pick(["SIGTERM", "SIGKILL"] as const), moment };
  const faults = { ...run.faults, main, post };
  const [first = { name: "test" }] = run.jobs;
  const jobs = [{ name: first.name, does: "endless" as const }, ...run.jobs.slice(1)];
  return { ...run, faults, mainDeath, post: "runs", machineDeaths: [], jobs, isHeavy: true };
}

/** Seldom drawn by itself: a job runs on while one list after the other lacks its machine, or is old. */
export function withFalseLists(dice: Dice, run: PlannedRun): PlannedRun {
  const during = () => ({ nth: dice.whole(3, 8), times: 8 });
  const main = {
    service: [drawFalseList(dice, during())],
    github: dice.several(0, 1, () => drawFalseListOfGithub(dice, during())),
  };
  const { mainDeath: _, ...rest } = run;
  const [first = { name: "test" }] = run.jobs;
  const jobs = [
    { name: first.name, does: "endless" as const, cancelledAfter: dice.whole(90, 180) },
    ...run.jobs.slice(1),
  ];
  const inputs = { ...run.inputs, hold: "true", "max-lifetime": "4m", "max-cost": "5" };
  return { ...rest, jobs, inputs, faults: { ...run.faults, main }, machineDeaths: [], post: "runs" };
}
