import type { Use } from "../../../src/create/label.ts";
import type { Terms } from "../../../src/create/machine-record.ts";
import type { FleetOptions } from "../../../src/fleet/options.ts";
import type { Machine } from "../../../src/fleet/state/machine.ts";
import { emptyFleet, type Fleet } from "../../../src/fleet/state.ts";
import type { GpuJob, GpuJobs, JobState } from "../../../src/github/jobs.ts";
import type { Candidate } from "../../../src/market/search.ts";
import { anOffer } from "./an-offer.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** When these tests look, in milliseconds; the use began an hour before. */
export const NOW = 60 * MINUTE;

/** The defaults of the inputs, but for what the test says. */
export function aPolicy(given: Partial<FleetOptions> = {}): FleetOptions {
  return {
    machines: 4,
    jobs: "auto",
    hedge: true,
    hold: true,
    maxPrice: Number.POSITIVE_INFINITY,
    attempts: 4,
    machinesPerRepository: 8,
    waitForJobMs: 30 * MINUTE,
    idleMs: 5 * MINUTE,
    readyMs: 25 * MINUTE,
    searchMs: 10 * MINUTE,
    lifetimeMs: 120 * MINUTE,
    keepFailedMs: 0,
    attempt: 1,
    hasProbe: false,
    bidFallback: false,
    makesVolume: false,
    ...given,
  };
}

/** An offer with its price. */
export function aCandidate(id: number, machineId: number | undefined = id * 100): Candidate {
  return { offer: anOffer({ id, machine_id: machineId }), price: { total: 0.4 } as Candidate["price"] };
}

/** The terms of a machine made of that offer; at most 0.9 USD until its deadline. */
export function someTerms({ offer, price }: Candidate): Terms {
  const estimate = { minutes: 120, machine: 0.8, bytes: { runnerGb: 0.2, usd: 0.1 }, most: 0.9 };
  const { id, machineId, gpuName, numGpus } = offer;
  const holder = { usdPerMinute: 0.006, usd: 0.72 };
  return { offer: { id, machineId, gpuName, numGpus }, price, deadline: 10_800, estimate: { ...estimate, holder } };
}

const USE = (n: number, given: Partial<Use> = {}): Use => ({
  runnerId: 20 + n,
  runnerName: `gpu-4711-1-abcdef-${n}`,
  ...given,
});

function base(n: number): Machine {
  return {
    n,
    candidate: aCandidate(n),
    terms: someTerms(aCandidate(n)),
    timing: {
      expectedMs: 100 * SECOND,
      lateMs: 125 * SECOND,
      bootMs: 10 * MINUTE,
      onlineMs: 5 * MINUTE,
      mayWait: false,
    },
    uses: [USE(n)],
    instanceId: 700 + n,
    deadline: NOW + 120 * MINUTE,
    cutBy: "max-lifetime",
    askedAt: NOW - 61 * SECOND,
    createdAt: NOW - 60 * SECOND,
    verdict: { kind: "pending", status: "loading" },
  };
}

/** Its create is under way. */
export function asked(n: number, given: Partial<Machine> = {}): Machine {
  const { instanceId: _, createdAt: __, verdict: ___, ...rest } = base(n);
  return { ...rest, uses: [], act: "asking", ...given };
}

/** An instance that is not running yet, created a minute ago. */
export function booting(n: number, given: Partial<Machine> = {}): Machine {
  return { ...base(n), ...given };
}

/** It runs since 20 s, its runner is not online yet. */
export function starting(n: number, given: Partial<Machine> = {}): Machine {
  return booting(n, { runningAt: NOW - 20 * SECOND, verdict: { kind: "running", status: "running" }, ...given });
}

/** Its runner is online since 10 s. */
export function ready(n: number, given: Partial<Machine> = {}): Machine {
  const onlineAt = NOW - 10 * SECOND;
  return starting(n, { uses: [USE(n, { runner: "online", onlineAt })], readyAt: onlineAt, ...given });
}

/** A job runs on it, the `n`th. */
export function busy(n: number, given: Partial<Machine> = {}): Machine {
  const job = { id: 100 + n, name: `test ${n}`, url: undefined, isOver: false, isBad: false };
  return ready(n, { uses: [USE(n, { runner: "busy", onlineAt: NOW - 10 * SECOND, job })], ...given });
}

/** Its runner is busy since so many milliseconds, with a job that the jobs' list does not show. */
export function unlisted(n: number, ago: number, given: Partial<Machine> = {}): Machine {
  const use = USE(n, { runner: "busy", onlineAt: NOW - ago, busySince: NOW - ago });
  return ready(n, { uses: [use], ...given });
}

/** Its job is over since 10 s, and no use is left in it. */
export function spent(n: number, given: Partial<Machine> = {}): Machine {
  const job = { id: 100 + n, name: `test ${n}`, url: undefined, isOver: true, isBad: false };
  const use = USE(n, { runner: "gone", onlineAt: NOW - 60 * SECOND, job, spentAt: NOW - 10 * SECOND });
  return ready(n, { uses: [use], ...given });
}

/** A use that has not begun: the `k`th runner of machine `n`. */
export function nextUse(n: number, k = 2): Use {
  return { runnerId: 20 + n + 100 * (k - 1), runnerName: `gpu-4711-1-abcdef-${n}-${k}`, runner: "offline" };
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
    otherLabels: [],
    ...given,
  };
}

/** So many jobs of each state, numbered from 101 on. */
export function gpuJobs(counts: Partial<Record<JobState, number>>, given: Partial<GpuJobs> = {}): GpuJobs {
  const states = (["running", "waiting", "held", "over"] as const).flatMap((state) =>
    Array<JobState>(counts[state] ?? 0).fill(state),
  );
  return { ours: states.map((state, index) => gpuJob(101 + index, state)), others: 1, othersOpen: [], ...given };
}

/** The loop's state an hour after its begin: lists were just read, five offers are known. */
export function aFleet(machines: Machine[] = [], given: Partial<Fleet> = {}): Fleet {
  return {
    ...emptyFleet(0),
    machines,
    creates: machines.length,
    jobs: gpuJobs({}),
    looks: { jobs: NOW, instances: NOW },
    instancesAt: NOW,
    runnersAt: NOW,
    repositoryAlive: machines.length,
    market: {
      searchedAt: NOW,
      searchAgainAt: NOW,
      candidates: [1, 2, 3, 4, 5].map((id) => aCandidate(50 + id)),
      times: 0,
    },
    ...given,
  };
}
