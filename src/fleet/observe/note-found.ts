import { readLabel } from "../../create/label.ts";
import type { Instance } from "../../marketplace/marketplace.ts";
import type { Fleet } from "../state/fleet.ts";
import type { Machine } from "../state/machine.ts";
import { isAlive } from "../state/stage.ts";

/** A machine that is gone may be listed for so long. SPEC-SILENT: no figure is named. */
const LISTED_AFTER_MS = 60_000;

/**
 * Instances of ours that no machine stands for: nobody waits for them; they bill, and one may have
 * a job. Returns the numbers of the machines that they are from now on.
 */
export function adoptUnknown(fleet: Fleet, ours: readonly Instance[], at: number): number[] {
  const known = new Set(fleet.machines.map(({ instanceId }) => instanceId));
  return ours
    .filter(({ id }) => !known.has(id))
    .flatMap((instance) => {
      const n = readLabel(instance.label ?? "")?.n;
      const machine = fleet.machines.find((each) => each.n === n);
      const stray = fleet.strays.find((each) => each.n === n);
      if (machine !== undefined) return adoptTwin(fleet, machine, instance, at);
      return stray === undefined
        ? []
        : adopt(fleet, stray.asked, instance, { at, from: "late, from a create that gave no answer" });
    });
}

/** A gateway may send a create once more: two instances have one label, and the same runners. */
function adoptTwin(fleet: Fleet, machine: Machine, instance: Instance, at: number): number[] {
  // Its create is yet to answer.
  if (machine.instanceId === undefined) return [];
  fleet.creates += 1;
  const { askedAt, candidate, cutBy, deadline, terms, timing } = machine;
  const uses = machine.uses.map(({ runnerId, runnerName }) => ({ runnerId, runnerName }));
  const twin = { n: fleet.creates, askedAt, candidate, cutBy, deadline, terms, timing, uses };
  fleet.strays.push({ n: twin.n, asked: twin, since: at, isUncertain: false });
  return adopt(fleet, twin, instance, { at, from: "beside another one, from one create" });
}

interface Found {
  at: number;
  from: string;
}

function adopt(fleet: Fleet, asked: Machine, { id, startedAt }: Instance, { at, from }: Found): number[] {
  const why = `it turned up ${from}, and is not needed`;
  const ending = { kind: "unneeded", why, isUnasked: false, since: at } as const;
  const { askedAt, n, terms } = asked;
  const created = madeAt(startedAt, askedAt, at);
  const report = { instanceId: id, ...terms, at: { asked: askedAt, created }, last: "created" };
  fleet.machines.push({ ...asked, instanceId: id, createdAt: askedAt, act: undefined, ending, report });
  return [n];
}

/** By the service, where that lies between our request and the list; else at the earliest. */
function madeAt(start = Number.NaN, askedAt: number, at: number): number {
  return start >= askedAt && start <= at ? start : askedAt;
}

/**
 * Two answers of the service may differ: what counted as gone and is listed bills, and is judged
 * anew; a job that was noted as lost with it may run on. Returns the machines' numbers.
 */
export function takeBack(fleet: Fleet, instances: readonly Instance[], at: number): number[] {
  const listed = new Set(instances.map(({ id }) => id));
  const back = fleet.machines.filter(
    (machine) =>
      !isAlive(machine) && at - (machine.goneAt ?? at) >= LISTED_AFTER_MS && listed.has(machine.instanceId ?? 0),
  );
  for (const machine of back) {
    machine.goneAt = undefined;
    machine.ending = undefined;
    if (machine.report) machine.report.isGone = undefined;
    for (const use of machine.uses) if (use.job?.isOver === false) use.spentAt = undefined;
    fleet.lost = fleet.lost.filter(({ id }) => !machine.uses.some(({ job }) => job?.id === id && !job.isOver));
  }
  return back.map(({ n }) => n);
}
