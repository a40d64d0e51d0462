import * as core from "@actions/core";
import type { InputValues } from "../action/input-schema.ts";
import { sshAddress } from "../create/instance.ts";
import type { Machine } from "../fleet/state/machine.ts";
import { priceNow } from "../fleet/state/rental.ts";

/** Facts that the machine itself lacks. `receipt`: its path, empty when there is none. */
export interface NamedOutputs {
  runnerLabel: string;
  receipt: string;
  runtype?: InputValues["runtype"];
  secondsToReady: number;
  /** All machines that are or were ready. */
  ready: readonly Machine[];
}

/** Every output of action.yml. A test of the repository keeps this and action.yml equal. */
export function outputsOf(machine: Machine, named: NamedOutputs): Record<string, string> {
  const { ready, receipt, runnerLabel, runtype = "ssh_proxy" } = named;
  const { offer } = machine.candidate;
  const ssh = sshAddress(machine.address, runtype);
  return {
    "instance-id": String(machine.instanceId),
    "runner-label": runnerLabel,
    "runner-name": machine.uses[0]?.runnerName ?? "",
    "offer-id": String(offer.id),
    "machine-id": String(offer.machineId ?? ""),
    "gpu-name": offer.gpuName,
    "num-gpus": String(offer.numGpus),
    "dph-total": String(priceNow(machine)),
    "ssh-host": ssh.host,
    "ssh-port": ssh.port,
    "seconds-to-ready": String(named.secondsToReady),
    "instance-ids": JSON.stringify(ready.map(({ instanceId }) => instanceId)),
    "runner-names": JSON.stringify(ready.flatMap(({ uses }) => uses.map(({ runnerName }) => runnerName))),
    receipt,
  };
}

/** Sets the step's outputs, which tell of the first ready machine; after a loss, of the next. */
export function writeOutputs(machine: Machine, named: NamedOutputs): void {
  for (const [name, value] of Object.entries(outputsOf(machine, named))) core.setOutput(name, value);
}
