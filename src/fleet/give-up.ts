import { destroyInstance } from "../machine/destroy.ts";
import { showLastLines } from "../machine/last-lines.ts";
import { oneLine } from "../text/foreign-text.ts";
import { DESTROY_WITHIN_MS, type RentDeps, type Rented } from "./rent-one.ts";

/** How often GitHub is asked to remove the runner of a machine that never ran, before it is destroyed without that word. */
const REMOVE_TRIES = 4;
const REMOVE_PAUSE_MS = 15_000;

/**
 * Gives up a machine that might still work: first its runner, so that no job can come; then its logs are shown, which go with it. `kept`:
 * a job runs on it, and it stays. Throws InstanceNotDestroyedError. Shows a group in the log, so it must not be called within one.
 */
export async function giveUp(deps: RentDeps, rented: Rented, why: string): Promise<"destroyed" | "kept"> {
  const { clock, ledger, log } = deps;
  const { report } = rented;
  if ((await removeRunner(deps, rented)) === "busy") return "kept";
  await showLastLines(deps, rented);
  log.info(`Destroying instance ${rented.instanceId}: ${why}.`);
  const instance = { id: rented.instanceId, createdAt: report.at.created };
  const how = await destroyInstance({ ...deps, until: clock.now() + DESTROY_WITHIN_MS }, instance);
  // One that had gone by itself went when that was seen.
  report.at.gone = (how === "was-gone" ? report.at.gone : undefined) ?? clock.now();
  report.last = oneLine(why);
  ledger.report(rented.n, report);
  log.info(`Instance ${rented.instanceId} is destroyed.`);
  return "destroyed";
}

/**
 * A doubt is never evidence: while GitHub can't be asked, a container that runs may have the job, and stays until its own deadline. One that
 * never ran can't have it.
 */
async function removeRunner({ clock, log, runners, signal }: RentDeps, rented: Rented): Promise<"removed" | "busy"> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await runners.remove(rented.runner.id, signal);
    if (answer !== "unknown") return answer;
    const neverRan = rented.report.at.running === undefined && attempt >= REMOVE_TRIES;
    if (neverRan || clock.now() >= rented.deadline * 1000) return "removed";
    if (attempt === 1)
      log.info("GitHub can't be asked whether its runner has a job; asking again before it is destroyed.");
    await clock.sleep(REMOVE_PAUSE_MS, signal);
  }
}
