import type { Facts } from "../../../src/fleet/facts.ts";
import { lookOf } from "../../../src/fleet/lifecycle/evidence.ts";
import type { FleetOptions, Rules } from "../../../src/fleet/options.ts";
import { recordsOf } from "../../../src/fleet/recording/records.ts";
import { emptyFleet, type FleetState, type Market, type StoredMachine } from "../../../src/fleet/state.ts";
import type { GpuJob, GpuJobs, JobState } from "../../../src/github/jobs.ts";
import { budgetLeft } from "../../../src/money/max-cost.ts";
import { aCandidate } from "./an-offer.ts";

export const SECOND = 1000;

export const MINUTE = 60 * SECOND;

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

/** What these tests' decisions are based on. */
export function someFacts(fleet: FleetState, rules: Partial<Rules> = {}, now: number = NOW): Facts {
  const all = someRules(rules);
  const budget = budgetLeft(all.rental, recordsOf(fleet), now);
  return { fleet, rules: all, now, look: lookOf(fleet, now, all.hold), budget };
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
