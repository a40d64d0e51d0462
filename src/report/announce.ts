import { sshAddress } from "../create/instance.ts";
import { destroyAt } from "../fleet/decide/machines.ts";
import type { FleetOptions } from "../fleet/options.ts";
import { priceNow, recordsOf } from "../fleet/records.ts";
import { hasFailed, isAlive, type Machine, mainInstance, wasMade, wasReady } from "../fleet/stage.ts";
import type { Fleet } from "../fleet/state.ts";
import { formatPrice } from "../money/price.ts";
import type { Clock } from "../shared/clock.ts";
import { oneLine } from "../shared/foreign-text.ts";
import type { Log } from "../shared/log.ts";
import type { ReceiptContext } from "../teardown/ledger.ts";
import { figuresOutput } from "./gpu-figures.ts";
import { receiptPath, writeReceipt } from "./receipt.ts";
import type { StepPage } from "./step-page.ts";

/** How a machine can be reached by SSH. */
type Runtype = "ssh_proxy" | "ssh_direct";

/** The tools and facts of an announcement. */
interface Announcing {
  clock: Clock;
  log: Log;
  page: StepPage;
  runtype: Runtype;
  sessionId: string;
  /** The beginning of the label of every instance. */
  labelPrefix: string;
  context: ReceiptContext;
  /** Path of the file of events. */
  events: string;
  options: FleetOptions;
}

/**
 * Announces machines that are ready, by the receipt, the outputs and a line in the log, and
 * machines that are kept after a job failed.
 */
export class Announcer {
  readonly #opened: Announcing;
  readonly #told = new Set<number>();
  readonly #kept = new KeptAnnouncer();

  constructor(opened: Announcing) {
    this.#opened = opened;
  }

  look(fleet: Fleet): void {
    const ready = fleet.machines.filter(isTold);
    const fresh = ready.filter(({ machineNo }) => !this.#told.has(machineNo));
    for (const machine of fresh) this.#announce(machine);
    if (fresh.length > 0) this.#write(fleet, ready);
    const { log, options, runtype } = this.#opened;
    this.#kept.look(fleet, options, runtype, log);
  }

  #announce(machine: Machine): void {
    this.#told.add(machine.machineNo);
    const { log } = this.#opened;
    const { askedAt, candidate, cutBy, deadline, machineNo } = machine;
    const latest = new Date(deadline).toISOString();
    const cut = cutBy === "max-cost" ? ", because of max-cost" : "";
    const seconds = secondsToReady(machine, askedAt);
    log.info(
      `machine ${machineNo}: ready ${seconds} s after it was asked for: instance ${mainInstance(machine)?.id}, ${candidate.offer.numGpus} × ${candidate.offer.gpuName}. ` +
        `It costs ${formatPrice(priceNow(machine))} per hour and gives itself back at ${latest} at the latest${cut}.`,
    );
  }

  /** Writes receipt and outputs once more, with the newest figures. `trend`: the path of a picture. */
  end(fleet: Fleet, trend: string): void {
    const ready = fleet.machines.filter(isTold);
    if (ready.length > 0) this.#write(fleet, ready, trend);
  }

  #write(fleet: Fleet, ready: readonly Machine[], trend = ""): void {
    const { clock, context, events, labelPrefix, log, page, runtype, sessionId } = this.#opened;
    const reports = recordsOf(fleet);
    const facts = { state: "ready", now: clock.now(), labelPrefix, context, reports, mayStillBill: [] } as const;
    const receipt = writeReceipt(log, receiptPath(page.folder(), sessionId), facts);
    // The first that is ready; after a loss, the one that took its place.
    const main = ready.find((machine) => isAlive(machine) && machine.ending === undefined) ?? ready.at(-1);
    if (main === undefined) return;
    // The outputs tell of the first ready machine; after a loss, of the next.
    const outputs = outputsOf(main, {
      runnerLabel: context.runnerLabel,
      receipt,
      events,
      runtype,
      figures: figuresOutput(reports),
      trend,
      secondsToReady: secondsToReady(main, fleet.firstWantedAt ?? fleet.startedAt),
      ready,
    });
    for (const [name, value] of Object.entries(outputs)) page.setOutput(name, value);
  }
}

function isTold(machine: Machine): boolean {
  return wasReady(machine) && wasMade(machine);
}

function secondsToReady({ readyAt = 0 }: Machine, since: number): number {
  return Math.max(0, Math.round((readyAt - since) / 1000));
}

/** Says once, for each machine kept by `keep-failed`, how to log in, until when, and at what cost. */
export class KeptAnnouncer {
  readonly #told = new Set<number>();

  look({ machines }: Fleet, options: FleetOptions, runtype: Runtype, log: Log): void {
    if (options.keepFailed === 0) return;
    for (const machine of machines) {
      const until = destroyAt(machine, options);
      if (this.#told.has(machine.machineNo) || !isAlive(machine) || !Number.isFinite(until)) continue;
      const failed = machine.slots.find(hasFailed)?.job;
      if (failed === undefined) continue;
      this.#told.add(machine.machineNo);
      log.warning(keptSentence(machine, failed.name, until, runtype));
    }
  }
}

function keptSentence(machine: Machine, job: string, until: number, runtype: Runtype): string {
  const { address, id: instanceId } = mainInstance(machine) ?? {};
  const { host, port } = sshAddress(address, runtype);
  const login =
    host === ""
      ? `The service shows no address of instance ${instanceId}; its console does`
      : `ssh -p ${oneLine(port, 10)} root@${oneLine(host, 100)} (the account's SSH keys are on it)`;
  return (
    `Machine ${machine.machineNo} is kept for a look, as '${oneLine(job, 100)}' failed on it: ${login}. ` +
    `It costs ${formatPrice(priceNow(machine) / 60)} a minute, until ${new Date(until).toISOString()} or until /opt/ghr/done exists on it.`
  );
}

/** Facts that the machine itself lacks. `receipt`: its path, empty when there is none. */
interface NamedOutputs {
  runnerLabel: string;
  receipt: string;
  /** Path of the file of events. */
  events: string;
  runtype?: Runtype;
  secondsToReady: number;
  /** What the machines did so far, as JSON. */
  figures: string;
  /** Path of the picture of the last runs; empty when there is none. */
  trend: string;
  /** All machines that are or were ready. */
  ready: readonly Machine[];
}

/** Every output of action.yml. A test of the repository keeps this and action.yml equal. */
export function outputsOf(machine: Machine, named: NamedOutputs): Record<string, string> {
  const { events, figures, ready, receipt, trend, runnerLabel, runtype = "ssh_proxy" } = named;
  const { offer } = machine.candidate;
  const ssh = sshAddress(mainInstance(machine)?.address, runtype);
  return {
    "instance-id": String(mainInstance(machine)?.id),
    "runner-label": runnerLabel,
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
    receipt,
    events,
    "gpu-figures": figures,
    trend,
  };
}
