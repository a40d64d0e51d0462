import { sweepFirst } from "../../src/action/before-renting.ts";
import { drawUse } from "../../src/create/label.ts";
import type { MachineRecord } from "../../src/create/machine-record.ts";
import type { LedgerPort } from "../../src/create/rent.ts";
import type { FleetDeps } from "../../src/fleet/deps.ts";
import { runFleet } from "../../src/fleet/loop.ts";
import type { FleetOptions, FleetRequest } from "../../src/fleet/options.ts";
import { emptyFleet, type Fleet } from "../../src/fleet/state.ts";
import { NO_HISTORY } from "../../src/market/history.ts";
import type { Log } from "../../src/shared/log.ts";
import { attemptAsker } from "../../src/sweep/leftovers.ts";
import { type Sweep, sweepAll } from "../../src/sweep/sweep.ts";
import { destroySession, remainsOf, type SessionDestroyed } from "../../src/teardown/destroy-session.ts";
import type { Session } from "../../src/teardown/session.ts";
import type { Outgoing } from "../../src/vast/connection.ts";
import type { RawAnswer } from "../../src/vast/refusals.ts";
import { ServiceClient } from "../../src/vast/service-client.ts";
import { someWishes } from "../unit/support/an-offer.ts";
import type { Touches } from "./events.ts";
import { keyOfFleet } from "./fleet-key.ts";
import { attemptsOf, jobsOf, RUNNER_LABEL, runnersOf } from "./github-in-world.ts";
import { createLeaves, type Watch } from "./invariants.ts";
import { connectionTo, FAULTS, type ServiceFault, serve } from "./service-in-world.ts";
import type { Turns } from "./turns.ts";
import { deadlineOf, numberIn, PREFIX, REPOSITORY_ID, RUN_ID, toMs, toSeconds, type World } from "./world.ts";

// How main ended is told to the platform by this file; the model keeps its own ledger.
process.env.GITHUB_STATE = "/dev/null";

/** A mutant's changes where the process under test is put together. */
export interface Mutation {
  service?: (service: ServiceClient, turns: Turns) => ServiceClient;
  ledger?: (ledger: LedgerPort) => LedgerPort;
}

/** Given to every act. */
export interface Acting {
  watch: Watch;
  mutation: Mutation;
}

const LOG: Log = { info() {}, warning() {}, stage: (_title, work) => work() };
/** Of destroying, in seconds (src/action/run-post.ts). */
const POST_S = 210;
const MOST_CREATES = 3;
const SWEEPING_RUN = 6000;

/** Long enough for each stage to be seen, to be missed, and to be seen late; `STEP_S` is 15 s. */
const LIMITS = { bootMs: 15_000, onlineMs: 15_000, readyMs: 3_600_000, lifetimeMs: 30_000, idleMs: 60_000 };

const REQUEST: FleetRequest = {
  prefix: PREFIX,
  runnerNamePrefix: `${RUNNER_LABEL}-${PREFIX.slice(-drawUse().length)}`,
  offer: someWishes(),
  instance: { image: "debian:13", runtype: "ssh_proxy", diskGb: 32 },
  image: { name: "debian:13", bytes: undefined, isDevel: false, decidesBoot: false },
  money: {},
  leastMs: 0,
  limits: LIMITS,
  jobsPerMachine: 1,
  onstart: "#!/bin/bash\n",
  env: () => ({}),
};

const TUNING: Omit<FleetOptions, "machines"> = {
  jobs: "auto",
  hedge: false,
  hold: true,
  maxPrice: Number.POSITIVE_INFINITY,
  attempts: MOST_CREATES,
  machinesPerRepository: 10,
  waitForJobMs: 60_000,
  idleMs: 60_000,
  readyMs: LIMITS.readyMs,
  searchMs: 0,
  lifetimeMs: LIMITS.lifetimeMs,
  keepFailedMs: 0,
  attempt: 1,
  hasProbe: false,
  bidFallback: false,
  makesVolume: false,
};

const OWN = { checkRunId: 1, runnerName: undefined, jobName: "rent" };

const TOUCHES: Record<string, Touches> = {
  "create instance": "create",
  "list instances": "list",
  "destroy an instance": "destroy",
};

/** A real client whose requests are turns. */
function serviceOf(turns: Turns, { mutation, watch }: Acting, until = Number.POSITIVE_INFINITY): ServiceClient {
  const { clock, world } = turns;
  const exchange = async (outgoing: Outgoing, signal: AbortSignal | undefined): Promise<RawAnswer> => {
    const { operation, path } = outgoing;
    // Nobody decides by it: no turn.
    if (operation === "search offers") return serve(world, outgoing, undefined, watch);
    if (operation === "create instance") noteCreate(world, outgoing, watch);
    return await turns.ask(
      {
        name: `${operation} ${/\d+(?=\/$)/.exec(path) ?? ""}`.trim(),
        touches: TOUCHES[operation] ?? "instances",
        faults: FAULTS[operation] ?? [],
        serve: (fault) => serve(world, outgoing, fault as ServiceFault | undefined, watch),
        cut: operation === "create instance" ? () => cutCreate(world) : undefined,
      },
      signal,
    );
  };
  const connection = connectionTo(exchange, () => until - clock.now());
  // Each repetition of a read is a turn: four show all that more would.
  const patienceMs = 10_000;
  const service = new ServiceClient({ baseUrl: "http://127.0.0.1:1", apiKey: "key", clock, patienceMs }, connection);
  // A machine's output decides nothing.
  service.requestLogs = async () => "";
  return mutation.service?.(service, turns) ?? service;
}

function noteCreate(world: World, { body, path }: Outgoing, watch: Watch): void {
  const { label } = body as { label: string | undefined };
  createLeaves(world, label, watch);
  const n = numberIn(label) || world.asked.length + 1;
  world.asked.push({ n, offer: Number(/\d+(?=\/$)/.exec(path)), at: world.now, lookedAt: Number.NEGATIVE_INFINITY });
}

/** It was broken off on its way: the service may still carry it out. */
function cutCreate(world: World): void {
  const label = world.written.pending.at(-1)?.[1];
  world.late.push({ n: numberIn(label), label, deadline: deadlineOf(world, label), askedAt: world.now });
}

function ledgerOf({ written }: World, mutation: Mutation): LedgerPort {
  const put = <T extends [number, ...unknown[]]>(rows: T[], row: T) => {
    const at = rows.findIndex(([n]) => n === row[0]);
    rows.splice(at < 0 ? rows.length : at, 1, row);
  };
  const seconds = (moment: number | undefined) => (moment === undefined ? undefined : toSeconds(moment));
  const ledger: LedgerPort = {
    runners: (n, [id = 0]) => put(written.runners, [n, id]),
    pending: (n, label) => put(written.pending, [n, label]),
    created: (n, id) => put(written.created, [n, id]),
    report: (n, { at }) => put(written.reports, [n, seconds(at.created), seconds(at.gone)]),
  };
  return mutation.ledger?.(ledger) ?? ledger;
}

const RUN = {
  owner: "o",
  repo: "r",
  repositoryId: REPOSITORY_ID,
  runId: RUN_ID,
  attempt: 1,
  jobName: "rent",
  runnerName: undefined,
  apiUrl: "https://api.github.com",
  serverUrl: "https://github.com",
  runnerLabel: RUNNER_LABEL,
};

/** The sweep of other runs' leftovers, before main rents. */
export async function firstSweep(turns: Turns, acting: Acting): Promise<void> {
  const { signal } = turns.cancel;
  const service = serviceOf(turns, acting);
  const parts = { service, clock: turns.clock, log: LOG, attempts: attemptsOf(turns, false) };
  const session = { ...parts, run: RUN, repositoryId: async () => REPOSITORY_ID } as unknown as Session;
  const instances = await service.listInstances(signal);
  await sweepFirst(session, { instances, signal });
}

/** The main step from then on, until its loop ends: run-main.ts without inputs and checks. */
export async function main(turns: Turns, acting: Acting): Promise<void> {
  const { cancel, clock, world } = turns;
  const deps: FleetDeps = {
    service: serviceOf(turns, acting),
    runners: runnersOf(turns),
    ledger: ledgerOf(world, acting.mutation),
    clock,
    log: LOG,
    signal: cancel.signal,
    listJobs: jobsOf(turns),
    whose: { runnerLabel: RUNNER_LABEL, runnerNamePrefix: REQUEST.runnerNamePrefix, own: OWN },
    history: { known: NO_HISTORY, isKept: false, note: () => {} },
    requestsLeft: () => undefined,
    aliveOfRepository: () => 0,
  };
  const policy = { ...TUNING, machines: world.machines };
  await runFleet(deps, REQUEST, policy, emptyFleet(clock.now()), (fleet) => rememberOnly(turns, fleet));
}

const LISTS = ["look at the runners", "list the jobs", "list instances"];
/** No list is asked for more seldom. */
const SELDOM_S = 60;

/** The loop knows the fleet, the times of its lists, and the learnings of its acts; no more. */
function rememberOnly(turns: Turns, fleet: Readonly<Fleet>): void {
  const asked = LISTS.map((list) => Math.max(-SELDOM_S, (turns.servedAt.get(list) ?? -SELDOM_S) - turns.world.now));
  const isActing = fleet.machines.some(({ act }) => act !== undefined);
  turns.forget(`${asked} ${keyOfFleet(fleet, turns.clock.now())}`, isActing);
}

/** The post step's first act: gives back what the ledger tells. */
export async function post(turns: Turns, acting: Acting): Promise<SessionDestroyed> {
  const { clock, world } = turns;
  const { created, pending, reports } = world.written;
  const ms = (moment: number | undefined) => (moment === undefined ? undefined : toMs(moment));
  const report = (createdAt: number | undefined) => ({ at: { created: ms(createdAt) } }) as MachineRecord;
  const remains = remainsOf({
    prefix: PREFIX,
    pending: new Map(pending),
    created: new Map(created),
    reports: new Map(reports.map(([n, createdAt]) => [n, report(createdAt)])),
  });
  if (remains === undefined) return { destroyed: [], undestroyed: [] };
  const until = toMs(world.now + POST_S);
  return await destroySession({ service: serviceOf(turns, acting, until), clock, log: LOG, until }, remains);
}

/** The sweep of another run. `doubts`: GitHub can't be asked. */
export async function sweep(turns: Turns, acting: Acting, doubts: boolean): Promise<Sweep> {
  const { clock, cancel } = turns;
  return await sweepAll({
    service: serviceOf(turns, acting),
    clock,
    log: LOG,
    sweeper: { server: "", repositoryId: REPOSITORY_ID, runId: SWEEPING_RUN, attempt: 1 },
    askAttempt: attemptAsker(attemptsOf(turns, doubts), clock, () => {}),
    maxDestroy: 20,
    isDryRun: false,
    signal: cancel.signal,
  });
}
