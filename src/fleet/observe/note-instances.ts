import { judgeInstance } from "../../create/instance.ts";
import { hasPrefix } from "../../create/label.ts";
import { type MachineRecord, noteFigures } from "../../create/machine-record.ts";
import type { Instance } from "../../marketplace/marketplace.ts";
import type { Fleet } from "../state/fleet.ts";
import type { Machine } from "../state/machine.ts";
import { isAlive, wasReady } from "../state/stage.ts";
import { adoptUnknown, takeBack } from "./note-found.ts";

/** A fresh instance may be missing from lists for so long. SPEC-SILENT: no figure is named. */
const VISIBLE_AFTER_MS = 60_000;

/** One list of the account's instances that could be read; how many are this repository's. */
export interface InstancesSeen {
  at: number;
  prefix: string;
  instances: readonly Instance[];
  repositoryAlive: number;
}

/** Takes instances into the fleet. Returns the numbers of the machines whose report changed. */
export function noteInstances(fleet: Fleet, { at, prefix, instances, repositoryAlive }: InstancesSeen): number[] {
  const before = fleet.instancesAt;
  fleet.instancesAt = at;
  fleet.looks.instances = at;
  const ours = instances.filter(({ label }) => hasPrefix(label, prefix));
  const found = [...adoptUnknown(fleet, ours, at), ...takeBack(fleet, instances, at)];
  const changed = fleet.machines
    .filter((machine) => isAlive(machine) && machine.instanceId !== undefined)
    .filter((machine) =>
      noteOne(
        machine,
        instances.find(({ id }) => id === machine.instanceId),
        { at, before },
      ),
    )
    .map(({ n }) => n);
  fleet.repositoryAlive = repositoryAlive + fleet.machines.filter(isTooFresh).length;
  return [...new Set([...found, ...changed])];
}

/** Lists are yet to show it. */
function isTooFresh(machine: Machine): boolean {
  const { absentSince, instanceId, verdict } = machine;
  return isAlive(machine) && instanceId !== undefined && absentSince === undefined && verdict === undefined;
}

interface When {
  at: number;
  /** Of the list before. */
  before: number | undefined;
}

/** True when its report changed. */
function noteOne(machine: Machine, instance: Instance | undefined, when: When): boolean {
  if (instance === undefined) return noteAbsence(machine, when);
  const { candidate, report } = machine;
  machine.absentSince = undefined;
  machine.address = instance.ssh;
  machine.isSilent = instance.state === "silent";
  machine.verdict = judgeInstance(instance, instance.isInterruptible ?? candidate.price.bid !== undefined);
  machine.brokenSince = machine.verdict.kind === "failed" ? (machine.brokenSince ?? when.at) : undefined;
  const isNew = machine.verdict.kind === "running" && noteRunning(machine, when);
  if (report === undefined) return isNew;
  const isBack = noteReturn(machine, report);
  return noteFigures(report, instance) || isNew || isBack;
}

/** It was taken for gone, and bills on. True then. */
function noteReturn(machine: Machine, report: MachineRecord): boolean {
  if (report.at.gone === undefined) return false;
  report.at.gone = undefined;
  if (wasReady(machine)) report.last = "ready";
  return true;
}

/**
 * A container begins to run some time between two looks: for the bill, in the middle. Limits count
 * from when it was seen.
 */
function noteRunning(machine: Machine, when: When): boolean {
  if (machine.runningAt !== undefined) return false;
  machine.runningAt = when.at;
  if (machine.report) machine.report.at.running ??= middle(machine, when);
  return true;
}

/** It went some time between two looks: for the bill, in the middle. */
function noteAbsence(machine: Machine, when: When): boolean {
  const { report, verdict, createdAt = when.at } = machine;
  if (verdict === undefined && when.at - createdAt <= VISIBLE_AFTER_MS && !wasReady(machine)) return false;
  machine.absentSince ??= when.at;
  if (report === undefined || report.at.gone !== undefined) return false;
  report.at.gone = middle(machine, when);
  report.last = wasReady(machine) ? "gave itself back" : report.last;
  return true;
}

function middle({ createdAt, askedAt }: Machine, { at, before }: When): number {
  return Math.round((Math.max(createdAt ?? askedAt, Math.min(before ?? at, at)) + at) / 2);
}
