import { isBad } from "../../github/jobs.ts";
import { type Machine, mainInstance, type Slot, wasCutOff, wasMissed, wentWithMachine } from "../stage.ts";
import type { LostJob } from "../state.ts";
import type { Facts } from "./facts.ts";
import { wasStoppedUnder } from "./machines.ts";

/** GitHub needs a while to tell a job that ended from one whose machine was lost. */
const LOST_AFTER_MS = 60_000;

/** Tells which jobs went with their machines, as the lists show by now. */
export function lostJobs({ fleet }: Facts): LostJob[] {
  const { jobsAt = fleet.startedAt } = fleet;
  const found = fleet.machines.flatMap((machine) =>
    machine.slots.filter((slot) => wentWith(slot, machine, jobsAt)).map((slot) => lostJob(slot, machine)),
  );
  const lost = [...fleet.lost.filter(({ id }) => !found.some((each) => each.id === id)), ...found];
  return lost.filter((job) => isStillLost(job, fleet));
}

/** It is listed as running for a minute more, or ended with its machine, or GitHub missed it. */
function wentWith(slot: Slot, machine: Machine, jobsAt: number): boolean {
  const { ending } = machine;
  if (ending === undefined || slot.job === undefined) return false;
  if (wasCutOff(slot, machine)) return true;
  if (ending.kind !== "lost" && ending.kind !== "deadline") return false;
  if (!slot.job.isOver) return jobsAt - ending.since >= LOST_AFTER_MS;
  return wentWithMachine(slot, ending.since) || wasMissed(slot) || wasStoppedUnder(slot, machine);
}

function lostJob(slot: Slot, machine: Machine): LostJob {
  const { id, name, url } = slot.job ?? { id: 0, name: "", url: undefined };
  const { cutBy, ending, machineNo } = machine;
  const isCut = ending?.kind === "deadline" || wasCutOff(slot, machine);
  const instanceId = mainInstance(machine)?.id;
  return { id, name, url, machineNo, instanceId, went: wayOf(machine), cutBy: isCut ? cutBy : undefined };
}

function wayOf(machine: Machine): LostJob["went"] {
  if (machine.ending?.isOutbid) return "was outbid";
  if (machine.ending?.isStopped) return "was stopped by the service";
  const { absentSince, isSilent } = mainInstance(machine) ?? {};
  return isSilent && absentSince === undefined ? "fell silent" : "vanished";
}

/** Lists lag: it may have done well before its machine went, or GitHub gave it another one. */
function isStillLost({ id, machineNo }: LostJob, { jobs, machines }: Facts["fleet"]): boolean {
  const machine = machines.find((each) => each.machineNo === machineNo);
  if (machine?.ending === undefined) return false;
  const job = jobs?.ours.find((each) => each.id === id);
  if (job === undefined || isBad(job)) return true;
  const isHere = machine.slots.some((slot) => slot.runnerId === job.runnerId || slot.runnerName === job.runnerName);
  return job.state === "running" && (job.runnerName === undefined || isHere);
}
