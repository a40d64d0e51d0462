import { formatPrice } from "../provisioning/offer-wishes.ts";
import { type Ready, Renter } from "../provisioning/renter.ts";
import { tellAttemptsAtEnd } from "./attempts-log.ts";
import { checkBeforeRenting } from "./check-before-renting.ts";
import { isAskedFor, isLost, type Stay } from "./hold-machine.ts";
import { readInputs } from "./inputs.ts";
import { noteEnd } from "./main-end.ts";
import { openUse } from "./open-use.ts";
import { writeOutputs } from "./outputs.ts";
import { fullImage, rentRequest } from "./rent-request.ts";
import { openGithub, openService, type Rooms } from "./rooms.ts";
import { readRunContext } from "./run-context.ts";

/** The story of the main step: check, wait for a job, rent, hold until the job is over. Post gives the machine back. */
export async function runMain(signal: AbortSignal): Promise<void> {
  const inputs = readInputs();
  const run = readRunContext();
  await using service = openService(inputs);
  const rooms: Rooms = { ...service, ...openGithub(inputs, run) };
  tellImage(rooms, inputs.image);
  const download = await checkBeforeRenting(rooms, run.runnerLabel, signal);
  const use = await openUse(rooms, run, signal);
  const renter = new Renter({ ...rooms, ...use, signal }, rentRequest(inputs, run, { ...use, download }));
  using _told = tellAttemptsAtEnd(rooms, renter);
  const stay: Stay = { inputs, run, rooms, use, renter, signal };
  while (await isAskedFor(stay)) {
    const machine = await renter.rent();
    // A machine that nobody saw ran the job: the next look at the jobs says how it ended. Without such looks there is nothing to hold.
    if (machine === undefined && inputs.hold === "false") return noteEnd({ kind: "over" });
    if (machine === undefined) continue;
    announce(rooms, run.runnerLabel, machine);
    if (!(await isLost(stay, machine))) return;
  }
}

function tellImage({ log }: Rooms, image: string): void {
  const full = fullImage(image);
  if (full !== image) log.info(`The image has neither tag nor digest; ${full} is used.`);
}

/** The outputs, and the two lines that people look for. */
function announce({ log }: Rooms, runnerLabel: string, machine: Ready): void {
  writeOutputs(machine, runnerLabel);
  const { offer, price } = machine.candidate;
  const latest = new Date(machine.deadline * 1000).toISOString();
  log.info(
    `Ready after ${machine.secondsToReady} s: instance ${machine.instanceId}, ${offer.num_gpus} × ${offer.gpu_name}.`,
  );
  log.info(`It costs ${formatPrice(price.total)} per hour and gives itself back at ${latest} at the latest.`);
}
