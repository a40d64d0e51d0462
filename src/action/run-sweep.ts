import { type JobGithub, openJobGithub, type RunContext, runUrl } from "../github/github.ts";
import { GithubTokenError } from "../github/github-errors.ts";
import { attemptAsker, ownedInstances, type Sweeper, sweeperOf } from "../release/leftovers.ts";
import { type Sweep, SweepError, sweepAll } from "../release/sweep.ts";
import { runsMarkdown, sweepLines, sweepMarkdown } from "../report/sweep-report.ts";
import { rerunLostRuns } from "../runs/lost-runs.ts";
import { cancelStuckRuns } from "../runs/stuck-runs.ts";
import type { Log } from "../shared/log.ts";
import { orElse } from "../shared/user-error.ts";
import { readSweepInputs } from "./inputs/read.ts";
import type { SweepInputs } from "./inputs/schema.ts";
import { openService, readRunContext, type ServiceClients } from "./open-session.ts";
import { failStep, stepPage } from "./platform.ts";

interface SweepClients extends ServiceClients, JobGithub {
  inputs: SweepInputs;
  isDryRun: boolean;
  sweeper: Sweeper;
  signal: AbortSignal;
}

/** Destroys leftovers, reports what may still bill, and only then sees to runs. Red if something may still bill. */
export async function runSweep(signal: AbortSignal): Promise<void> {
  const inputs = readSweepInputs();
  const run = readRunContext();
  await using service = openService(inputs);
  const github = openJobGithub(inputs.jobToken, run, service);
  const sweeper = sweeperOf(run, await github.repositoryId(signal));
  const sweeping = { ...service, ...github, sweeper, inputs, isDryRun: inputs.dryRun, signal };
  await sweepMachines(sweeping);
  signal.throwIfAborted();
  await seeToRuns(sweeping, run);
}

/** Destroys leftovers, and reports at once what may still bill, so that a later time-out can't hide it. */
async function sweepMachines(sweeping: SweepClients): Promise<void> {
  const { clock, inputs, log, runs } = sweeping;
  let tokenFault: GithubTokenError | undefined;
  const askAttempt = attemptAsker(runs, clock, (line, error) => {
    log.warning(line);
    if (error instanceof GithubTokenError) tokenFault = error;
  });
  const sweep = await log.stage("Sweep", () => sweepAll({ ...sweeping, askAttempt, maxDestroy: inputs.maxDestroy }));
  for (const line of sweepLines(sweep, clock.now())) log.info(line);
  await stepPage.summarize(sweepMarkdown(sweep, clock.now()));
  // A sweep that can't see which runs are over fails. Otherwise nobody would notice until a bill comes.
  const failure = failureOf(sweep) ?? tokenFault;
  if (failure !== undefined) failStep(failure);
  if (sweep.fault !== undefined) throw sweep.fault;
}

function failureOf({ ours }: Sweep): SweepError | undefined {
  const undestroyed = ours.flatMap(({ owned, fate }) =>
    fate.kind === "refused" ? [`instance ${owned.id} (${fate.why})`] : [],
  );
  return undestroyed.length > 0 ? new SweepError(undestroyed) : undefined;
}

async function seeToRuns(sweeping: SweepClients, run: RunContext): Promise<void> {
  const { inputs, log, service, sweeper, signal } = sweeping;
  const listMachines = async () => ownedInstances(await service.list(signal), sweeper);
  const search = { ...sweeping, ownRunId: sweeper.runId, listMachines };
  const stuck = await unlessOff(inputs.cancelStuckRuns, "Stuck runs", () => cancelStuckRuns(search), log);
  const lost = await unlessOff(inputs.rerunLost, "Lost runs", () => rerunLostRuns(search), log);
  const markdown = runsMarkdown({ stuck, lost, runUrl: (runId) => runUrl(run, runId) });
  if (markdown !== "") await stepPage.summarize(markdown);
}

/** Looks for runs if the input is on. A fault is a warning: runs left as they are cost no money. */
async function unlessOff<T>(isOn: boolean, what: string, look: () => Promise<T[]>, log: Log): Promise<T[]> {
  if (!isOn) return [];
  const ask = () => log.stage(`Look for ${what.toLowerCase()}`, look);
  return await orElse(ask, ({ hint = "", message }) => {
    log.warning(`${what} could not be looked for. ${message} ${hint}`);
    return [];
  });
}
