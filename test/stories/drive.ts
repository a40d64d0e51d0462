import { settleFailure } from "../../src/action/fail-main.ts";
import type { FleetDeps } from "../../src/fleet/deps.ts";
import type { End } from "../../src/fleet/end.ts";
import { runFleet } from "../../src/fleet/loop.ts";
import type { FleetOptions, FleetRequest } from "../../src/fleet/options.ts";
import { emptyFleet } from "../../src/fleet/state.ts";
import { GithubUnavailableError } from "../../src/github/github-errors.ts";
import { RunJobs } from "../../src/github/jobs.ts";
import { Registrations } from "../../src/github/registrations.ts";
import { Runners } from "../../src/github/runners.ts";
import { type RunAttempt, Runs } from "../../src/github/runs.ts";
import { NO_HISTORY } from "../../src/history/hosts.ts";
import type { LedgerPort } from "../../src/machine/create.ts";
import { hasPrefix } from "../../src/machine/label.ts";
import { keepAfterCancel } from "../../src/release/after-cancel.ts";
import { DESTROY_WITHIN_MS } from "../../src/release/destroy.ts";
import { destroySession, remainsOf, removeRunners } from "../../src/release/destroy-session.ts";
import { failedEnd, type MainEnd as LedgerEnd, ledgerWriter } from "../../src/release/ledger.ts";
import { attemptAsker } from "../../src/release/leftovers.ts";
import { matcherOf, type Session } from "../../src/release/session.ts";
import { sweepAll } from "../../src/release/sweep.ts";
import { errorOf } from "../../src/report/end-error.ts";
import { leaveRun, seenJobs } from "../../src/runs/own-run.ts";
import { UserError } from "../../src/shared/user-error.ts";
import { someOptions } from "../unit/support/a-fleet.ts";
import { someRequirements } from "../unit/support/an-offer.ts";
import { ClientInWorld, serviceOf } from "./clients.ts";
import { ORIGIN, type Outside, PREFIX, RUNNER_LABEL, RUNS } from "./outside.ts";
import { BOOT_S, type InputsStory, MAX_PRICE, ONLINE_S } from "./story.ts";

// All that the stories know of the code under test is in this file: how its loop and its post are
// put together, and what they say at their end.

const RUNNER_PREFIX = `${RUNNER_LABEL}-abcdef`;
const BOOT_MS = BOOT_S * 1000;
const ONLINE_MS = ONLINE_S * 1000;
/** Of all of post (src/action/run-post.ts). */
const POST_MS = 250_000;
const RUN = {
  ...{ owner: "o", repo: "r", repositoryId: 1, runId: 4711, jobName: "rent", runnerName: "hosted-1" },
  ...{ apiUrl: "https://api.github.com", serverUrl: "https://github.com", runnerLabel: RUNNER_LABEL },
};

/** The end of main, as people and post see it. */
export interface MainEnd {
  kind: End["kind"] | "threw";
  /** Why renting had stopped, if that was the end. */
  stop?: string | undefined;
  /** Ids of jobs that it names as failed by themselves, as lost with their machines, as never served. */
  bad: readonly number[];
  lost: readonly number[];
  error: Error | undefined;
}

/** A main whose loop is over: it tells post, and sees to what is left if it has failed. */
export interface DrivenMain {
  end: MainEnd;
  conclude(): Promise<void>;
}

/** Runs main's loop to its end. Throws nothing: what it throws is its end. */
export async function driveMain(outside: Outside, inputs: InputsStory): Promise<DrivenMain> {
  const { clock, log, signal, writes } = outside;
  const session = sessionIn(outside, inputs, "main");
  const told = ledgerWriter((name, text) => writes.save(name, text), log, ORIGIN);
  const ledger = { ...told, ...outside.mutation?.ledger };
  const request = requestOf(inputs);
  const options = optionsOf(inputs);
  const fleet = emptyFleet(clock.now());
  const settle = async (end: LedgerEnd) => {
    const rented = { prefix: PREFIX, fleet, isDestroyed: false };
    ledger.end(end);
    if (end.kind === "failed" && (await settleFailure(end, { session, rented, ledger, signal })) === "cancel")
      ledger.cancelRun();
  };
  try {
    ledger.prefix(PREFIX);
    const end = await runFleet(depsOf(session, outside, ledger), request, options, fleet);
    const rest = { runnerLabel: RUNNER_LABEL, failWithJob: true, ifNoMachine: "auto", now: clock.now() } as const;
    const error = errorOf(end, { fleet, options, request, ...rest });
    const wellEnded = end.kind === "ready" ? ({ kind: "ready" } as const) : ({ kind: "over", taken: 0 } as const);
    const written = error === undefined ? wellEnded : failedEnd(error);
    return { end: endOf(end, error), conclude: () => settle(written) };
  } catch (error) {
    const end = { kind: "threw", bad: [], lost: [], error: error as Error } as const;
    return { end, conclude: () => settle(failedEnd(error)) };
  }
}

/** Main's or post's session, but for what it needs before it rents. */
function sessionIn(outside: Outside, { attempt }: InputsStory, of: "main" | "post", until?: number): Session {
  const { clock, log } = outside;
  const own = new ClientInWorld(outside, "job-token");
  const runners = new Runners(new ClientInWorld(outside, "github-token"));
  const session = {
    ...{ clock, log, runners, client: own, id: "abcdef", runnerNamePrefix: RUNNER_PREFIX, run: { ...RUN, attempt } },
    inputs: { check: false, ifNoMachine: "auto", jobCheckRunId: "1", jobStatus: outside.jobStatus, knowsLabel: true },
    service: serviceOf(outside, of, until),
    registrations: new Registrations({ clock, log, runners, mask: () => {} }, RUNNER_LABEL, `${RUNNER_PREFIX}-`),
    jobs: new RunJobs(own, { runId: RUN.runId, attempt }),
    runs: new Runs(own),
    repositoryId: async () => 1,
  };
  return session as unknown as Session;
}

function depsOf(session: Session, outside: Outside, ledger: LedgerPort): FleetDeps {
  const { jobs, registrations } = session;
  return {
    ...session,
    runners: registrations,
    ledger,
    signal: outside.signal,
    listJobs: (stop) => jobs.listOrUndefined(stop),
    lookAtJob: (id, stop) => jobs.lookAt(id, stop),
    readJobLog: async () => "",
    lookUpImage: async () => undefined,
    whose: matcherOf(session),
    history: { known: NO_HISTORY, isKept: false, usualJobMs: () => undefined, note() {} },
    requestsLeft: () => undefined,
    requestsCounted: () => 0,
    aliveOfRepository: (instances) => instances.filter(({ label }) => hasPrefix(label, PREFIX)).map(({ id }) => id),
  };
}

function endOf(end: End, error: Error | undefined): MainEnd {
  const { bad, lost, refused } = end.kind === "over" ? end : { bad: [], lost: [], refused: [] };
  const ids = (jobs: readonly { id: number }[]) => jobs.map(({ id }) => id);
  const stop = end.kind === "stopped" ? end.stop.id : undefined;
  return { kind: end.kind, stop, bad: ids([...bad, ...refused]), lost: ids(lost), error };
}

/**
 * Runs post, but for its report. Returns what it could not destroy, in words, and the error by which it fails though
 * nothing bills.
 */
export async function drivePost(outside: Outside, inputs: InputsStory) {
  const { clock, log, writes } = outside;
  const { ledger } = writes;
  const start = clock.now();
  const until = start + POST_MS;
  const session = sessionIn(outside, inputs, "post", start + DESTROY_WITHIN_MS.post);
  const isCancelled = outside.jobStatus === "cancelled";
  const keeping = isCancelled ? keepAfterCancel(session, ledger.reports, start) : undefined;
  const remains = remainsOf(ledger);
  const destroying = { service: session.service, clock, log, until: start + DESTROY_WITHIN_MS.post };
  const used = remains && (await destroySession(destroying, remains, keeping?.mayGo));
  if (ledger.prefix !== undefined) await removeRunners(session, ledger, until);
  const { destroyed = [], undestroyed = [] } = used ?? {};
  let error: UserError | undefined;
  const leaving = { session, ledger, destroyed, start, until };
  try {
    if (undestroyed.length === 0) await leaveRun(leaving, await seenJobs(leaving));
  } catch (fault) {
    if (!(fault instanceof UserError)) throw fault;
    error = fault;
  }
  return { undestroyed, error };
}

/** What GitHub says of the attempts of other jobs' runs, by the sweep's question. */
export type RunSeen = "over" | "open" | "unknown";

/** Runs a sweep of another run. `ours`: what GitHub says of this session's run. */
export async function driveSweep(outside: Outside, ours: RunSeen): Promise<void> {
  const { clock, log, signal } = outside;
  await sweepAll({
    service: serviceOf(outside, "sweep"),
    clock,
    log,
    sweeper: { server: "", repositoryId: 1, runId: RUNS.sweeping, attempt: 1 },
    askAttempt: attemptAsker(attemptsOf(ours), clock, () => {}),
    maxDestroy: 20,
    isDryRun: false,
    signal,
  });
}

function attemptsOf(ours: RunSeen) {
  const say = (seen: RunSeen): RunAttempt => {
    if (seen === "unknown") throw new GithubUnavailableError("ask", "no answer");
    return { isCompleted: seen === "over", unchangedForMs: seen === "over" ? 600_000 : 0 };
  };
  return {
    async attempt(runId: number) {
      if (runId === RUNS.ours || ours === "unknown") return say(ours);
      return say(runId === RUNS.done ? "over" : "open");
    },
  };
}

function requestOf(inputs: InputsStory): FleetRequest {
  const { bid, jobsPerMachine, lifetimeS, maxCost, mayWait, readyS } = inputs;
  const maxLifetime = lifetimeS * 1000;
  return {
    prefix: PREFIX,
    runnerNamePrefix: RUNNER_PREFIX,
    offer: someRequirements({ maxPrice: MAX_PRICE, bid: bid === undefined ? undefined : { price: bid } }),
    instance: { image: "debian:13", runtype: "ssh_proxy", disk: 32 },
    image: { name: "debian:13", bytes: undefined, isDevel: false, decidesBoot: mayWait },
    money: maxCost === undefined ? {} : { maxCost },
    leastMs: BOOT_MS + ONLINE_MS + Math.min(300_000, maxLifetime),
    limits: { bootMs: BOOT_MS, onlineMs: ONLINE_MS, readyMs: readyS * 1000, maxLifetime },
    jobsPerMachine,
    onstart: "#!/bin/bash\n",
    env: ({ deadline, jitConfigs }) => ({ GHR_JIT: jitConfigs.join(" "), GHR_DEADLINE: String(deadline) }),
  };
}

function optionsOf(inputs: InputsStory): FleetOptions {
  const { hedge, idleS, keepFailedS, lifetimeS, machines, readyS, searchS, waitForJobS } = inputs;
  return someOptions({
    ...inputs,
    hedge: hedge && machines > 1,
    maxPrice: MAX_PRICE,
    waitForJob: waitForJobS * 1000,
    idleTimeout: idleS * 1000,
    readyMs: readyS * 1000,
    searchTimeout: searchS * 1000,
    maxLifetime: lifetimeS * 1000,
    keepFailed: keepFailedS * 1000,
    gpuFigures: true,
  });
}
