import type { Clients } from "../action/clients.ts";
import type { InputValues } from "../action/input-schema.ts";
import type { RunContext } from "../action/run-context.ts";
import type { Fleet } from "../fleet/state/fleet.ts";
import type { Machine } from "../fleet/state/machine.ts";
import type { FleetOptions } from "../fleet/state/policy.ts";
import { priceNow } from "../fleet/state/rental.ts";
import { isAlive, wasReady } from "../fleet/state/stage.ts";
import { formatPrice } from "../money/price.ts";
import { writeOutputs } from "./outputs.ts";
import type { ReceiptContext } from "./receipt.ts";
import { writeReceipt } from "./receipt-file.ts";
import { KeptTeller } from "./tell-kept.ts";

/** The tools and facts of an announcement. */
export interface Announcing {
  inputs: Pick<InputValues, "runtype">;
  rooms: Pick<Clients, "clock" | "log">;
  run: RunContext;
  use: { prefix: string };
  context: ReceiptContext;
  policy: FleetOptions;
}

/**
 * Tells of machines that are ready (receipt, outputs, the line that people look for), and of those
 * that are kept after a job failed.
 */
export class Announcer {
  readonly #opened: Announcing;
  readonly #told = new Set<number>();
  readonly #kept = new KeptTeller();

  constructor(opened: Announcing) {
    this.#opened = opened;
  }

  look(fleet: Readonly<Fleet>): void {
    const ready = fleet.machines.filter(wasReady).filter(({ report }) => report !== undefined);
    const fresh = ready.filter(({ n }) => !this.#told.has(n));
    for (const machine of fresh) this.#tell(machine, fleet);
    if (fresh.length > 0) this.#write(fleet, ready);
    const { inputs, policy, rooms } = this.#opened;
    this.#kept.look(fleet, policy, inputs.runtype, rooms.log);
  }

  #tell(machine: Machine, { startedAt, firstWantedAt = startedAt }: Readonly<Fleet>): void {
    this.#told.add(machine.n);
    const { log } = this.#opened.rooms;
    const { candidate, cutBy, deadline, instanceId, n } = machine;
    const latest = new Date(deadline).toISOString();
    const cut = cutBy === "max-cost" ? ", because of max-cost" : "";
    const seconds = secondsToReady(machine, firstWantedAt);
    log.info(
      `machine ${n}: ready after ${seconds} s: instance ${instanceId}, ${candidate.offer.numGpus} × ${candidate.offer.gpuName}. ` +
        `It costs ${formatPrice(priceNow(machine))} per hour and gives itself back at ${latest} at the latest${cut}.`,
    );
  }

  #write(fleet: Readonly<Fleet>, ready: readonly Machine[]): void {
    const { context, inputs, rooms, run, use } = this.#opened;
    const reports = fleet.machines.flatMap(({ report }) => (report === undefined ? [] : [report]));
    const facts = { state: "ready", now: rooms.clock.now(), labelPrefix: use.prefix, context } as const;
    const receipt = writeReceipt(rooms.log, { ...facts, reports, mayStillBill: [] });
    // The first that is ready; after a loss, the one that took its place.
    const main = ready.find((machine) => isAlive(machine) && machine.ending === undefined) ?? ready.at(-1);
    if (main === undefined) return;
    writeOutputs(main, {
      runnerLabel: run.runnerLabel,
      receipt,
      runtype: inputs.runtype,
      secondsToReady: secondsToReady(main, fleet.firstWantedAt ?? fleet.startedAt),
      ready,
    });
  }
}

function secondsToReady({ readyAt = 0 }: Machine, since: number): number {
  return Math.max(0, Math.round((readyAt - since) / 1000));
}
