import type { CreateOutcome, SlotJob, StoredInstance, StoredMachine } from "../../../src/fleet/state.ts";
import { MINUTE, NOW, SECOND } from "./a-fleet.ts";
import { aCandidate } from "./an-offer.ts";
import { aSlot, aSlotJob, someTerms, withSlot } from "./machine-parts.ts";

/** A machine's own facts and those of its first instance, in one. */
export type MachineGiven = Partial<StoredMachine> & Partial<Omit<StoredInstance, "id">> & { instanceId?: number };

/** The fields of a machine; all others are its instance's. */
const OF_MACHINE = new Set(
  [
    "machineNo candidate timing terms deadline cutBy searchedAt askedAt registeredAt slots answer instances readyAt",
    "ending isDraining unconfirmedDrains refusedDrains drainAgainAt besideSince askAgainAt isReadingLog logAt words",
  ].flatMap((names) => names.split(" ")),
);

function machine(n: number, base: MachineGiven, given: MachineGiven): StoredMachine {
  const { instanceId = 700 + n, ...all } = { ...base, ...given };
  const own = Object.entries(all).filter(([field]) => OF_MACHINE.has(field));
  const ofInstance = Object.entries(all).filter(([field]) => !OF_MACHINE.has(field));
  const candidate = all.candidate ?? aCandidate(n);
  const { createdAt: _, ...facts } = Object.fromEntries(ofInstance) as Partial<StoredInstance>;
  const foundAt = all.foundAt ?? all.createdAt ?? NOW - 60 * SECOND;
  return {
    machineNo: n,
    candidate,
    terms: someTerms(candidate),
    timing: {
      ...{ expectedMs: 100 * SECOND, lateMs: 125 * SECOND, mayWait: false },
      ...{ bootMs: 10 * MINUTE, onlineMs: 5 * MINUTE, lifeMs: 120 * MINUTE },
    },
    slots: [aSlot(n)],
    deadline: NOW + 120 * MINUTE,
    cutBy: "max-lifetime",
    searchedAt: NOW - 62 * SECOND,
    askedAt: NOW - 61 * SECOND,
    answer: { kind: "created", at: NOW - 60 * SECOND, jitter: 0 },
    instances: [{ ...facts, id: instanceId, createdAt: all.createdAt ?? foundAt, foundAt }],
    ...(Object.fromEntries(own) as Partial<StoredMachine>),
  };
}

/** Its create is under way. */
export function asked(n: number, given: MachineGiven = {}): StoredMachine {
  return machine(n, { slots: [], instances: [], answer: undefined }, given);
}

/** A create that was answered a second ago, and may still have made something: no list was read since. */
export function inFlight(
  n: number,
  outcome: CreateOutcome,
  { ago = SECOND, ...given }: MachineGiven & { ago?: number } = {},
): StoredMachine {
  return machine(n, { instances: [], answer: { ...outcome, at: NOW - ago, jitter: 0 } }, given);
}

/** A create of which nothing came, as a list showed that was read after it: answered a second ago, its runner removed. */
export function unmade(
  n: number,
  outcome: CreateOutcome,
  { ago = SECOND, jitter = 0, ...given }: MachineGiven & { ago?: number; jitter?: number } = {},
): StoredMachine {
  const slots = [aSlot(n, { spentAt: NOW, isRemoved: true })];
  return machine(n, { instances: [], slots, answer: { ...outcome, at: NOW - ago, jitter, isMissed: true } }, given);
}

/** An instance that is not running yet, created a minute ago. */
export function booting(n: number, given: MachineGiven = {}): StoredMachine {
  return machine(n, { verdict: { kind: "pending", status: "loading" } }, given);
}

const RUNNING: MachineGiven = {
  runningAt: NOW - 20 * SECOND,
  billedFrom: NOW - 20 * SECOND,
  verdict: { kind: "running", status: "running" },
};

/** It runs since 20 s, its runner is not online yet. */
export function starting(n: number, given: MachineGiven = {}): StoredMachine {
  return machine(n, RUNNING, given);
}

/** Its runner is online since 10 s. */
export function ready(n: number, given: MachineGiven = {}): StoredMachine {
  const onlineAt = NOW - 10 * SECOND;
  return machine(n, { ...RUNNING, slots: [aSlot(n, { runner: "online", onlineAt })], readyAt: onlineAt }, given);
}

/** A job runs on it, the `n`th. */
export function busy(n: number, given: MachineGiven = {}): StoredMachine {
  const slot = aSlot(n, { runner: "busy", onlineAt: NOW - 10 * SECOND, job: aSlotJob(n) });
  return ready(n, { slots: [slot], ...given });
}

/** It runs a job and lives for so long from its first runner on, which a list lacked and the next one had, so long ago. */
export function living({
  lifeS,
  notYetS,
  onlineS,
  job = {},
  ...given
}: MachineGiven & { lifeS: number; notYetS?: number; onlineS: number; job?: Partial<SlotJob> }): StoredMachine {
  const made = busy(1, given);
  const notYetAt = notYetS === undefined ? undefined : NOW - notYetS * SECOND;
  const onlineAt = NOW - onlineS * SECOND;
  const machine = withSlot(made, { notYetAt, onlineAt, job: aSlotJob(1, job) });
  return { ...machine, readyAt: onlineAt, timing: { ...made.timing, lifeMs: lifeS * SECOND } };
}

/** Its runner is busy since so many milliseconds, with a job that the jobs' list does not show. From five minutes on it is stuck. */
export function unlisted(n: number, ago: number, given: MachineGiven = {}): StoredMachine {
  const slot = aSlot(n, {
    runner: "busy",
    onlineAt: NOW - ago,
    busySince: NOW - ago,
    ...(ago < 5 * MINUTE ? {} : { isStuck: true as const }),
  });
  return ready(n, { slots: [slot], ...given });
}

/** Its job is over since 10 s, and no slot is left in it. `job`: how GitHub shows it otherwise. */
export function spent(n: number, { job, ...given }: MachineGiven & { job?: Partial<SlotJob> } = {}): StoredMachine {
  const over = { runner: "gone", onlineAt: NOW - 60 * SECOND, spentAt: NOW - 10 * SECOND } as const;
  return ready(n, { slots: [aSlot(n, { ...over, job: aSlotJob(n, { isOver: true, ...job }) })], ...given });
}
