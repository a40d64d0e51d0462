import * as core from "@actions/core";
import type { Destroying } from "../provisioning/destroy.ts";
import { destroyUse, type UseDestroyed } from "../provisioning/destroy-use.ts";
import { formatPrice } from "../provisioning/offer-wishes.ts";
import { InstanceNotDestroyedError } from "../provisioning/provisioning-errors.ts";
import { estimatedCost } from "./cost.ts";
import { readPostInputs } from "./inputs.ts";
import { judgeJobsLeft } from "./jobs-left.ts";
import { type Ledger, readLedger } from "./ledger.ts";
import { removeRunners } from "./remove-runners.ts";
import { openRooms, type Rooms } from "./rooms.ts";
import { readRunContext } from "./run-context.ts";
import { summaryMarkdown } from "./summary.ts";

/** All of post shares the platform's 4 min 45 s after a cancel: destroying may take this much of it, in milliseconds. */
const DESTROY_WITHIN_MS = 210_000;

/** The story of the post step: destroy all of this use and see that it is gone, remove its runners, report, say who is left waiting. */
export async function runPost(): Promise<void> {
  const ledger = readLedger();
  const { prefix } = ledger;
  if (prefix === undefined) return core.info("Nothing was rented: main ended before it could.");
  const inputs = readPostInputs(prefix);
  const run = readRunContext();
  await using rooms = openRooms(inputs, run);
  const { destroyed, undestroyed } = await destroy(rooms, ledger, prefix);
  await rooms.log.stage("Remove runner registrations", () => removeRunners(rooms, run, ledger, prefix));
  await report(rooms, ledger, undestroyed);
  if (undestroyed.length > 0) {
    throw new InstanceNotDestroyedError(
      capitalised(undestroyed.join(", ")),
      "the service refused, or post ran out of time",
    );
  }
  await judgeJobsLeft(rooms, run, ledger, { destroyedOne: destroyed.length > 0, jobStatus: inputs["job-status"] });
}

async function destroy(rooms: Rooms, ledger: Ledger, prefix: string): Promise<UseDestroyed> {
  // Every create is announced before it is sent: without an announcement there is nothing to look for.
  if (ledger.pending.size === 0) return { destroyed: [], undestroyed: [] };
  const known = [...ledger.created.values()].filter((id) => id !== "none");
  const isUncertain = [...ledger.pending.keys()].some((n) => !ledger.created.has(n));
  const destroying: Destroying = { ...rooms, until: rooms.clock.now() + DESTROY_WITHIN_MS };
  return await rooms.log.stage("Destroy the machine", () => destroyUse(destroying, { prefix, known, isUncertain }));
}

async function report({ clock, log }: Rooms, ledger: Ledger, undestroyed: readonly string[]): Promise<void> {
  const reports = [...ledger.reports.values()];
  const end = clock.now();
  const total = reports.reduce((sum, machine) => sum + estimatedCost(machine, end), 0);
  if (reports.length === 0 && undestroyed.length === 0) return log.info("Nothing was rented.");
  if (undestroyed.length === 0)
    log.info(`Nothing is rented any more. It cost about ${formatPrice(total)}, bytes not counted.`);
  // A step without the file (other platforms) has no summary to write.
  if (process.env.GITHUB_STEP_SUMMARY)
    await core.summary.addRaw(summaryMarkdown({ reports, undestroyed, end })).write();
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
