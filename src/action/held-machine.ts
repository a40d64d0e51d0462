import type { HeldMachine } from "../holding/ports.ts";
import { KnownError } from "../known-error.ts";
import { judgeInstance } from "../provisioning/judge-instance.ts";
import type { Ready } from "../provisioning/renter.ts";
import type { Use } from "./open-use.ts";
import type { Rooms } from "./rooms.ts";

/** The rented machine as the holding room sees it. */
export function heldMachine({ clock }: Pick<Rooms, "clock">, use: Use, machine: Ready): HeldMachine {
  const { runner } = machine;
  return {
    async look(signal) {
      try {
        const instance = await use.fleet.look(machine.instanceId, signal);
        if (instance === undefined) noteGone(use, machine, clock.now());
        return instance && judgeInstance(instance).kind !== "failed" ? "alive" : "gone";
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

/** Writes down, once, when the machine was first seen to be gone: it does not bill after that. */
function noteGone({ ledger }: Use, { n, report }: Ready, now: number): void {
  if (report.at.gone !== undefined) return;
  report.at.gone = now;
  report.last = "gave itself back";
  ledger.report(n, report);
}
