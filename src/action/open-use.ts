import type { FleetDeps } from "../fleet/observe/fleet-deps.ts";
import { emptyFleet } from "../fleet/state/fleet.ts";
import type { FleetRequest } from "../fleet/state/fleet-request.ts";
import type { Policy } from "../fleet/state/policy.ts";
import { drawUse, labelPrefix, serverLetters } from "../machine/label.ts";
import { volumeMachine } from "../market/volume-place.ts";
import { aliveOf } from "../sweep/sweep-decision.ts";
import { checkBeforeRenting } from "./check-before-renting.ts";
import type { InputValues } from "./inputs/input-schema.ts";
import { volumeOf } from "./inputs/volume-inputs.ts";
import type { Progress, Use } from "./leaving/progress.ts";
import { whoseOf } from "./leaving/whose.ts";
import { jobsOrUndefined, runnersPort } from "./platform/github-ports.ts";
import { KeptHistory } from "./platform/kept-history.ts";
import { ledgerWriter } from "./platform/ledger.ts";
import type { Rooms } from "./platform/rooms.ts";
import type { RunContext } from "./platform/run-context.ts";
import type { ReceiptContext } from "./receipt/receipt.ts";
import { noteContext } from "./receipt/receipt-file.ts";
import { fleetRequest } from "./request/fleet-request.ts";
import type { AskedSize } from "./request/image-size-of-inputs.ts";
import { policyOf } from "./request/policy-of-inputs.ts";
import { sweepFirst } from "./sweep-first.ts";

/** The things that are open before anything was asked. */
export interface Opening {
  inputs: Readonly<InputValues>;
  run: RunContext;
  rooms: Rooms;
  size: AskedSize;
  signal: AbortSignal;
}

/** All that the loop needs. */
export interface Opened extends Opening {
  use: Use;
  deps: FleetDeps;
  request: FleetRequest;
  policy: Policy;
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
function drawMark(rooms: Rooms, run: RunContext, repositoryId: number): Use {
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
