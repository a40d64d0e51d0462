import type { Simulate } from "../../simulator/scenario/simulate.ts";
import { Dice } from "./dice.ts";
import { drawDoubt, drawFaults, drawMachineFaults, drawOutage, GITHUB_CALLS, SERVICE_CALLS } from "./draw-faults.ts";
import type { Death, Entry, MachineDeath, Moment, PlannedRun } from "./planned-run.ts";

/** How long a death at a request holds that request up, in simulated seconds: the signal must arrive within it. */
export const HELD_UP_SECONDS = 8;

/** Draws a run. The same seed and index give the same run. */
export function drawRun(seed: number, index: number): PlannedRun {
  const dice = new Dice(`${seed}:${index}`);
  const faults = { main: drawFaults(dice, "main"), post: drawFaults(dice, "post"), sweep: drawFaults(dice, "sweep") };
  const post = drawPost(dice);
  const isHeavy = post !== "never" && dice.chance(0.02);
  if (isHeavy) faults.post.service.unshift(drawOutage(dice));
  const anything = drawAnything(dice, { seed, index, faults, post, isHeavy });
  switch (dice.weighted({ anything: 12, "create-in-doubt": 3, "machine-alone": 3, "service-away": 1 })) {
    case "anything":
      return anything;
    case "create-in-doubt":
      return withCreateInDoubt(dice, anything);
    case "machine-alone":
      return withMachineAlone(dice, anything);
    case "service-away":
      return withServiceAway(dice, anything);
  }
}

type Drawn = Pick<PlannedRun, "seed" | "index" | "faults" | "post" | "isHeavy">;

function drawAnything(dice: Dice, { seed, index, faults, post, isHeavy }: Drawn): PlannedRun {
  return {
    ...{ seed, index, faults, post, isHeavy },
    dialect: dice.weighted({ observed: 8, seed: 2 }),
    offers: drawOffers(dice),
    job: dice.weighted({ short: 5, long: 3, endless: 3, failing: 1, "build-first": 2, none: 1 }),
    inputs: drawInputs(dice),
    machineFaults: drawMachineFaults(dice),
    mainDeath: post === "never" || dice.chance(0.6) ? drawDeath(dice, "main") : undefined,
    machineDeath: dice.chance(0.3) ? drawMachineDeath(dice) : undefined,
    without: dice.chance(0.25) ? "itself" : "sweep",
  };
}

/** Seldom drawn by itself: main dies while nobody knows whether it has rented. */
function withCreateInDoubt(dice: Dice, run: PlannedRun): PlannedRun {
  const main = { service: drawDoubt(dice), github: [] };
  const nth = dice.whole(2, 4);
  const moment = dice.pick<Moment>([
    { at: "service", operation: "createInstance", nth: 1, side: "after" },
    { at: "service", operation: "listInstances", nth, side: "before" },
    { at: "service", operation: "listInstances", nth, side: "after" },
  ]);
  const how = dice.pick(["cancel", "SIGTERM", "SIGKILL"] as const);
  return { ...run, faults: { ...run.faults, main }, mainDeath: { how, moment } };
}

/** Seldom drawn by itself: a machine that was rented is all that is left, and nobody comes. */
function withMachineAlone(dice: Dice, run: PlannedRun): PlannedRun {
  const moment = dice.pick<Moment>([
    { at: "service", operation: "createInstance", nth: 1, side: "after" },
    { at: "service", operation: "listInstances", nth: dice.whole(3, 5), side: "before" },
    { at: "github", operation: "listJobs", nth: dice.whole(3, 6), side: "before" },
  ]);
  const main = { service: [], github: [] };
  const mainDeath = { how: "SIGKILL", moment } as const;
  return { ...run, faults: { ...run.faults, main }, mainDeath, post: "never", without: "itself", isHeavy: false };
}

/** Seldom drawn by itself: a machine works, and post can't destroy it. */
function withServiceAway(dice: Dice, run: PlannedRun): PlannedRun {
  const main = { service: [], github: [] };
  const post = { service: [drawOutage(dice)], github: [] };
  const moment = { at: "github", operation: "listJobs", nth: dice.whole(2, 5), side: "after" } as const;
  const mainDeath = { how: dice.pick(["SIGTERM", "SIGKILL"] as const), moment };
  const faults = { ...run.faults, main, post };
  return { ...run, faults, mainDeath, post: "runs", machineDeath: undefined, job: "endless", isHeavy: true };
}

function drawPost(dice: Dice): PlannedRun["post"] {
  switch (dice.weighted({ runs: 13, never: 4, dies: 3 })) {
    case "runs":
      return "runs";
    case "never":
      return "never";
    case "dies":
      return drawDeath(dice, "post");
  }
}

function drawDeath(dice: Dice, entry: Entry): Death {
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

function drawMachineDeath(dice: Dice): MachineDeath {
  return {
    how: dice.weighted({ frozen: 3, rebooted: 3, offline: 2, "back-online": 1, black: 3, outbid: 1, removed: 1 }),
    once: dice.weighted({ created: 1, running: 2, online: 2, job: 3 }),
    seconds: dice.whole(0, 20),
  };
}

const DEAR = { gpu_name: "A100 PCIE", dph_base: 3.5 };
/** So that it needs no process. */
const NEVER_UP: Simulate = { statuses: [{ after: 0, actual_status: "loading" }] };

/** How many of the offers are for machines that are not ours. */
export const BYSTANDERS = 4;

function drawOffers(dice: Dice): PlannedRun["offers"] {
  const bystanders = Array.from({ length: BYSTANDERS }, (_, index) => ({ id: index + 1, ...DEAR, simulate: NEVER_UP }));
  const ours = dice.several(1, 4, () => drawMachine(dice));
  return [...bystanders, ...ours.map((simulate, index) => ({ id: 11 + index, dph_base: 0.3 + index / 100, simulate }))];
}

function drawMachine(dice: Dice): Simulate {
  const running = dice.whole(2, 20);
  const statuses = [
    { after: 0, actual_status: null },
    { after: 1, actual_status: "loading" },
    { after: running, actual_status: "running" },
  ];
  const delay = { listenerDelaySeconds: dice.whole(0, 15) };
  switch (
    dice.weighted({ good: 14, "no-gpu": 1, mute: 1, stuck: 1, "no-image": 1, late: 1, clock: 2, key: 2, taken: 1 })
  ) {
    case "good":
      return { statuses, machine: delay };
    case "no-gpu":
      return { statuses, machine: { gpus: 0 } };
    case "mute":
      return { statuses, machine: { onstart: "skip" } };
    case "stuck":
      return NEVER_UP;
    case "no-image": {
      const status_msg = "Error response from daemon: manifest unknown";
      return {
        statuses: [
          { after: 0, actual_status: null },
          { after: running, actual_status: "loading", status_msg },
        ],
      };
    }
    case "late":
      return { statuses, machine: { listenerDelaySeconds: 80 } };
    case "clock":
      return { statuses, machine: { ...delay, clockOffsetSeconds: dice.pick([-86_400, -300, 300, 86_400]) } };
    case "key":
      return { statuses, machine: delay, instanceKey: dice.pick(["missing", "wrong"] as const) };
    case "taken":
      return { statuses, unavailable: true };
  }
}

function drawInputs(dice: Dice): Record<string, string> {
  return {
    hold: dice.weighted({ auto: 8, true: 1, false: 2 }),
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
  };
}
