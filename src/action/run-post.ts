import * as core from "@actions/core";
import { destroyUse, type UseDestroyed } from "../provisioning/destroy-use.ts";
import { InstanceNotDestroyedError } from "../provisioning/provisioning-errors.ts";
import { systemClock } from "../time/clock.ts";
import { readPostInputs } from "./inputs.ts";
import { jobsLeft, judgeJobsLeft } from "./jobs-left.ts";
import { type Ledger, readLedger } from "./ledger.ts";
import { removeRunners } from "./remove-runners.ts";
import { reportUse } from "./report-use.ts";
import { openGithub, openService, type ServiceRoom } from "./rooms.ts";
import { readRunContext } from "./run-context.ts";

/** After a cancel all of post shares the platform's 4 min 45 s. Destroying may take this much of it, in milliseconds. */
const DESTROY_WITHIN_MS = 210_000;
/** And everything together this much. */
const END_WITHIN_MS = 250_000;

/** The story of the post step: destroy all of this use and see that it is gone; then remove its runners, report, say who is left waiting. */
export async function runPost(): Promise<void> {
  const start = systemClock.now();
  const ledger = readLedger();
  const { prefix } = ledger;
  if (prefix === undefined) return core.info("Nothing was rented: main ended before it could.");
  const inputs = readPostInputs(prefix);
  await using service = openService(inputs, start + DESTROY_WITHIN_MS);
  const used = await destroy(service, ledger, prefix, start + DESTROY_WITHIN_MS);
  try {
    const run = readRunContext();
    const rooms = { ...service, ...openGithub(inputs, run, start + END_WITHIN_MS) };
    await rooms.log.stage("Remove runner registrations", () => removeRunners(rooms, run, ledger, prefix));
    const left = { jobs: await jobsLeft(rooms, run, ledger), jobStatus: inputs["job-status"] };
    await reportUse(service, ledger, used, left);
    judgeJobsLeft(rooms, run, { ...left, destroyedOne: used.destroyed.length > 0 });
  } finally {
    // Whatever else went wrong: that something may still bill is the one thing to say.
    if (used.undestroyed.length > 0) throwNotDestroyed(used.undestroyed);
  }
}

async function destroy(room: ServiceRoom, ledger: Ledger, prefix: string, until: number): Promise<UseDestroyed> {
  // Every create is announced before it is sent: without an announcement there is nothing to look for.
  if (ledger.pending.size === 0) return { destroyed: [], undestroyed: [] };
  const isUncertain = [...ledger.pending.keys()].some((n) => !ledger.created.has(n));
  const remains = { prefix, known: knownInstances(ledger), isUncertain };
  return await room.log.stage("Destroy the machine", () => destroyUse({ ...room, until }, remains));
}

/** The newest first: the older ones were destroyed before it was created. */
function knownInstances(ledger: Ledger): { id: number; createdAt: number | undefined }[] {
  const known = [...ledger.created].flatMap(([n, id]) =>
    id === "none" ? [] : [{ id, createdAt: ledger.reports.get(n)?.at.created }],
  );
  return known.reverse();
}

function throwNotDestroyed(undestroyed: readonly string[]): never {
  const what = undestroyed.join(", ");
  const reason = "the service refused, or post ran out of time";
  throw new InstanceNotDestroyedError(what.charAt(0).toUpperCase() + what.slice(1), reason);
}
