import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, test, vi } from "vitest";
import type { FleetDeps } from "../../src/fleet/deps.ts";
import { runFleet } from "../../src/fleet/loop.ts";
import { type FleetRequest, rulesOf } from "../../src/fleet/options.ts";
import { recordsOf } from "../../src/fleet/recording/records.ts";
import { emptyFleet, type FleetState } from "../../src/fleet/state.ts";
import { GithubClient } from "../../src/github/github-client.ts";
import { RunJobs } from "../../src/github/jobs.ts";
import { Registrations } from "../../src/github/registrations.ts";
import { Runners } from "../../src/github/runners.ts";
import { ServiceClient } from "../../src/marketplace/vast/service-client.ts";
import { VastMarketplace } from "../../src/marketplace/vast/vast-marketplace.ts";
import { ProgressLog } from "../../src/report/progress-log.ts";
import { someOptions, someRules } from "../unit/support/a-fleet.ts";
import { aReadyMachine } from "../unit/support/a-machine.ts";
import { aRun } from "../unit/support/a-run.ts";
import { someRequirements } from "../unit/support/an-offer.ts";
import { RecordedLog } from "../unit/support/recorded-log.ts";
import { type LongWorld, longWorld, type Trouble } from "./support/world-of-five-hours.ts";

const HOUR = 3600;
const TROUBLES: readonly Trouble[] = [
  { side: "github", kind: "down", from: 3600, to: 5400 },
  { side: "github", kind: "refused", from: 5700, to: 6600 },
  { side: "github", kind: "rate-limit", from: 7200, to: 9000 },
  { side: "github", kind: "reset", from: 9300, to: 9900 },
  { side: "github", kind: "page", from: 10_000, to: 10_200 },
  { side: "service", kind: "down", from: 10_800, to: 12_000 },
  { side: "service", kind: "rate-limit", from: 12_300, to: 12_600 },
  { side: "service", kind: "page", from: 12_900, to: 13_200 },
  { side: "service", kind: "reset", from: 13_500, to: 13_800 },
  { side: "service", kind: "refused", from: 13_900, to: 14_400 },
  { side: "service", kind: "silent-host", from: 14_700, to: 15_900 },
];
const RUN = aRun({ repo: "lib", apiUrl: "" });

afterEach(() => {
  vi.restoreAllMocks();
});

const TUNING = someOptions({ machines: 1, hedge: false, searchTimeout: 0, maxLifetime: 6 * HOUR * 1000 });

/** Holds a machine in that world with the real clients, as main does. */
async function holdIn(world: LongWorld, signal: AbortSignal) {
  const { clock, url } = world;
  const log = new RecordedLog();
  const github = { apiUrl: url, owner: "octo", repo: "lib", clock };
  const registrar = new Runners(new GithubClient({ ...github, token: "registrar" }));
  const jobs = new RunJobs(new GithubClient({ ...github, token: "job" }), RUN);
  const runners = new Registrations(
    { runners: registrar, clock, log, mask: () => {} },
    RUN.runnerLabel,
    "gpu-4711-1-abcdef-",
  );
  await runners.registerRunner("gpu-4711-1-abcdef-1");
  await using service = new VastMarketplace(new ServiceClient({ baseUrl: url, apiKey: "key", clock }));
  const nothing = () => {};
  const deps: FleetDeps = {
    service,
    runners,
    ledger: { runners: nothing, pending: nothing, created: nothing, report: nothing },
    clock,
    log,
    signal,
    listJobs: (stop) => jobs.listOrUndefined(stop),
    lookAtJob: (id, stop) => jobs.lookAt(id, stop),
    readJobLog: async () => "",
    lookUpImage: async () => undefined,
    whose: {
      runnerLabel: RUN.runnerLabel,
      runnerNamePrefix: "gpu-4711-1-abcdef",
      own: { checkRunId: 1, runnerName: "hosted-1", jobName: "rent" },
    },
    history: { known: new Map(), isKept: false, usualJobMs: () => undefined, note: nothing },
    requestsLeft: () => jobs.requestsLeft,
    requestsCounted: () => jobs.requestsCounted,
    aliveOfRepository: (instances) => instances.map(({ id }) => id),
  };
  const fleet = heldFleet(clock.now());
  const request = {
    ...someRules().rental,
    offer: someRequirements(),
    prefix: "ghr1.1.4711-1.abcdef",
    instance: { image: "debian:13" },
    image: { name: "debian:13", bytes: undefined, isDevel: false, decidesBoot: true },
  } as unknown as FleetRequest;
  const progress = new ProgressLog(deps, request, rulesOf(TUNING, request));
  const end = await runFleet(deps, request, TUNING, fleet, { looked: progress.look.bind(progress) });
  return { end, log, report: recordsOf(fleet)[0] };
}

/** One machine that was ready a moment ago. */
function heldFleet(now: number): FleetState {
  const machine = aReadyMachine({
    askedAt: now,
    createdAt: now,
    readyAt: now,
    deadline: now + 6 * HOUR * 1000,
  });
  machine.timing.lifeMs = TUNING.maxLifetime;
  for (const slot of machine.slots) slot.onlineAt = now;
  return { ...emptyFleet(now), machines: [machine] };
}

/** The most moments within any hour; in seconds. */
function mostPerHour(moments: readonly number[]): number {
  return Math.max(0, ...moments.map((from) => moments.filter((at) => at >= from && at < from + HOUR).length));
}

/** The moments of requests that count against that token's limit: unchanged answers do not. */
function counted({ answered }: LongWorld, token: string): number[] {
  return answered.filter((each) => each.token === token && each.status !== 304).map(({ at }) => at);
}

/** The heap in use, after everything else was thrown away. */
function heapInUse(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let round = 0; round < 3; round += 1) collect();
  return process.memoryUsage().heapUsed;
}

test("a hold of 5 hours outlives outages, refused tokens and rate limits, asks seldom, and ends with its job", async () => {
  await using world = await longWorld(5 * HOUR, TROUBLES);
  const { end, log, report } = await holdIn(world, new AbortController().signal);
  expect(end).toMatchObject({ kind: "over", bad: [] });
  expect(world.clock.elapsed()).toBeGreaterThanOrEqual(5 * HOUR);
  // Not one request that could have cost the machine or its runner.
  expect(
    world.answered.filter(({ path }) => path.includes("runners/")).every(({ status }) => status < 400 || status > 499),
  ).toBe(true);
  expect(report?.last).toBe("gave itself back");
  // A lasting state is told once, not at each look.
  expect(log.lines.length + log.warnings.length).toBeLessThan(60);
  // While the job runs: that it came, and that its machine went, is asked for at once. Also while GitHub fails.
  const running = counted(world, "job").filter((at) => at > 60 && at < 5 * HOUR);
  expect(mostPerHour(running)).toBeLessThanOrEqual(60);
  expect(counted(world, "job").length).toBeGreaterThan(150);
  // Its registration, and a look at it when the service misses its heartbeat.
  expect(mostPerHour(counted(world, "registrar"))).toBeLessThan(10);
});

test("nothing of it grows: no listener, no memory, no warning of the process", async () => {
  // Each ends after its time, of which this world has none.
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => new AbortController().signal);
  const warnings: string[] = [];
  const note = (warning: Error) => void warnings.push(warning.name);
  process.on("warning", note);
  const cancel = new AbortController();
  const holdFor = async (hours: number) => {
    await using world = await longWorld(hours * HOUR, TROUBLES);
    await holdIn(world, cancel.signal);
  };
  // What a first one leaves is not growth: code that is compiled, and buffers.
  await holdFor(5);
  const before = heapInUse();
  await holdFor(5);
  const growth = heapInUse() - before;
  process.removeListener("warning", note);
  expect(warnings).toEqual([]);
  expect(getEventListeners(cancel.signal, "abort")).toEqual([]);
  // Some 1,600 requests: what was kept of each would be more.
  expect(growth / 1e6).toBeLessThan(4);
});
