import { REASONS, UNNEEDED } from "../../../src/fleet/lifecycle/reasons.ts";
import type { CreateOutcome, Ending, RunnerSlot, SlotJob, StoredMachine } from "../../../src/fleet/state.ts";
import type { MachineTerms } from "../../../src/machine/record.ts";
import type { Refusal } from "../../../src/marketplace/marketplace.ts";
import type { Candidate } from "../../../src/offers/ranking.ts";
import { NOW } from "./a-fleet.ts";

/** The terms of a machine made of that offer; at most 0.9 USD until its deadline. */
export function someTerms({ offer, price }: Candidate): MachineTerms {
  const estimate = { minutes: 120, machine: 0.8, bytes: { runnerGb: 0.2, usd: 0.1 }, most: 0.9 };
  const { id, machineId, gpuName, numGpus } = offer;
  const holder = { usdPerMinute: 0.006, usd: 0.72 };
  return { offer: { id, machineId, gpuName, numGpus }, price, deadline: 10_800_000, estimate: { ...estimate, holder } };
}

/** An end of this kind and cause by its usual row, decided now, but for what the test says. */
export function anEnding(kind: Ending["kind"], given: Partial<Ending> = {}): Ending {
  const { since = NOW } = given;
  const isRow = (row: (typeof REASONS)[number]) =>
    row.kind === kind &&
    row.cause === (given.cause ?? row.cause) &&
    (given.cause !== undefined || row.isVague === true);
  const row = REASONS.findLast(isRow) ?? REASONS.findLast((each) => each.kind === kind) ?? UNNEEDED;
  const { cause, first, id, isVague } = { cause: undefined, isVague: undefined, ...row };
  return { id, kind, cause, first, isVague, why: "no", since, decidedAt: since, ...given };
}

/** The `n`th machine's first runner, which nobody saw yet. */
export function aSlot(n: number, given: Partial<RunnerSlot> = {}): RunnerSlot {
  return { runnerId: 20 + n, runnerName: `gpu-4711-1-abcdef-${n}`, ...given };
}

/** The `n`th machine's job, which runs, but for what the test says. */
export function aSlotJob(n: number, given: Partial<SlotJob> = {}): SlotJob {
  return { id: 100 + n, name: `test ${n}`, url: undefined, isOver: false, isBad: false, ...given };
}

/** The service's own word against a create. */
export function refused(
  code: Refusal["code"],
  given: Partial<Refusal> = {},
): Extract<CreateOutcome, { kind: "refused" }> {
  const refusal = { code, operation: "create instance", status: 400, ownWord: true, sentence: "no", ...given };
  return { kind: "refused", refusal };
}

/** Nobody knows what became of a create. */
export const UNCERTAIN: CreateOutcome = { kind: "uncertain", sentence: "socket hang up" };

/** A slot that has not begun: the `k`th runner of machine `n`. */
export function nextSlot(n: number, k = 2): RunnerSlot {
  return { runnerId: 20 + n + 100 * (k - 1), runnerName: `gpu-4711-1-abcdef-${n}-${k}`, runner: "offline" };
}

/** The machine with this in its first slot, too. */
export function withSlot(given: StoredMachine, slot: Partial<RunnerSlot>): StoredMachine {
  return { ...given, slots: given.slots.map((each, index) => (index === 0 ? { ...each, ...slot } : each)) };
}

/** The machine with one more slot, which has not begun. */
export function withNext(given: StoredMachine, next: Partial<RunnerSlot> = {}): StoredMachine {
  return { ...given, slots: [...given.slots, { ...nextSlot(given.machineNo, given.slots.length + 1), ...next }] };
}
