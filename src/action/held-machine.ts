import type { HeldMachine } from "../fleet/holding-ports.ts";
import type { Ready } from "../fleet/renter.ts";
import { KnownError } from "../known-error.ts";
import { judgeInstance } from "../machine/judge-instance.ts";
import { noteFigures } from "../machine/shown-figures.ts";
import type { Instance } from "../service/schemas/instance.ts";
import type { Use } from "./open-use.ts";
import type { Rooms } from "./platform/rooms.ts";

/** No heartbeat reached the service: that says nothing of the container, which may work on. */
const SILENT = new Set(["unknown", "offline"]);

/** The rented machine as the holding room sees it. */
export function heldMachine({ clock }: Pick<Rooms, "clock">, use: Use, machine: Ready): HeldMachine {
  const { runner } = machine;
  let aliveAt = clock.now();
  return {
    get isOutbid() {
      return machine.isOutbid ?? false;
    },
    async look(signal) {
      try {
        const instance = await use.fleet.look(machine.instanceId, signal);
        const now = clock.now();
        // It went some time between two looks: for the bill, in the middle.
        noteSeen(use, machine, instance ?? Math.round((aliveAt + now) / 2));
        if (instance) aliveAt = now;
        return await judge(use, machine, instance, signal);
      } catch (error) {
        signal.throwIfAborted();
        // Whatever the service says instead of an answer is no evidence about the machine.
        if (error instanceof KnownError) return "unknown";
        throw error;
      }
    },
    runner: (signal) => use.runners.status(runner.id, signal),
    removeRunner: (signal) => use.runners.remove(runner.id, signal),
    cutBy: machine.cutBy,
    lifetimeLeftMs: () => machine.deadline * 1000 - clock.now(),
  };
}

/** A machine without heartbeat whose runner is online is alive: a working machine is never taken away. */
async function judge(
  { runners }: Use,
  machine: Ready,
  instance: Instance | undefined,
  signal: AbortSignal,
): Promise<"alive" | "gone" | "unknown"> {
  if (instance === undefined) return "gone";
  const verdict = judgeInstance(instance, instance.is_bid ?? machine.candidate.price.bid !== undefined);
  if (verdict.kind !== "failed") return "alive";
  if (verdict.outbid) machine.isOutbid = true;
  if (!SILENT.has(instance.actual_status ?? "")) return "gone";
  const status = await runners.status(machine.runner.id, signal);
  if (status === "unknown") return "unknown";
  return status === "online" ? "alive" : "gone";
}

/** Writes down what the service shows of the bill, or when the machine went; takes that back when it is there after all. */
function noteSeen({ ledger }: Use, { n, report }: Ready, seen: Instance | number): void {
  const hasFigures = typeof seen !== "number" && noteFigures(report, seen);
  const goneAt = typeof seen === "number" ? seen : undefined;
  const isSame = (report.at.gone === undefined) === (goneAt === undefined);
  if (!isSame) report.at.gone = goneAt;
  if (!isSame) report.last = goneAt === undefined ? "ready" : "gave itself back";
  if (!isSame || hasFigures) ledger.report(n, report);
}
