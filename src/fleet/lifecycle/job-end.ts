import { isBad } from "../../github/jobs.ts";
import type { Facts } from "../facts.ts";
import { type Machine, machineOf, mainInstance, type Slot } from "../stage.ts";
import type { LostJob } from "../state.ts";
import { wasStoppedUnder } from "./ending.ts";
import { hasOutlived, wasCutOff, wasMissed, wentWithMachine } from "./evidence.ts";
import { LATE } from "./late.ts";

/** Returns the jobs that were lost with their machines, by what the lists show now. */
export function lostJobs({ fleet }: Facts): LostJob[] {
  const { jobsAt = fleet.startedAt } = fleet;
  const found = fleet.machines.flatMap((machine) =>
    machine.slots.filter((slot) => wentWith(slot, machine, jobsAt)).map((slot) => lostJob(slot, machine)),
  );
  const isNew = ({ id }: { id: number }) => !found.some((each) => each.id === id);
  const before = fleet.lost.filter((job) => isNew(job) && !hadEnded(job, fleet));
  const lost = [...before, ...found];
  return lost.filter((job) => isStillLost(job, fleet));
}

/** True if the slot's job was lost with its machine. */
function wentWith(slot: Slot, machine: Machine, jobsAt: number): boolean {
  const { ending } = machine;
  if (slot.job === undefined) return false;
  // The service's own word is the cause, even before the machine's end is confirmed.
  if (slot.job.isOver && wasStoppedUnder(slot, machine) && !hasOutlived(machine, slot)) return true;
  if (ending === undefined) return false;
  if (wasCutOff(slot, machine)) return true;
  if (ending.kind !== "lost" && ending.kind !== "deadline") return false;
  if (!slot.job.isOver) return jobsAt - ending.since >= LATE.lost;
  return !hasOutlived(machine, slot) && (wentWithMachine(slot, ending.since) || wasMissed(slot));
}

function lostJob(slot: Slot, machine: Machine): LostJob {
  const { id, name, url } = slot.job ?? { id: 0, name: "", url: undefined };
  const { cutBy, ending, machineNo } = machine;
  const isCut = ending?.kind === "deadline" || wasCutOff(slot, machine);
  const instanceId = mainInstance(machine)?.id;
  return { id, name, url, machineNo, instanceId, went: wayOf(machine), cutBy: isCut ? cutBy : undefined };
}

function wayOf(machine: Machine): LostJob["went"] {
  const { absentSince, isSilent, verdict } = mainInstance(machine) ?? {};
  const { outbid, stopped } = verdict?.kind === "failed" ? verdict : {};
  if (machine.ending?.isOutbid || outbid) return "was outbid";
  if (machine.ending?.isStopped || stopped) return "was stopped by the service";
  return isSilent && absentSince === undefined ? "fell silent" : "vanished";
}

/** True if the job had ended badly before its machine went, and only an old list showed it as running. */
function hadEnded({ id, machineNo, went }: LostJob, fleet: Facts["fleet"]): boolean {
  // The service's own word holds, whatever its list shows once the machine is given back.
  if (went === "was outbid" || went === "was stopped by the service") return false;
  const machine = machineOf(fleet, machineNo);
  const slot = machine?.slots.find(({ job }) => job?.id === id);
  const since = machine?.ending?.since ?? Number.NEGATIVE_INFINITY;
  return slot?.job?.isBad === true && slot.job.isOver && (slot.spentAt ?? Number.POSITIVE_INFINITY) < since;
}

/** True unless a later list shows that the job did well, or that GitHub gave it another machine. */
function isStillLost({ id, machineNo }: LostJob, fleet: Facts["fleet"]): boolean {
  const machine = machineOf(fleet, machineNo);
  const job = fleet.jobs?.ours.find((each) => each.id === id);
  if (machine !== undefined && job !== undefined && isBad(job)) return true;
  if (machine?.ending === undefined) return false;
  if (job === undefined) return true;
  const isHere = machine.slots.some((slot) => slot.runnerId === job.runnerId || slot.runnerName === job.runnerName);
  return job.state === "running" && (job.runnerName === undefined || isHere);
}
