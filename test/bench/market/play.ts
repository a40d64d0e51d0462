import { fleetOptions, fleetRequest } from "../../../src/action/request.ts";
import type { FleetDeps } from "../../../src/fleet/deps.ts";
import { type FleetWatcher, runFleet } from "../../../src/fleet/loop.ts";
import { emptyFleet, type Fleet } from "../../../src/fleet/state.ts";
import { KeptHistory } from "../../../src/history/kept-history.ts";
import type { Log } from "../../../src/shared/log.ts";
import { aRun, aSessionIn, inputsOf } from "../../unit/support/a-run.ts";
import { HandWoundClock } from "../../unit/support/hand-wound-clock.ts";
import type { Market } from "./market.ts";
import { type Outcome, TRIAL_SECONDS } from "./outcome.ts";
import { BenchWorld } from "./world.ts";

/** A session on a market: its jobs, and the inputs that differ from their defaults. */
export interface Play {
  jobs: number;
  jobSeconds: number;
  inputs?: Readonly<Record<string, string>>;
  /** More machines than the input `machines` can be. */
  machines?: number;
  /** How wrong the size of the image is that the action assumes. */
  sizeFactor?: number;
}

const RUN = aRun();
const SESSION = aSessionIn(RUN);
const SILENT: Log = { info() {}, warning() {}, stage: async (_title, work) => await work() };

/** What a session finds, and who watches it. */
interface Surroundings {
  history?: KeptHistory;
  hour?: number;
  happened?: FleetWatcher["happened"];
}

/** Plays one session: the loop of the action itself, with its own inputs, order, limits and plan. */
export async function play(
  market: Market,
  trial: number,
  { jobs, jobSeconds, inputs = {}, machines, sizeFactor = 1 }: Play,
  { history = new KeptHistory(), hour = 0, happened }: Surroundings = {},
): Promise<Outcome & { startedAt: number; endedAt: number }> {
  const clock = new HandWoundClock();
  await clock.advance(hour * 3_600_000);
  const startedAt = clock.now();
  const world = new BenchWorld(clock, market, trial, { count: jobs, seconds: jobSeconds, label: RUN.runnerLabel });
  const usual = { "gpu-name": "RTX 4090", "max-price": "1", "max-cost": "none", image: "octo/image:1" };
  const read = inputsOf({ ...usual, ...inputs });
  const imageBytes = market.shape.imageGb * sizeFactor * 1e9;
  const request = fleetRequest(read, RUN, { ...SESSION, imageBytes });
  const cancel = new AbortController();
  const deps: FleetDeps = {
    service: world.service,
    runners: world.runners,
    ledger: { runners() {}, pending() {}, created() {}, report() {} },
    clock,
    log: SILENT,
    signal: cancel.signal,
    listJobs: () => world.listJobs(),
    lookAtJob: async (id) => (await world.listJobs()).find((job) => job.id === id) ?? "gone",
    readJobLog: async () => "",
    lookUpImage: async () => undefined,
    whose: {
      runnerLabel: RUN.runnerLabel,
      runnerNamePrefix: SESSION.runnerNamePrefix,
      own: { checkRunId: 1, runnerName: undefined, jobName: "rent" },
    },
    requestsLeft: () => undefined,
    requestsCounted: () => world.countedSince(clock.now() - 3_600_000),
    history,
    aliveOfRepository: (instances) => instances.map(({ id }) => id),
  };
  const fleet = emptyFleet(clock.now());
  const readyAt = new Map<number, number>();
  const looked = ({ machines }: Fleet) => {
    for (const machine of machines)
      if (machine.readyAt !== undefined) readyAt.set(machine.machineNo, world.seconds(machine.readyAt));
  };
  const options = fleetOptions(read, RUN);
  const watcher = { looked, ...(happened && { happened }) };
  await clock.run(runFleet(deps, request, { ...options, machines: machines ?? options.machines }, fleet, watcher));
  const times = world.jobTimes();
  world.end();
  // As main sees them, in the order in which they came; a job whose machine came later than the
  // trial lasts has none.
  const came = [...readyAt.values()].toSorted((left, right) => left - right).filter((at) => at <= TRIAL_SECONDS);
  const began = times.map((job) => job.began).toSorted((left, right) => left - right);
  // Of fewer machines than jobs the later ones are as ready as their jobs began.
  const ready = began.map((at, index) => came[index] ?? at);
  const end = Math.max(...times.map(({ ended }) => ended));
  return { ready, end, bills: world.bills(), startedAt, endedAt: clock.now() };
}
