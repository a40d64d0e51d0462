import type { Facts } from "../../../src/fleet/facts.ts";
import { lookOf } from "../../../src/fleet/lifecycle/evidence.ts";
import { REASONS, UNNEEDED } from "../../../src/fleet/lifecycle/reasons.ts";
import type { FleetOptions, Rules } from "../../../src/fleet/options.ts";
import { recordsOf } from "../../../src/fleet/recording/records.ts";
import type {
  CreateOutcome,
  Ending,
  FleetState,
  Market,
  RunnerSlot,
  SlotJob,
  StoredInstance,
  StoredMachine,
} from "../../../src/fleet/state.ts";
import { emptyFleet } from "../../../src/fleet/state.ts";
import type { GpuJob, GpuJobs, JobState } from "../../../src/github/jobs.ts";
import type { MachineTerms } from "../../../src/machine/record.ts";
import type { Refusal } from "../../../src/marketplace/marketplace.ts";
import { budgetLeft } from "../../../src/money/max-cost.ts";
import type { Candidate } from "../../../src/offers/ranking.ts";
import { anOffer } from "./an-offer.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** When these tests look, in milliseconds. The session began an hour before. */
export const NOW = 60 * MINUTE;

/** The defaults of the inputs, but for what the test says. */
export function someOptions(given: Partial<FleetOptions> = {}): FleetOptions {
  return {
    machines: 4,
    jobs: "auto",
    hedge: true,
    hold: true,
    maxPrice: Number.POSITIVE_INFINITY,
    attempts: 4,
    machinesPerRepository: 8,
    waitForJob: 30 * MINUTE,
    idleTimeout: 5 * MINUTE,
    readyMs: 25 * MINUTE,
    searchTimeout: 10 * MINUTE,
    maxLifetime: 120 * MINUTE,
    keepFailed: 0,
    attempt: 1,
    hasProbe: false,
    tokenExpires: true,
    bidFallback: false,
    gpuFigures: false,
    asksImage: false,
    ...given,
  };
}

/** The same, with the terms that machines are rented on: no bound, on demand. */
export function someRules(given: Partial<Rules> = {}): Rules {
  const { isBidding = false, jobsPerMachine = 1, rental, ...options } = given;
  const most = { readyMs: 25 * MINUTE, maxLifetime: 120 * MINUTE, idleTimeout: 5 * MINUTE };
  const limits = { bootMs: 10 * MINUTE, onlineMs: 5 * MINUTE, ...most };
  const image = { name: "debian:13", bytes: undefined, isDevel: false, decidesBoot: false };
  const terms = { image, limits, money: {}, leastMs: 10 * MINUTE, ...rental };
  return { ...someOptions(options), isBidding, jobsPerMachine, rental: terms };
}

/** An offer with its price. */
export function aCandidate(id: number, machineId: number | undefined = id * 100, bid?: number): Candidate {
  const price = { total: 0.4, storage: 0, ...(bid === undefined ? {} : { bid }) };
  return { offer: anOffer({ id, machine_id: machineId }), price };
}

/** The terms of a machine made of that offer; at most 0.9 USD until its deadline. */
export function someTerms({ offer, price }: Candidate): MachineTerms {
  const estimate = { minutes: 120, machine: 0.8, bytes: { runnerGb: 0.2, usd: 0.1 }, most: 0.9 };
  const { id, machineId, gpuName, numGpus } = offer;
  const holder = { usdPerMinute: 0.006, usd: 0.72 };
  return { offer: { id, machineId, gpuName, numGpus }, price, deadline: 10_800_000, estimate: { ...estimate, holder } };
}

/** What these tests' decisions are based on. */
export function someFacts(fleet: FleetState, rules: Partial<Rules> = {}, now: number = NOW): Facts {
  const all = someRules(rules);
  const budget = budgetLeft(all.rental, recordsOf(fleet), now);
  return { fleet, rules: all, now, look: lookOf(fleet, now, all.hold), budget };
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

/** A job of ours. */
export function gpuJob(id: number, state: JobState, given: Partial<GpuJob> = {}): GpuJob {
  return {
    id,
    name: `test ${id - 100}`,
    state,
    conclusion: state === "over" ? "success" : undefined,
    runnerId: undefined,
    runnerName: undefined,
    url: undefined,
    createdAt: undefined,
    startedAt: undefined,
    completedAt: undefined,
    failedStep: undefined,
    otherLabels: [],
    ...given,
  };
}

/** So many jobs of each state, numbered from 101 on. */
export function gpuJobs(counts: Partial<Record<JobState, number>>, given: Partial<GpuJobs> = {}): GpuJobs {
  const states = (["running", "waiting", "held", "over", "robbed"] as const).flatMap((state) =>
    Array<JobState>(counts[state] ?? 0).fill(state),
  );
  return {
    ours: states.map((state, index) => gpuJob(101 + index, state)),
    others: 1,
    othersOpen: [],
    mistyped: [],
    skipped: 0,
    ...given,
  };
}

/** A market that was just searched, with five offers, but for what the test says. */
export function aMarket(given: Partial<Market> = {}): Market {
  const candidates = [1, 2, 3, 4, 5].map((id) => aCandidate(50 + id));
  return { searchedAt: NOW, isBid: false, candidates, times: 0, refusals: 0, ...given };
}

/** A market without an offer that fits, for so many searches. `input`: it alone keeps them away. */
export function anEmptyMarket(given: Partial<Market> = {}, input?: string): Market {
  const explanation = { sentence: "Too dear.", hint: "Raise max-price to 0.72 or more.", ...(input && { input }) };
  const nothing = { kind: "none-fits", explanation, requirements: "RTX 4090" } as const;
  return aMarket({ candidates: [], times: 1, nothing, ...given });
}

/** The loop's state an hour after its begin: lists were just read, five offers are known. */
export function aFleet(machines: StoredMachine[] = [], given: Partial<FleetState> = {}): FleetState {
  return {
    ...emptyFleet(0),
    machines,
    jobs: gpuJobs({}),
    jobsAt: NOW,
    instancesAt: NOW,
    runnersAt: NOW,
    repositoryAlive: machines.length,
    market: aMarket(),
    ...given,
  };
}
