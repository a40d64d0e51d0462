import type { HeldMachine } from "../holding/ports.ts";
import { KnownError } from "../known-error.ts";
import { judgeInstance } from "../provisioning/judge-instance.ts";
import type { Ready } from "../provisioning/renter.ts";
import type { Instance } from "../service/schemas/instance.ts";
import type { Use } from "./open-use.ts";
import type { Rooms } from "./rooms.ts";

/** No heartbeat reached the service: that says nothing of the container, which may work on. */
const SILENT = new Set(["unknown", "offline"]);

/** The rented machine as the holding room sees it. */
export function heldMachine({ clock }: Pick<Rooms, "clock">, use: Use, machine: Ready): HeldMachine {
  const { runner } = machine;
  return {
    async look(signal) {
      try {
        const instance = await use.fleet.look(machine.instanceId, signal);
        noteSeen(use, machine, instance === undefined ? clock.now() : undefined);
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
    lifetimeLeftMs: () => machine.deadline * 1000 - clock.now(),
  };
}

/** A machine without heartbeat whose runner is online is alive: a working machine is never taken away. */
async function judge(
  { runners }: Use,
  { runner }: Ready,
  instance: Instance | undefined,
  signal: AbortSignal,
): Promise<"alive" | "gone" | "unknown"> {
  if (instance === undefined) return "gone";
  if (judgeInstance(instance).kind !== "failed") return "alive";
  if (!SILENT.has(instance.actual_status ?? "")) return "gone";
  const status = await runners.status(runner.id, signal);
  if (status === "unknown") return "unknown";
  return status === "online" ? "alive" : "gone";
}

/** Writes down when the machine was first seen to be gone, for the bill; takes it back when it is there after all. */
function noteSeen({ ledger }: Use, { n, report }: Ready, goneAt: number | undefined): void {
  if ((report.at.gone === undefined) === (goneAt === undefined)) return;
  report.at.gone = goneAt;
  report.last = goneAt === undefined ? "ready" : "gave itself back";
  ledger.report(n, report);
}
