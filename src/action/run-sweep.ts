import { GithubTokenError } from "../github/github-errors.ts";
import { KnownError } from "../known-error.ts";
import { attemptAsker, sweeperOf } from "../sweep/attempt-asker.ts";
import { cancelStuckRuns, type StuckRun } from "../sweep/cancel-stuck-runs.ts";
import { type Sweep, sweepAll } from "../sweep/sweep.ts";
import { ownedInstances, type Sweeper } from "../sweep/sweep-decision.ts";
import { SweepError } from "../sweep/sweep-errors.ts";
import { readSweepInputs, type SweepInputs } from "./inputs/sweep-inputs.ts";
import { openService, type ServiceRoom } from "./platform/rooms.ts";
import { readRunContext } from "./platform/run-context.ts";
import { type JobRoom, openJobRoom } from "./platform/sweep-rooms.ts";
import { sweepLines, sweepMarkdown } from "./report/sweep-report.ts";
import { writeSummary } from "./report/write-summary.ts";

/** The story of the sweep: destroy this repository's leftovers, cancel runs that wait for nothing, report; red when something may still bill. */
export async function runSweep(signal: AbortSignal): Promise<void> {
  const inputs = readSweepInputs();
  const run = readRunContext();
  await using service = openService(inputs);
  const rooms = { ...service, ...openJobRoom(inputs["job-token"], run), signal };
  const { attempts, clock, log } = rooms;
  const sweeper = sweeperOf(run, await rooms.repositoryId(signal));
  const isDryRun = inputs["dry-run"] === "true";
  let blindness: GithubTokenError | undefined;
  const askAttempt = attemptAsker(attempts, clock, (line, error) => {
    log.warning(line);
    if (error instanceof GithubTokenError) blindness = error;
  });
  const sweeping = { ...rooms, sweeper, askAttempt, maxDestroy: inputs["max-destroy"], isDryRun };
  const sweep = await log.stage("Sweep", () => sweepAll(sweeping));
  signal.throwIfAborted();
  const stuck = await endStuckRuns(rooms, sweeper, inputs);
  const runsUrl = `${run.serverUrl}/${run.owner}/${run.repo}/actions/runs`;
  const report = { sweep, stuck, runsUrl, now: clock.now() };
  for (const line of sweepLines(report)) log.info(line);
  await writeSummary(log, sweepMarkdown(report));
  throwUnlessClean(sweep);
  // A sweep that may not see which runs are over is none: nobody would notice until a bill comes.
  if (blindness !== undefined) throw blindness;
}

type Rooms = ServiceRoom & JobRoom & { signal: AbortSignal };

/** Stuck runs cost no money: that they can't be looked for is told, and fails nothing. */
async function endStuckRuns(rooms: Rooms, sweeper: Sweeper, inputs: SweepInputs): Promise<StuckRun[]> {
  if (inputs["cancel-stuck-runs"] === "false") return [];
  const { log, service, signal } = rooms;
  const listMachines = async () => ownedInstances(await service.listInstances(signal), sweeper);
  const search = { ...rooms, ownRunId: sweeper.runId, isDryRun: inputs["dry-run"] === "true", listMachines };
  try {
    return await log.stage("Look for stuck runs", () => cancelStuckRuns(search));
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    log.warning(`Stuck runs could not be looked for. ${error.message} ${error.hint ?? ""}`);
    return [];
  }
}

function throwUnlessClean({ ours }: Sweep): void {
  const undestroyed = ours.flatMap(({ owned, fate }) =>
    fate.kind === "refused" ? [`instance ${owned.id} (${fate.why})`] : [],
  );
  if (undestroyed.length > 0) throw new SweepError(undestroyed);
}
