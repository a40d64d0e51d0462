import { expect, test } from "vitest";
import { type Command, type Decision, decide } from "../../../src/fleet/decide.ts";
import type { Rules } from "../../../src/fleet/options.ts";
import { reduce } from "../../../src/fleet/reduce.ts";
import type { FleetState } from "../../../src/fleet/state.ts";
import { NOW, someRules } from "./a-fleet.ts";

/** What is decided for this fleet. */
export function decideNow(fleet: FleetState, rules: Partial<Rules> = {}, now = NOW): Decision {
  return decide(fleet, someRules(rules), now);
}

/** The same in short: `create 51` of that offer, `drain 1` of that machine, `destroy 701`. */
export function commands(fleet: FleetState, rules: Partial<Rules> = {}, now = NOW): string[] {
  return decideNow(fleet, rules, now).commands.map(inShort);
}

function inShort(command: Command): string {
  if (command.kind === "search") return "search";
  if (command.kind === "read-job-log") return `read log ${command.jobId}`;
  if (command.kind === "look-up-image") return command.kind;
  if (command.kind === "create") return `create ${command.order.candidate.offer.id}`;
  return command.kind === "destroy" ? `destroy ${command.id}` : `${command.kind} ${command.machineNo}`;
}

/** The fleet with what is decided written into it. */
export function decided(fleet: FleetState, rules: Partial<Rules> = {}, now = NOW): FleetState {
  reduce(fleet, { kind: "Decided", at: now, decision: decideNow(fleet, rules, now) });
  return fleet;
}

/** The same, and the lists were read again so much later, and say the same. */
export function later(fleet: FleetState, ms: number, rules: Partial<Rules> = {}): FleetState {
  const at = NOW + ms;
  return Object.assign(decided(fleet, rules), { jobsAt: at, instancesAt: at });
}

/** A fleet in words, the commands that are decided for it, and the rules. */
type Decided = [words: string, fleet: FleetState, commands: string[], rules?: Partial<Rules>];

/** Decides for one fleet after the other. */
export function decides(rule: string, cases: readonly Decided[]): void {
  test.each(cases)(`${rule}: %s`, (_words, fleet, expected, rules) => {
    expect(commands(fleet, rules)).toEqual(expected);
  });
}
