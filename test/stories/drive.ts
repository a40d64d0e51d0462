import { sweepFirst } from "../../src/action/before-renting.ts";
import type { FleetDeps } from "../../src/fleet/deps.ts";
import type { End } from "../../src/fleet/end.ts";
import { runFleet } from "../../src/fleet/loop.ts";
import type { FleetOptions, FleetRequest } from "../../src/fleet/options.ts";
import { emptyFleet } from "../../src/fleet/state.ts";
import {
  type GithubAnswer,
  type GithubCall,
  GithubClient,
  isRateLimit,
  judgeFailure,
  RateLimitQuiet,
} from "../../src/github/github-client.ts";
import { GithubUnavailableError } from "../../src/github/github-errors.ts";
import { RunJobs } from "../../src/github/jobs.ts";
import { Registrations } from "../../src/github/registrations.ts";
import { Runners } from "../../src/github/runners.ts";
import type { RunAttempt } from "../../src/github/runs.ts";
import { NO_HISTORY, type HostFate as Remembered } from "../../src/history/hosts.ts";
import type { LedgerPort } from "../../src/machine/create.ts";
import type { MachineRecord } from "../../src/machine/record.ts";
import { type Connection, type Outgoing, ServicePace } from "../../src/marketplace/vast/connection.ts";
import { type RawAnswer, tooFastWait } from "../../src/marketplace/vast/refusals.ts";
import { ServiceClient } from "../../src/marketplace/vast/service-client.ts";
import { VastMarketplace } from "../../src/marketplace/vast/vast-marketplace.ts";
import { destroySession, remainsOf } from "../../src/release/destroy-session.ts";
import { attemptAsker } from "../../src/release/leftovers.ts";
import type { Session } from "../../src/release/session.ts";
import { sweepAll } from "../../src/release/sweep.ts";
import { errorOf } from "../../src/report/end-error.ts";
import type { Clock } from "../../src/shared/clock.ts";
import type { Log } from "../../src/shared/log.ts";
import { someRequirements } from "../unit/support/an-offer.ts";
import { PREFIX, RUNNER_LABEL, RUNS } from "./names.ts";
import type { InputsStory } from "./story.ts";

// All that the stories know of the code under test is in this file: how its loop and its post are
// put together, and what they say at their end.

const RUNNER_PREFIX = `${RUNNER_LABEL}-abcdef`;
const MAX_PRICE = 0.6;
const BOOT_MS = 300_000;
const ONLINE_MS = 120_000;
/** Of destroying (src/action/run-post.ts). */
const POST_MS = 210_000;

/** The world, as a process of ours meets it. */
export interface Outside {
  clock: Clock;
  signal: AbortSignal;
  log: Log;
  askService(outgoing: Outgoing): Promise<RawAnswer>;
  /** Undefined: no answer. */
  askGithub(asks: {
    token: "github-token" | "job-token";
    method: string;
    path: string;
    parameters: Readonly<Record<string, unknown>>;
    etag: string | undefined;
  }): Promise<{ status: number; data: unknown; headers: Record<string, string> } | undefined>;
  /** A machine's host is remembered: `failed` keeps it from being rented for a day. */
  remember(kind: Remembered["kind"], machine: number): void;
  /** Right before a create leaves it must be written down. */
  writes: Written;
  /** A change of the client or the ledger, which the referee must see. */
  mutation?: Mutation | undefined;
}

/** A change of one decision where the parts meet. */
export interface Mutation {
  service?: (service: ServiceClient, of: "main" | "post" | "sweep") => void;
  ledger?: (ledger: LedgerPort) => LedgerPort;
}

/** What main leaves to post. */
export class Written implements LedgerPort {
  readonly pendings = new Map<number, string>();
  readonly createds = new Map<number, number | "none">();
  readonly reports = new Map<number, MachineRecord>();
  /** Main was killed: answers that come after that are written by nobody. */
  isClosed = false;

  runners(): void {}

  pending(n: number, label: string): void {
    if (!this.isClosed) this.pendings.set(n, label);
  }

  created(n: number, id: number | "none"): void {
    if (!this.isClosed) this.createds.set(n, id);
  }

  report(n: number, report: MachineRecord): void {
    if (!this.isClosed) this.reports.set(n, structuredClone(report));
  }
}

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

/** Runs main's loop to its end. Throws nothing: what it throws is its end. */
export async function driveMain(outside: Outside, inputs: InputsStory): Promise<MainEnd> {
  const { clock, log, signal } = outside;
  const registrar = new ClientInWorld(outside, "github-token");
  const own = new ClientInWorld(outside, "job-token");
  const jobs = new RunJobs(own, { runId: 4711, attempt: inputs.attempt });
  const deps: FleetDeps = {
    service: serviceOf(outside, "main"),
    runners: new Registrations(
      { clock, log, runners: new Runners(registrar), mask: () => {} },
      RUNNER_LABEL,
      `${RUNNER_PREFIX}-`,
    ),
    ledger: outside.mutation?.ledger?.(outside.writes) ?? outside.writes,
    clock,
    log,
    signal,
    listJobs: (stop) => jobs.listOrUndefined(stop),
    lookAtJob: (id, stop) => jobs.lookAt(id, stop),
    readJobLog: async () => "",
    lookUpImage: async () => undefined,
    whose: {
      runnerLabel: RUNNER_LABEL,
      runnerNamePrefix: RUNNER_PREFIX,
      own: { checkRunId: 1, runnerName: "hosted-1", jobName: "rent" },
    },
    history: { known: NO_HISTORY, isKept: false, note: (fate) => outside.remember(fate.kind, fate.machine) },
    requestsLeft: () => undefined,
    aliveOfRepository: (instances) => instances.filter(({ label }) => label?.startsWith(`${PREFIX}.`)).length,
  };
  const request = requestOf(inputs);
  const options = optionsOf(inputs);
  const fleet = emptyFleet(clock.now());
  try {
    const end = await runFleet(deps, request, options, fleet);
    const rest = { runnerLabel: RUNNER_LABEL, failWithJob: true, ifNoMachine: "auto", now: clock.now() } as const;
    const told = { fleet, options, request, ...rest };
    return endOf(end, errorOf(end, told));
  } catch (error) {
    return { kind: "threw", bad: [], lost: [], error: error as Error };
  }
}

function endOf(end: End, error: Error | undefined): MainEnd {
  const ids = (jobs: readonly { id: number }[]) => jobs.map(({ id }) => id);
  if (end.kind === "over")
    return { kind: end.kind, bad: ids([...end.bad, ...end.refused]), lost: ids(end.lost), error };
  const stop = end.kind === "stopped" ? end.stop.kind : undefined;
  return { kind: end.kind, stop, bad: [], lost: [], error };
}

/** Runs post's destroying; what it could not destroy, in words. */
export async function drivePost(outside: Outside): Promise<readonly string[]> {
  const { clock, log, writes } = outside;
  const { createds: created, pendings: pending, reports } = writes;
  const remains = remainsOf({ prefix: PREFIX, pending, created, reports });
  if (remains === undefined) return [];
  const until = clock.now() + POST_MS;
  return (await destroySession({ service: serviceOf(outside, "post", until), clock, log, until }, remains)).undestroyed;
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

/** Runs the sweep of other runs' leftovers with which main begins. */
export async function driveFirstSweep(outside: Outside): Promise<void> {
  const { clock, log, signal } = outside;
  const service = serviceOf(outside, "sweep");
  const run = {
    owner: "o",
    repo: "r",
    repositoryId: 1,
    runId: RUNS.ours,
    attempt: 1,
    jobName: "rent",
    runnerName: undefined,
    apiUrl: "https://api.github.com",
    serverUrl: "https://github.com",
    runnerLabel: RUNNER_LABEL,
  };
  const instances = await service.list(signal);
  const session = { service, clock, log, run, runs: attemptsOf("open"), repositoryId: async () => 1 };
  await sweepFirst(session as unknown as Session, { instances, signal });
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
  const { attempt, attempts, bidFallback, hedge, hold, idleS, jobs, keepFailedS, machines } = inputs;
  return {
    machines,
    jobs,
    hedge: hedge && machines > 1,
    hold,
    maxPrice: MAX_PRICE,
    attempts,
    machinesPerRepository: inputs.machinesPerRepository,
    waitForJob: inputs.waitForJobS * 1000,
    idleTimeout: idleS * 1000,
    readyMs: inputs.readyS * 1000,
    searchTimeout: inputs.searchS * 1000,
    maxLifetime: inputs.lifetimeS * 1000,
    keepFailed: keepFailedS * 1000,
    attempt,
    hasProbe: false,
    bidFallback,
    gpuFigures: true,
    asksImage: false,
  };
}

/** A real client of the service, whose connection is the world's. */
function serviceOf(
  { askService, clock, mutation }: Outside,
  of: "main" | "post" | "sweep",
  until = Number.POSITIVE_INFINITY,
): VastMarketplace {
  const pace = new ServicePace(clock);
  const connection: Pick<Connection, "exchange" | "until" | "isLocal" | "close"> = {
    isLocal: true,
    until,
    exchange: async (outgoing, signals = {}) => {
      const { intervalMs, operation } = outgoing;
      await pace.turn(operation, { intervalMs, until, signal: signals.before });
      signals.before?.throwIfAborted();
      signals.onSend?.();
      const answer = await orAborted(askService(outgoing), signals.way);
      pace.note(operation, tooFastWait(answer, intervalMs));
      return answer;
    },
    close: async () => {},
  };
  // The class has private fields, so no other object has its type.
  const client = new ServiceClient({ baseUrl: "http://127.0.0.1:1", apiKey: "key", clock }, connection as Connection);
  // A machine's output decides nothing.
  client.requestLogs = async () => "";
  mutation?.service?.(client, of);
  return new VastMarketplace(client);
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  return await new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    // Asking may itself have ended main: what it comes to is then nobody's.
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** A real client of GitHub, but for the way there. */
class ClientInWorld extends GithubClient {
  readonly #outside: Outside;
  readonly #token: "github-token" | "job-token";
  readonly #limit = new RateLimitQuiet();

  constructor(outside: Outside, token: "github-token" | "job-token") {
    super({ apiUrl: "http://127.0.0.1:1", token: "a token", owner: "o", repo: "r", clock: outside.clock });
    this.#outside = outside;
    this.#token = token;
  }

  override async request(call: GithubCall): Promise<GithubAnswer> {
    call.signal?.throwIfAborted();
    const now = this.clock.now();
    if (this.#limit.leftMs(now) > 0) throw new GithubUnavailableError(call.need.task, "its rate limit");
    const [method = "GET", route = ""] = call.route.split(" ");
    const given: Record<string, unknown> = { owner: "o", repo: "r", ...call.parameters };
    const path = route.replace(/\{(\w+)\}/g, (_, name: string) => String(given[name]));
    const etag = call.headers?.["if-none-match"];
    const asking = this.#outside.askGithub({ token: this.#token, method, path, parameters: given, etag });
    const said = await orAborted(asking, call.signal);
    if (said === undefined) throw new GithubUnavailableError(call.need.task, "no answer");
    const { data, headers, status } = said;
    if (status >= 400 && isRateLimit(status, headers, "")) this.#limit.note(headers, now);
    if (status >= 300)
      return judgeFailure(
        call,
        Object.assign(new Error("refused"), { status, response: { data, headers } }),
        this.#limit.leftMs(now),
      );
    if (typeof data !== "object") throw new GithubUnavailableError(call.need.task, "a page came");
    return { status, data, headers };
  }
}
