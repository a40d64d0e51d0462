import type { FleetRequest } from "../fleet/options.ts";
import { priceNow } from "../fleet/price.ts";
import { recordsOf } from "../fleet/recording/records.ts";
import { type InstanceFacts, type Machine, machineFacts } from "../fleet/stage.ts";
import type { Fleet } from "../fleet/state.ts";
import { figuresOutput, secondsBetween } from "../gpu-figures/show.ts";
import type { ReceiptContext } from "../release/ledger.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { writeReceipt } from "./receipt.ts";
import type { StepPage } from "./step-page.ts";

/** The tools of writing outputs, and the facts that a machine itself lacks. */
interface Writing {
  clock: Clock;
  log: Log;
  page: StepPage;
  sessionId: string;
  context: ReceiptContext;
  request: FleetRequest;
}

/** Writes receipt and outputs each time that another machine is ready. */
export class Outputs {
  readonly #writing: Writing;
  #readyCount = 0;

  constructor(writing: Writing) {
    this.#writing = writing;
  }

  look(fleet: Fleet): void {
    const { length } = readyMachines(fleet);
    if (length > this.#readyCount) this.write(fleet);
    this.#readyCount = length;
  }

  /** Writes receipt and outputs with the newest figures. */
  write(fleet: Fleet): void {
    const { clock, context, page, request } = this.#writing;
    const ready = readyMachines(fleet);
    // The first that is ready; after a loss, the one that took its place.
    const main = ready.find((machine) => machineFacts(machine).isAlive && machine.ending === undefined) ?? ready.at(-1);
    if (main === undefined) return;
    const records = recordsOf(fleet);
    const facts = { now: clock.now(), labelPrefix: request.prefix, context, records };
    const outputs = outputsOf(main, ready, {
      runnerLabel: context.runnerLabel,
      receipt: writeReceipt(this.#writing, { state: "ready", ...facts, mayStillBill: [] }),
      runtype: request.instance.runtype,
      figures: figuresOutput(records),
      secondsToReady: secondsBetween(fleet.firstWantedAt ?? fleet.startedAt, main.readyAt) ?? 0,
    });
    for (const [name, value] of Object.entries(outputs)) page.setOutput(name, value);
  }
}

/** Lists the machines that are or were ready. */
export function readyMachines({ machines }: Fleet): Machine[] {
  return machines.filter((machine) => machineFacts(machine).wasReady && machineFacts(machine).isMade);
}

/** Facts that the machine itself lacks. */
interface NamedOutputs {
  runnerLabel: string;
  /** The receipt's path; empty when there is none. */
  receipt: string;
  runtype: "ssh_proxy" | "ssh_direct";
  secondsToReady: number;
  /** What the machines did so far, as JSON. */
  figures: string;
}

/** Makes the outputs of action.yml, all but `events`. A test of the repository keeps the names equal. */
export function outputsOf(machine: Machine, ready: readonly Machine[], named: NamedOutputs): Record<string, string> {
  const { offer } = machine.candidate;
  const ssh = sshAddress(machineFacts(machine).instance?.address, named.runtype);
  return {
    "instance-id": String(machineFacts(machine).instance?.id),
    "runner-label": named.runnerLabel,
    "runner-name": machine.slots[0]?.runnerName ?? "",
    "offer-id": String(offer.id),
    "machine-id": String(offer.machineId ?? ""),
    "gpu-name": offer.gpuName,
    "num-gpus": String(offer.numGpus),
    "dph-total": String(priceNow(machine)),
    "ssh-host": ssh.host,
    "ssh-port": ssh.port,
    "seconds-to-ready": String(named.secondsToReady),
    "instance-ids": JSON.stringify(ready.flatMap(({ instances }) => instances.map(({ id }) => id))),
    "runner-names": JSON.stringify(ready.flatMap(({ slots }) => slots.map(({ runnerName }) => runnerName))),
    receipt: named.receipt,
    "gpu-figures": named.figures,
  };
}

/** Returns the machine's own address for `ssh_direct` if the service shows it, else the proxy's; empty if it shows none. */
export function sshAddress(reachable: InstanceFacts["address"], access: "ssh_proxy" | "ssh_direct") {
  const { direct, proxy } = reachable ?? {};
  const isDirect = access === "ssh_direct" && direct?.port !== undefined && hostIn(direct.host) !== "";
  const address = isDirect ? direct : proxy;
  return { host: hostIn(address?.host), port: String(address?.port ?? "") };
}

/** Returns a host only if it can be a name or an address: people copy it into a shell, and scripts use it there. */
function hostIn(text = ""): string {
  return /^[\da-z][\da-z.:-]*$/i.test(text) ? text : "";
}
