import * as core from "@actions/core";
import type { Ready } from "../provisioning/renter.ts";

/** Every output of action.yml; `receipt` is the path of the receipt, empty when there is none. A test of the repository keeps this and action.yml equal. */
export function outputsOf(machine: Ready, runnerLabel: string, receipt: string): Record<string, string> {
  const { offer, price } = machine.candidate;
  return {
    "instance-id": String(machine.instanceId),
    "runner-label": runnerLabel,
    "runner-name": machine.runner.name,
    "offer-id": String(offer.id),
    "machine-id": String(offer.machine_id ?? ""),
    "gpu-name": offer.gpu_name,
    "num-gpus": String(offer.num_gpus),
    "dph-total": String(price.total),
    "ssh-host": machine.instance?.ssh_host ?? "",
    "ssh-port": String(machine.instance?.ssh_port ?? ""),
    "seconds-to-ready": String(machine.secondsToReady),
    receipt,
  };
}

/** Sets the outputs of the step. After a second rent they tell of the second machine. */
export function writeOutputs(machine: Ready, runnerLabel: string, receipt: string): void {
  for (const [name, value] of Object.entries(outputsOf(machine, runnerLabel, receipt))) core.setOutput(name, value);
}
