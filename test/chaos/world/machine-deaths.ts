import { findTagged } from "../../../simulator/machine/tagged-processes.ts";
import type { Fault } from "../../../simulator/scenario/fault.ts";
import { destruction, type InstanceRecord } from "../../../simulator/service/rentals/instance-record.ts";
import { phaseAt } from "../../../simulator/service/rentals/lifecycle.ts";
import type { SimulatedSession } from "../../support/simulated-session.ts";
import type { MachineDeath } from "../planned-run.ts";
import { isRunnerOf } from "./watch.ts";

/** Nothing that this machine asks arrives. */
export function blackout(instance: number): Fault[] {
  return (["getInstance", "destroyInstance", "changeInstance"] as const).map(
    (operation): Fault => ({ operation, instance, caller: "instance", kind: "refuse" }),
  );
}

/** The machine that the death means, once it is in its state; `ours` in the order of creation. */
export function victimOf(
  { nth, offer, once }: MachineDeath,
  session: SimulatedSession,
  ours: readonly InstanceRecord[],
): InstanceRecord | undefined {
  const ofOffer = ours.filter((each) => offer === undefined || each.offer.id === offer);
  const record = nth === undefined ? ofOffer.findLast((each) => !destruction(each)) : ofOffer[nth - 1];
  return record && !destruction(record) && isReached(once, session, record) ? record : undefined;
}

function isReached(once: MachineDeath["once"], session: SimulatedSession, record: InstanceRecord): boolean {
  switch (once) {
    case "created":
      return true;
    case "running":
      return phaseAt(record, session.sim.clock.now())?.actual_status === "running";
    case "online":
      return session.sim.github.runners().some(({ name, online }) => online && isRunnerOf(name, record.label));
    case "job":
    case "after a job":
      return session.run.jobs().some(({ runnerName = "", status }) => {
        return status === (once === "job" ? "in_progress" : "completed") && isRunnerOf(runnerName, record.label);
      });
  }
}

/** Lets it happen to one of our machines. A blackout is the caller's to bring about, by faults. */
export function strike({ how }: MachineDeath, { sim }: SimulatedSession, { id }: InstanceRecord): void {
  const isThere = () => sim.service.instances().some((record) => record.id === id && !destruction(record));
  const later = (seconds: number, actual_status: string) =>
    sim.clock.after(seconds * 1000, () => isThere() && sim.service.update(id, { actual_status }));
  switch (how) {
    case "frozen":
      freeze(sim.machines?.root(id));
      return;
    case "rebooted":
      sim.service.update(id, { actual_status: "loading" });
      later(4, "running");
      return;
    case "exited":
    case "offline":
      sim.service.update(id, { actual_status: how });
      return;
    case "back-online":
      sim.service.update(id, { actual_status: "offline" });
      later(40, "running");
      return;
    case "outbid":
      sim.service.update(id, "outbid");
      return;
    case "removed":
      sim.service.update(id, "destroyed");
      return;
    case "black":
      return;
  }
}

/** Several rounds, as a process may start another before it stops. */
function freeze(root: string | undefined): void {
  for (let round = 0; round < 3; round += 1) {
    for (const pid of findTagged(`SIM_MACHINE=${root}/`)) {
      try {
        process.kill(pid, "SIGSTOP");
      } catch {
        // It ended by itself.
      }
    }
  }
}
