import { drawUse, labelPrefix, serverLetters } from "../create/label.ts";
import type { FleetDeps } from "../fleet/observe/fleet-deps.ts";
import { emptyFleet } from "../fleet/state/fleet.ts";
import type { FleetRequest } from "../fleet/state/fleet-request.ts";
import type { FleetOptions } from "../fleet/state/policy.ts";
import { volumeMachine } from "../market/volume-place.ts";
import { noteContext, type ReceiptContext } from "../report/receipt.ts";
import { aliveOf } from "../sweep/leftovers.ts";
import type { Progress, Use } from "../teardown/progress.ts";
import { whoseOf } from "../teardown/whose.ts";
import { checkBeforeRenting } from "./check-before-renting.ts";
import type { Clients } from "./clients.ts";
import { fleetRequest } from "./fleet-request.ts";
import { jobsOrUndefined, runnersPort } from "./github-ports.ts";
import type { AskedSize } from "./image-size-of-inputs.ts";
import type { InputValues } from "./input-schema.ts";
import { KeptHistory } from "./kept-history.ts";
import { ledgerWriter } from "./ledger.ts";
import { policyOf } from "./policy-of-inputs.ts";
import type { RunContext } from "./run-context.ts";
import { sweepFirst } from "./sweep-first.ts";
import { volumeOf } from "./volume-inputs.ts";

/** The things that are open before anything was asked. */
export interface Opening {
  inputs: Readonly<InputValues>;
  run: RunContext;
  rooms: Clients;
  size: AskedSize;
  signal: AbortSignal;
}

/** All that the loop needs. */
export interface Opened extends Opening {
  use: Use;
  deps: FleetDeps;
  request: FleetRequest;
  policy: FleetOptions;
  history: KeptHistory;
  /** For the receipt. */
  context: ReceiptContext;
}

/** Checks all, destroys leftovers and draws this use's mark; machines may be rented after that. */
export async function openUse(opening: Opening, progress: Progress): Promise<Opened> {
  const { inputs, run, rooms, signal, size } = opening;
  const context = { startedAt: progress.begunAt, runnerLabel: run.runnerLabel, maxCost: inputs["max-cost"] };
  const checked = await checkBeforeRenting(rooms, run.runnerLabel, inputs["min-credit"], signal);
  const { leaving, sweeper } = await sweepFirst(rooms, run, { ...checked, signal });
  const repositoryId = await rooms.repositoryId(signal);
  const use = drawMark(rooms, run, repositoryId);
  progress.use = use;
  noteContext({ ...context, credit: checked.credit });
  const machine = await volumeMachine({ ...rooms, signal }, volumeOf(inputs));
  const request = fleetRequest(inputs, run, { ...use, ...checked, imageBytes: await size.bytes(), machine });
  use.fleet.instancesAt = rooms.clock.now();
  use.fleet.repositoryAlive = aliveOf(checked.instances, sweeper, leaving).length;
  const history = await KeptHistory.open(inputs.history, rooms);
  const deps: FleetDeps = {
    ...rooms,
    history,
    runners: use.runners,
    ledger: use.ledger,
    signal,
    listJobs: (stop) => jobsOrUndefined(rooms.jobs, stop),
    whose: whoseOf(run, inputs["job-check-run-id"], use.runnerNamePrefix),
    requestsLeft: () => rooms.jobs.requestsLeft,
    aliveOfRepository: (instances) => aliveOf(instances, sweeper, leaving).length,
  };
  return { ...opening, use, deps, request, policy: policyOf(inputs, run), history, context };
}

/** Written down before anything that rents: post must be able to find whatever comes. */
function drawMark(rooms: Clients, run: RunContext, repositoryId: number): Use {
  const use = drawUse();
  const { runId, attempt, runnerLabel } = run;
  const prefix = labelPrefix({ server: serverLetters(run.serverUrl), repositoryId, runId, attempt, use });
  ledgerWriter.prefix(prefix);
  rooms.log.info(`Everything that this use rents is labelled ${prefix}.…`);
  const runnerNamePrefix = `${runnerLabel}-${use}`;
  const runners = runnersPort(rooms, runnerLabel, `${runnerNamePrefix}-`);
  const fleet = emptyFleet(rooms.clock.now());
  return { prefix, runnerNamePrefix, isGivenBack: false, ledger: ledgerWriter, runners, fleet };
}
