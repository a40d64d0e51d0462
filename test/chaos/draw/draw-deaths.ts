import type { Death, Entry, MachineDeath, Moment, PlannedRun } from "../planned-run.ts";
import type { Dice } from "./dice.ts";
import { GITHUB_CALLS, SERVICE_CALLS } from "./draw-faults.ts";

/** A death at a request holds that up so many simulated seconds, for the signal to arrive. */
export const HELD_UP_SECONDS = 8;

/** Whether post runs, and if it dies, when. */
export function drawPost(dice: Dice): PlannedRun["post"] {
  switch (dice.weighted({ runs: 13, never: 4, dies: 3 })) {
    case "runs":
      return "runs";
    case "never":
      return "never";
    case "dies":
      return drawDeath(dice, "post");
  }
}

/** How an entry is ended, and when. */
export function drawDeath(dice: Dice, entry: Entry): Death {
  const how = dice.weighted({ cancel: entry === "main" ? 3 : 0, SIGINT: 1, SIGTERM: 2, SIGKILL: 4 });
  return { how, moment: drawMoment(dice, entry) };
}

function drawMoment(dice: Dice, entry: Entry): Moment {
  const side = dice.pick(["before", "after"] as const);
  const nth = dice.weighted({ "1": 5, "2": 3, "3": 1 });
  switch (dice.weighted({ service: 5, github: 2, time: 3 })) {
    case "service":
      return { at: "service", operation: dice.pick(SERVICE_CALLS[entry]), nth: Number(nth), side };
    case "github":
      return { at: "github", operation: dice.pick(GITHUB_CALLS[entry]), nth: Number(nth), side };
    case "time":
      return { at: "time", seconds: dice.whole(5, entry === "main" ? 120 : 40) };
  }
}

/** A machine's fate. */
export function drawMachineDeath(dice: Dice): MachineDeath {
  return {
    how: dice.weighted({ frozen: 3, rebooted: 3, offline: 2, "back-online": 1, black: 3, outbid: 1, removed: 1 }),
    once: dice.weighted({ created: 1, running: 2, online: 2, job: 3 }),
    seconds: dice.whole(0, 20),
  };
}
