import type { Ready } from "../fleet/renter.ts";
import { isAskedFor, isLost, type Stay } from "./hold-machine.ts";
import { noteEnd } from "./platform/main-end.ts";

/** Rents when a job asks for a machine and holds it, and again when it is lost, until there is nothing more to do; `announce` is told of each. */
export async function rentUntilOver(stay: Stay, announce: (machine: Ready) => void): Promise<void> {
  while (await isAskedFor(stay)) {
    const machine = await stay.renter.rent();
    // A machine that nobody saw ran the job: the next look at the jobs says how it ended. Without such looks there is nothing to hold.
    if (machine === undefined && !stay.inputs.hold) return noteEnd({ kind: "over" });
    if (machine === undefined) continue;
    announce(machine);
    if (!(await isLost(stay, machine))) return;
  }
}
