import { type HoldEnd, hold } from "../holding/hold.ts";
import { GpuJobFailedError } from "../holding/holding-errors.ts";
import type { HoldingDeps } from "../holding/ports.ts";
import { waitForJob } from "../holding/wait-for-job.ts";
import { type Ready, Renter } from "../provisioning/renter.ts";
import { checkBeforeRenting } from "./check-before-renting.ts";
import { jobsOrUndefined } from "./github-ports.ts";
import { heldMachine } from "./held-machine.ts";
import type { InputValues } from "./input-schema.ts";
import { readInputs } from "./inputs.ts";
import { openUse, type Use } from "./open-use.ts";
import { writeOutputs } from "./outputs.ts";
import { fullImage, rentRequest } from "./rent-request.ts";
import { openGithub, openService, type Rooms } from "./rooms.ts";
import { type RunContext, readRunContext } from "./run-context.ts";

type Inputs = Readonly<InputValues>;

/** The story of the main step: check, wait for a job, rent, hold until the job is over. Post gives the machine back. */
export async function runMain(signal: AbortSignal): Promise<void> {
  const inputs = readInputs();
  const run = readRunContext();
  await using service = openService(inputs);
  const rooms: Rooms = { ...service, ...openGithub(inputs, run) };
  const image = fullImage(inputs.image);
  if (image !== inputs.image) rooms.log.info(`The image has neither tag nor digest; ${image} is used.`);
  const download = await checkBeforeRenting(rooms, run.runnerLabel, signal);
  const use = await openUse(rooms, run, signal);
  const renter = new Renter({ ...rooms, ...use, signal }, rentRequest(inputs, run, { ...use, download }));
  for (;;) {
    if (!(await isAskedFor(rooms, run, use, inputs, signal))) return;
    const machine = await renter.rent();
    if (machine === undefined) continue;
    announce(rooms, run, machine);
    if (!(await holdMachine(rooms, run, use, { inputs, renter, machine, signal }))) return;
  }
}

/** Waits until a job asks for the machine; false when none will. With `hold: false` nobody is asked. */
async function isAskedFor(
  rooms: Rooms,
  run: RunContext,
  use: Use,
  inputs: Inputs,
  signal: AbortSignal,
): Promise<boolean> {
  if (inputs.hold === "false") return true;
  const options = { hold: inputs.hold, waitForJobMs: inputs["wait-for-job"] };
  const answer = await waitForJob(holdingDeps(rooms, run, use, inputs, signal), options);
  if (answer.kind === "end") rooms.log.warning(answer.warning);
  return answer.kind === "rent";
}

/** The outputs, and the two lines that people look for. */
function announce({ log }: Rooms, run: RunContext, machine: Ready): void {
  writeOutputs(machine, run.runnerLabel);
  const { offer, price } = machine.candidate;
  log.info(
    `Ready after ${machine.secondsToReady} s: instance ${machine.instanceId}, ${offer.num_gpus} × ${offer.gpu_name}.`,
  );
  log.info(
    `It costs ${price.total.toFixed(2)} USD per hour and gives itself back at ${new Date(machine.deadline * 1000).toISOString()} at the latest.`,
  );
}

interface Holding {
  inputs: Inputs;
  renter: Renter;
  machine: Ready;
  signal: AbortSignal;
}

/** Holds the machine until the GPU job is over. True: it was lost, and all begins anew. */
async function holdMachine(rooms: Rooms, run: RunContext, use: Use, holding: Holding): Promise<boolean> {
  const { inputs, renter, machine, signal } = holding;
  if (inputs.hold === "false") return false;
  const options = { hold: inputs.hold, idleTimeoutMs: inputs["idle-timeout"] };
  const deps = holdingDeps(rooms, run, use, inputs, signal);
  for (;;) {
    const end = await rooms.log.stage("Hold the machine", () => hold(deps, heldMachine(rooms, use, machine), options));
    if (end.kind !== "lost") return tellEnd(rooms, end);
    if ((await renter.giveUp(machine, end.why)) === "kept") continue;
    renter.countLost(machine, end.why);
    return true;
  }
}

function tellEnd({ log }: Rooms, end: Exclude<HoldEnd, { kind: "lost" }>): false {
  if (end.kind === "over" && end.bad.length > 0) throw new GpuJobFailedError(end.bad);
  if (end.kind === "over") log.info("The GPU job is over.");
  if (end.kind === "no-job") log.warning(end.warning);
  return false;
}

function holdingDeps(rooms: Rooms, run: RunContext, use: Use, inputs: Inputs, signal: AbortSignal): HoldingDeps {
  const checkRunId = Number(inputs["job-check-run-id"]) || undefined;
  const own = { checkRunId, runnerName: run.runnerName, jobName: run.jobName };
  return {
    clock: rooms.clock,
    log: rooms.log,
    signal,
    listJobs: (stop) => jobsOrUndefined(rooms.jobs, stop),
    whose: () => ({ runnerLabel: run.runnerLabel, runnerIds: use.runnerIds, own }),
  };
}
