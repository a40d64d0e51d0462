import type { Fault as GithubFault } from "../../../simulator/github/faults.ts";
import type { Fault as ServiceFault } from "../../../simulator/scenario/fault.ts";
import type { Faults, PlannedRun } from "../planned-run.ts";
import { Dice } from "./dice.ts";

const PAGE = "<html><head><title>Just a moment</title></head></html>";
const NO_DISK = { success: false, error: "invalid_args", msg: "not enough disk on this machine" };
const NO_KEY = { success: false, error: "auth_error", msg: "Invalid user key" };

/**
 * The same run, with what looks like evidence and is none: lists that lack rows or are 30 to 90 s
 * old, gateways' pages of any status, single refusals, machines that are listed late, two machines
 * of one create, tokens that fail apart. It has dice of its own, so that all else is as it was drawn
 * without.
 */
export function withEvidence(run: PlannedRun): PlannedRun {
  const dice = new Dice(`${run.seed}:${run.index}:evidence`);
  const { main, post, sweep } = run.faults;
  const misled: Faults = {
    service: [...main.service, ...dice.several(1, 2, () => drawOfService(dice))],
    github: [...main.github, ...dice.several(0, 2, () => drawOfGithub(dice))],
  };
  const seldom = (faults: Faults): Faults =>
    dice.chance(0.2) ? { ...faults, service: [...faults.service, drawFalseList(dice, shortly(dice))] } : faults;
  return { ...run, faults: { main: misled, post: seldom(post), sweep: seldom(sweep) } };
}

type Looks = Pick<ServiceFault, "nth" | "times">;

/** So few that who looks on for 40 s has seen a right list. */
function shortly(dice: Dice): Looks {
  return { nth: dice.whole(1, 2), times: dice.whole(1, 3) };
}

/** One look proves nothing, nor do several of the same list: a job runs for a few. */
function forSomeLooks(dice: Dice): Looks {
  return { nth: dice.whole(2, 10), times: dice.pick([1, 2, 6]) };
}

/** A list of instances that lacks some of them, or is old. */
function drawFalseList(dice: Dice, which: Looks): ServiceFault {
  const looks = { operation: "listInstances", caller: "account", ...which } as const;
  return dice.chance(0.5)
    ? { ...looks, kind: "stale-list", seconds: dice.whole(30, 90) }
    : { ...looks, kind: "short-list", ...drawLack(dice) };
}

/** The rows that a list lacks, and whether its total gives that away. */
function drawLack(dice: Dice) {
  const lacks = dice.chance(0.5) ? ("all" as const) : dice.whole(1, 127);
  return { lacks, total: dice.pick(["all", "shown"] as const) };
}

function drawOfService(dice: Dice): ServiceFault {
  const once = { caller: "account", nth: dice.whole(1, 3), times: 1 } as const;
  const create = { ...once, operation: "createInstance" } as const;
  const page = { kind: "text", text: PAGE, when: "before" } as const;
  const operation = dice.pick(["createInstance", "listInstances", "destroyInstance", "searchOffers"] as const);
  const falseList = drawFalseList(dice, forSomeLooks(dice));
  const twin: ServiceFault = { ...create, kind: "twin", seconds: dice.pick([0, dice.whole(1, 60)]) };
  return dice.pick<ServiceFault>([
    ...[falseList, falseList, falseList, twin, twin],
    { ...once, ...page, operation, status: dice.pick([200, 403, 404, 429]) },
    { ...create, kind: "status", status: dice.pick([401, 403]), body: NO_KEY, when: "before" },
    { ...create, kind: "status", status: 400, body: NO_DISK, when: "before" },
    { ...create, kind: "visibility-lag", seconds: dice.whole(20, 40) },
  ]);
}

/** `github-token` registers, looks at and removes runners, `job-token` sees the jobs. */
function drawOfGithub(dice: Dice): GithubFault {
  const row = { nth: dice.whole(1, 6), times: dice.whole(1, 3) };
  const operation = dice.pick(["generateJitConfig", "getRunner", "listRunners", "removeRunner", "listJobs"] as const);
  const list = { ...forSomeLooks(dice), operation: dice.pick(["listJobs", "listRunners"] as const) };
  const falseList: GithubFault = dice.chance(0.5)
    ? { ...list, kind: "stale", seconds: dice.whole(30, 90) }
    : { ...list, kind: "short-list", ...drawLack(dice) };
  return dice.pick<GithubFault>([
    { ...row, operation, kind: "status", status: dice.pick([401, 403, 404]) },
    { ...row, operation, kind: "text", text: PAGE, status: dice.pick([200, 403, 404]) },
    ...[falseList, falseList],
  ]);
}
