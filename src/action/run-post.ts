import * as core from "@actions/core";
import { destroyUse, type UseDestroyed } from "../provisioning/destroy-use.ts";
import { formatPrice } from "../provisioning/offer-wishes.ts";
import { InstanceNotDestroyedError } from "../provisioning/provisioning-errors.ts";
import { systemClock } from "../time/clock.ts";
import { estimatedCost } from "./cost.ts";
import { readPostInputs } from "./inputs.ts";
import { judgeJobsLeft } from "./jobs-left.ts";
import { type Ledger, readLedger } from "./ledger.ts";
import { removeRunners } from "./remove-runners.ts";
import { openGithub, openService, type ServiceRoom } from "./rooms.ts";
import { readRunContext } from "./run-context.ts";
import { summaryMarkdown } from "./summary.ts";

/** After a cancel all of post shares the platform's 4 min 45 s. Destroying may take this much of it, in milliseconds. */
const DESTROY_WITHIN_MS = 210_000;
/** And everything together this much. */
const END_WITHIN_MS = 250_000;

/** The story of the post step: destroy all of this use and see that it is gone, report, remove its runners, say who is left waiting. */
export async function runPost(): Promise<void> {
  const start = systemClock.now();
  const ledger = readLedger();
  const { prefix } = ledger;
  if (prefix === undefined) return core.info("Nothing was rented: main ended before it could.");
  const inputs = readPostInputs(prefix);
  await using service = openService(inputs, start + DESTROY_WITHIN_MS);
  const { destroyed, undestroyed } = await destroy(service, ledger, prefix, start + DESTROY_WITHIN_MS);
  await report(service, ledger, undestroyed);
  const run = readRunContext();
  const rooms = { ...service, ...openGithub(inputs, run, start + END_WITHIN_MS) };
  await rooms.log.stage("Remove runner registrations", () => removeRunners(rooms, run, ledger, prefix));
  if (undestroyed.length > 0) {
    throw new InstanceNotDestroyedError(
      capitalised(undestroyed.join(", ")),
      "the service refused, or post ran out of time",
    );
  }
  await judgeJobsLeft(rooms, run, ledger, { destroyedOne: destroyed.length > 0, jobStatus: inputs["job-status"] });
}

async function destroy(room: ServiceRoom, ledger: Ledger, prefix: string, until: number): Promise<UseDestroyed> {
  // Every create is announced before it is sent: without an announcement there is nothing to look for.
  if (ledger.pending.size === 0) return { destroyed: [], undestroyed: [] };
  const known = [...ledger.created.values()].filter((id) => id !== "none");
  const isUncertain = [...ledger.pending.keys()].some((n) => !ledger.created.has(n));
  return await room.log.stage("Destroy the machine", () =>
    destroyUse({ ...room, until }, { prefix, known, isUncertain }),
  );
}

async function report({ clock, log }: ServiceRoom, ledger: Ledger, undestroyed: readonly string[]): Promise<void> {
  const reports = [...ledger.reports.values()];
  const end = clock.now();
  const total = reports.reduce((sum, machine) => sum + estimatedCost(machine, end), 0);
  if (reports.length === 0 && undestroyed.length === 0) return log.info("Nothing was rented.");
  if (undestroyed.length === 0)
    log.info(`Nothing is rented any more. It cost about ${formatPrice(total)}, bytes not counted.`);
  // Other platforms may have no summary to write.
  if (process.env.GITHUB_STEP_SUMMARY)
    await core.summary.addRaw(summaryMarkdown({ reports, undestroyed, end })).write();
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
