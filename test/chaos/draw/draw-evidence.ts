import type { Fault as GithubFault } from "../../../simulator/github/faults.ts";
import type { Fault as ServiceFault } from "../../../simulator/scenario/fault.ts";
import type { PlannedRun } from "../planned-run.ts";
import { Dice } from "./dice.ts";

const PAGE = "<html><head><title>Just a moment</title></head></html>";
const NO_DISK = { success: false, error: "invalid_args", msg: "not enough disk on this machine" };
const NO_KEY = { success: false, error: "auth_error", msg: "Invalid user key" };

/**
 * The same run, with what looks like evidence and is none: lists that are 30 to 90 s old, gateways'
 * pages of any status, single refusals, machines that are listed late, tokens that fail apart. It
 * has dice of its own, so that all else is as it was drawn without.
 */
export function withEvidence(run: PlannedRun): PlannedRun {
  const dice = new Dice(`${run.seed}:${run.index}:evidence`);
  const { github, service } = run.faults.main;
  const main = {
    service: [...service, ...dice.several(1, 2, () => drawOfService(dice))],
    github: [...github, ...dice.several(0, 2, () => drawOfGithub(dice))],
  };
  return { ...run, faults: { ...run.faults, main } };
}

function drawOfService(dice: Dice): ServiceFault {
  const once = { caller: "account", nth: dice.whole(1, 3), times: 1 } as const;
  const create = { ...once, operation: "createInstance" } as const;
  const page = { kind: "text", text: PAGE, when: "before" } as const;
  const operation = dice.pick(["createInstance", "listInstances", "destroyInstance", "searchOffers"] as const);
  const times = dice.whole(1, 3);
  const looks = { caller: "account", nth: dice.whole(2, 12), times, operation: "listInstances" } as const;
  return dice.pick<ServiceFault>([
    { ...looks, kind: "stale-list", seconds: dice.whole(30, 90) },
    { ...looks, kind: "stale-list", seconds: dice.whole(30, 90) },
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
  return dice.pick<GithubFault>([
    { ...row, operation, kind: "status", status: dice.pick([401, 403, 404]) },
    { ...row, operation, kind: "text", text: PAGE, status: dice.pick([200, 403, 404]) },
    { ...row, operation: "listJobs", kind: "stale" },
  ]);
}
