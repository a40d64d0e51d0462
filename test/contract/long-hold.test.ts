import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, test, vi } from "vitest";
import { OPERATION_NAMES } from "../../simulator/github/operation-name.ts";
import { SERVICE_OPERATIONS } from "../../simulator/scenario/fault.ts";
import { startService } from "../../simulator/service/start-service.ts";
import type { FleetDeps } from "../../src/fleet/deps.ts";
import { runFleet } from "../../src/fleet/loop.ts";
import { rulesOf } from "../../src/fleet/options.ts";
import { recordsOf } from "../../src/fleet/recording/records.ts";
import { emptyFleet } from "../../src/fleet/state.ts";
import { Registrations } from "../../src/github/registrations.ts";
import { ServiceClient } from "../../src/marketplace/vast/service-client.ts";
import { VastMarketplace } from "../../src/marketplace/vast/vast-marketplace.ts";
import { ProgressLog } from "../../src/report/progress-log.ts";
import { AttachedRunner } from "../simulator/support/attached-runner.ts";
import { windingClock } from "../simulator/support/hand-clock.ts";
import { someOptions, someRules } from "../unit/support/a-fleet.ts";
import { aReadyMachine } from "../unit/support/a-machine.ts";
import { RecordedLog } from "../unit/support/recorded-log.ts";
import { RentingWorld } from "../unit/support/renting-world.ts";
import { GPU_JOB, NAME, openGithub, RENT_JOB, LABEL as RUNNER_LABEL } from "./support/github-under-contract.ts";

const HOUR = 3600;
const LABEL = "ghr1.1.4711-1.abcdef.1.1";

const LIMIT = "API rate limit exceeded";
const PAGE = { kind: "text", text: "<html>Sign in to the guest network</html>" };
const down = (status: number, message: string) => ({ kind: "status", status, body: { message } });
/** What each answer of GitHub is, from when to when, in seconds from the start, and what each of the service. */
const TROUBLES: [from: number, to: number, github: object | undefined, service?: object][] = [
  [3600, 5400, down(503, "Unicorn")],
  [5700, 6600, down(401, "Bad credentials")],
  [7200, 9000, { ...down(403, LIMIT), headers: { "x-ratelimit-remaining": "0" } }],
  [9300, 9900, { kind: "reset" }],
  [10_000, 10_200, PAGE],
  [10_800, 12_000, undefined, down(503, "Unicorn")],
  [12_300, 12_600, undefined, down(429, LIMIT)],
  [12_900, 13_200, undefined, PAGE],
  [13_500, 13_800, undefined, { kind: "refuse" }],
  [13_900, 14_400, undefined, down(401, "Bad credentials")],
];
/** The service does not hear of the machine. */
const SILENT: [from: number, to: number] = [14_700, 15_900];

afterEach(() => {
  vi.restoreAllMocks();
});

const TUNING = someOptions({ machines: 1, hedge: false, searchTimeout: 0, maxLifetime: 6 * HOUR * 1000 });

/** GitHub and the service with one machine, whose job runs so long and then ends it, and all of these troubles. */
async function openWorld(jobSeconds: number) {
  const open = new AsyncDisposableStack();
  const world = open.use(await openGithub());
  const { clock, github } = world;
  const start = clock.now();
  const service = open.use(await startService({ clock, scenario: { user: { credit: 100 } } }));
  const at = (seconds: number, then: () => void) => void clock.after(seconds * 1000, then);
  const always = (operations: readonly string[], fault?: object) =>
    fault === undefined ? [] : operations.map((operation) => ({ operation, ...fault }) as never);
  const put = (ofGithub?: object, ofService?: object) => {
    github.setFaults(always(OPERATION_NAMES, ofGithub));
    service.setFaults(always(SERVICE_OPERATIONS, ofService));
  };
  for (const [from, to, ...faults] of TROUBLES) {
    at(from, () => put(...faults));
    at(to, () => put());
  }
  const { id } = service.leaveBehind(LABEL);
  for (const [index, actual_status] of ["offline", "running"].entries())
    at(SILENT[index] ?? 0, () => service.update(id, { actual_status }));
  const run = world.addRun([RENT_JOB, GPU_JOB, { name: "other", labels: ["ubuntu-latest"] }]);
  at(jobSeconds, () => {
    run.job("test").complete();
    service.update(id, "destroyed");
  });
  // The list of jobs changes every minute, as with each step of a job.
  const change = () => {
    run.job("other").setStatus(run.job("other").status === "queued" ? "in_progress" : "queued");
    at(60, change);
  };
  change();
  clock.advance(60);
  return { ...world, start, service, run, id, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
type World = Awaited<ReturnType<typeof openWorld>>;

/** Takes the world's job, and is heard of until it is over. */
async function serveJob({ github, run }: World, jitConfig: string): Promise<void> {
  const runner = new AttachedRunner(github, jitConfig);
  await runner.connect();
  await runner.takeJob();
  void (async () => {
    while (run.job("test").status !== "completed") await runner.poll();
  })().catch(() => {});
}

/** Holds the machine in that world with the real clients, as main does. */
async function holdIn(world: World, signal: AbortSignal) {
  const clock = windingClock(world.clock);
  const log = new RecordedLog();
  const tools = { runners: world.runners, clock, log, mask: () => {} };
  const runners = new Registrations(tools, RUNNER_LABEL, "gpu-4711-1-abcdef-");
  const { id: runnerId, jitConfig } = await runners.registerRunner(NAME);
  await serveJob(world, jitConfig);
  const { jobs, service: at } = world;
  await using service = new VastMarketplace(new ServiceClient({ baseUrl: at.url, apiKey: at.apiKey, clock }));
  const own = { checkRunId: world.run.job("rent").id, runnerName: "hosted-1", jobName: "rent" };
  const others = new RentingWorld();
  const deps: FleetDeps = {
    ...others.deps,
    ...{ service, runners, clock, log, signal },
    listJobs: (stop) => jobs.listOrUndefined(stop),
    lookAtJob: (id, stop) => jobs.lookAt(id, stop),
    readJobLog: async () => "",
    whose: { runnerLabel: RUNNER_LABEL, runnerNamePrefix: "gpu-4711-1-abcdef", own },
    requestsLeft: () => jobs.requestsLeft,
    requestsCounted: () => jobs.requestsCounted,
  };
  const now = clock.now();
  const times = { askedAt: now, createdAt: now, readyAt: now, deadline: now + 6 * HOUR * 1000 };
  const slots = [{ runnerId, runnerName: NAME, runner: "online" as const, onlineAt: now }];
  const machine = aReadyMachine({ instanceId: world.id, slots, ...times });
  machine.timing.lifeMs = TUNING.maxLifetime;
  const fleet = { ...emptyFleet(now), machines: [machine] };
  const request = others.request(someRules().rental);
  const progress = new ProgressLog(deps, request, rulesOf(TUNING, request));
  const end = await runFleet(deps, request, TUNING, fleet, { looked: progress.look.bind(progress) });
  return { end, log, report: recordsOf(fleet)[0] };
}

/** The most moments within any hour; in seconds. */
function mostPerHour(moments: readonly number[]): number {
  return Math.max(0, ...moments.map((from) => moments.filter((at) => at >= from && at < from + HOUR).length));
}

/** The moments of requests that count against that token's limit: unchanged answers do not. */
function counted({ github, start }: World, whose: string): number[] {
  const entries = github.journal.entries.filter(({ token, status }) => token === whose && status !== 304);
  return entries.map(({ at }) => (Date.parse(at) - start) / 1000);
}

/** The heap in use, after everything else was thrown away. */
async function heapInUse(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let round = 0; round < 3; round += 1) {
    // What is held weakly lives to the end of a turn, and what is told of its end keeps more until it was told.
    await setImmediate();
    collect();
  }
  return process.memoryUsage().heapUsed;
}

/** It only computes, and no simulated time stands still for a busy computer. */
const TIMEOUT_MS = 600_000;

test(
  "holds of 5 hours outlive outages, refused tokens and rate limits, ask seldom, end with their job, and leave nothing",
  async () => {
    // Each ends after its time, of which this world has none.
    vi.spyOn(AbortSignal, "timeout").mockImplementation(() => new AbortController().signal);
    const warnings: string[] = [];
    const note = (warning: Error) => void warnings.push(warning.name);
    process.on("warning", note);
    const cancel = new AbortController();
    // What is kept of each request grows in every hold. Code that is compiled, and buffers, grow in the first ones only.
    let grownMb = Number.POSITIVE_INFINITY;
    for (let hold = 0; hold < 5 && grownMb >= 4; hold += 1) {
      const before = await heapInUse();
      await holdAndJudge(cancel.signal);
      grownMb = ((await heapInUse()) - before) / 1e6;
    }
    process.removeListener("warning", note);
    expect(warnings).toEqual([]);
    expect(getEventListeners(cancel.signal, "abort")).toEqual([]);
    // Of thousands of requests: what was kept of each would be more.
    expect(grownMb).toBeLessThan(4);
  },
  TIMEOUT_MS,
);

async function holdAndJudge(signal: AbortSignal): Promise<void> {
  await using world = await openWorld(5 * HOUR);
  const { end, log, report } = await holdIn(world, signal);
  expect(end).toMatchObject({ kind: "over", bad: [] });
  expect(world.clock.now() - world.start).toBeGreaterThanOrEqual(5 * HOUR * 1000);
  // Not one request that could have cost the machine or its runner.
  const ofRunners = world.github.journal.entries.filter(({ path }) => path.includes("runners/"));
  expect(ofRunners.filter(({ status }) => Number(status) >= 400 && Number(status) < 500)).toEqual([]);
  expect(report?.last).toBe("gave itself back");
  // A lasting state is told once, not at each look.
  expect(log.lines.length + log.warnings.length).toBeLessThan(60);
  // While the job runs: that it came, and that its machine went, is asked for at once. Also while GitHub fails.
  const running = counted(world, "job").filter((at) => at > 120 && at < 5 * HOUR);
  // Within 45 minutes its runner is asked for, and then the list of jobs every 3 s, of which changes count.
  expect(mostPerHour(running.filter((at) => at < HOUR / 2))).toBeLessThanOrEqual(60);
  expect(mostPerHour(running)).toBeLessThanOrEqual(120);
  expect(running.length).toBeGreaterThan(150);
  // Its registration, and a look at it when the service misses its heartbeat.
  expect(mostPerHour(counted(world, "runner"))).toBeLessThan(10);
}
