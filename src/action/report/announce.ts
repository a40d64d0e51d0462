import type { Ready } from "../../fleet/renter.ts";
import { formatPrice } from "../../money/format-price.ts";
import type { Stay } from "../hold-machine.ts";
import { writeOutputs } from "./outputs.ts";
import { writeReceipt } from "./receipt-file.ts";

/** A machine is ready: the receipt so far, the outputs, and the two lines that people look for. */
export function announce({ inputs, rooms, run, use, renter, context }: Stay, machine: Ready): void {
  const { clock, log } = rooms;
  const facts = { state: "ready", now: clock.now(), labelPrefix: use.prefix, context } as const;
  const receipt = writeReceipt(log, { ...facts, reports: renter.attempts, mayStillBill: [] });
  writeOutputs(machine, { runnerLabel: run.runnerLabel, receipt, runtype: inputs.runtype });
  const { offer, price } = machine.candidate;
  const latest = new Date(machine.deadline * 1000).toISOString();
  const cut = machine.cutBy === "max-cost" ? ", because of max-cost" : "";
  log.info(
    `Ready after ${machine.secondsToReady} s: instance ${machine.instanceId}, ${offer.num_gpus} × ${offer.gpu_name}.`,
  );
  log.info(`It costs ${formatPrice(price.total)} per hour and gives itself back at ${latest} at the latest${cut}.`);
}
