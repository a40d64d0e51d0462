import { formatPrice } from "../provisioning/offer-wishes.ts";
import { type Ready, Renter } from "../provisioning/renter.ts";
import { systemClock } from "../time/clock.ts";
import { checkBeforeRenting } from "./check-before-renting.ts";
import { checkOnly } from "./check-only.ts";
import { failInOrder, type Progress } from "./fail-in-order.ts";
import { isAskedFor, isLost, type Stay } from "./hold-machine.ts";
import { askForSize } from "./image-size-of-inputs.ts";
import { readInputs } from "./inputs.ts";
import { openUse } from "./open-use.ts";
import { type NamedOutputs, writeOutputs } from "./outputs.ts";
import { noteContext, writeReceipt } from "./receipt-file.ts";
import { fullImage, rentRequest } from "./rent-request.ts";
import { openGithub, openService, type Rooms } from "./rooms.ts";
import { readRunContext } from "./run-context.ts";
import { sweepFirst } from "./sweep-first.ts";

/** The story of the main step: check, wait for a job, rent, hold until the job is over. Post gives the machine back. */
export async function runMain(signal: AbortSignal): Promise<void> {
  const progress: Progress = { begunAt: systemClock.now() };
  try {
    await rentAndHold(progress, signal);
  } catch (error) {
    await failInOrder(error, progress, signal);
  }
}

async function rentAndHold(progress: Progress, signal: AbortSignal): Promise<void> {
  const inputs = readInputs();
  const run = readRunContext(inputs.name);
  await using service = openService(inputs);
  const rooms: Rooms = { ...service, ...openGithub(inputs, run) };
  tellImage(rooms, inputs.image);
  const context = { startedAt: rooms.clock.now(), runnerLabel: run.runnerLabel, maxCost: inputs["max-cost"] };
  await using size = askForSize(rooms, inputs, signal);
  if (inputs.check === "true") return await checkOnly({ rooms, inputs, run, signal, imageBytes: () => size.bytes() });
  const checked = await checkBeforeRenting(rooms, run.runnerLabel, inputs["min-credit"], signal);
  await sweepFirst(rooms, run, { ...checked, maxMachines: inputs["max-machines"], signal });
  const use = await openUse(rooms, run, signal);
  progress.use = use;
  noteContext(context);
  const found = { ...checked, imageBytes: await size.bytes() };
  const renter = new Renter({ ...rooms, ...use, signal }, rentRequest(inputs, run, { ...use, ...found }));
  const stay: Stay = { inputs, run, rooms, use, renter, signal };
  while (await isAskedFor(stay)) {
    const machine = await renter.rent();
    // A machine that nobody saw ran the job: the next look at the jobs says how it ended. Without such looks there is nothing to hold.
    if (machine === undefined && inputs.hold === "false") return;
    if (machine === undefined) continue;
    const facts = { state: "ready", now: rooms.clock.now(), labelPrefix: use.prefix, context } as const;
    const receipt = writeReceipt(rooms.log, { ...facts, reports: renter.reports, mayStillBill: [] });
    announce(rooms, machine, { runnerLabel: run.runnerLabel, receipt, runtype: inputs.runtype });
    if (!(await isLost(stay, machine))) return;
  }
}

function tellImage({ log }: Rooms, image: string): void {
  const full = fullImage(image);
  if (full !== image) log.info(`The image has neither tag nor digest; ${full} is used.`);
}

/** The outputs, and the two lines that people look for. */
function announce({ log }: Rooms, machine: Ready, named: NamedOutputs): void {
  writeOutputs(machine, named);
  const { offer, price } = machine.candidate;
  const latest = new Date(machine.deadline * 1000).toISOString();
  const cut = machine.cutBy === "max-cost" ? ", because of max-cost" : "";
  log.info(
    `Ready after ${machine.secondsToReady} s: instance ${machine.instanceId}, ${offer.num_gpus} × ${offer.gpu_name}.`,
  );
  log.info(`It costs ${formatPrice(price.total)} per hour and gives itself back at ${latest} at the latest${cut}.`);
}
