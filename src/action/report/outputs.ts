import * as core from "@actions/core";
import type { Ready } from "../../fleet/renter.ts";
import { sshAddress } from "../../machine/ssh-address.ts";
import type { InputValues } from "../inputs/input-schema.ts";

/** What the machine itself does not tell. `receipt`: the path of the receipt, empty when there is none. */
export interface NamedOutputs {
  runnerLabel: string;
  receipt: string;
  runtype?: InputValues["runtype"];
}

/** Every output of action.yml. A test of the repository keeps this and action.yml equal. */
export function outputsOf(machine: Ready, named: NamedOutputs): Record<string, string> {
  const { runnerLabel, receipt, runtype = "ssh_proxy" } = named;
  const { offer, price } = machine.candidate;
  const ssh = sshAddress(machine.instance, runtype);
  return {
    "instance-id": String(machine.instanceId),
    "runner-label": runnerLabel,
    "runner-name": machine.runner.name,
    "offer-id": String(offer.id),
    "machine-id": String(offer.machine_id ?? ""),
    "gpu-name": offer.gpu_name,
    "num-gpus": String(offer.num_gpus),
    "dph-total": String(price.total),
    "ssh-host": ssh.host,
    "ssh-port": ssh.port,
    "seconds-to-ready": String(machine.secondsToReady),
    "instance-ids": JSON.stringify([machine.instanceId]),
    "runner-names": JSON.stringify([machine.runner.name]),
    receipt,
  };
}

/** Sets the outputs of the step. After a second rent they tell of the second machine. */
export function writeOutputs(machine: Ready, named: NamedOutputs): void {
  for (const [name, value] of Object.entries(outputsOf(machine, named))) core.setOutput(name, value);
}
