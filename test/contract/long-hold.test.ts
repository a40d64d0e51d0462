import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, test, vi } from "vitest";
import { heldMachine } from "../../src/action/held-machine.ts";
import { holdingDeps } from "../../src/action/hold-machine.ts";
import { runnerPort } from "../../src/action/platform/github-ports.ts";
import type { Rooms } from "../../src/action/platform/rooms.ts";
import type { RunContext } from "../../src/action/platform/run-context.ts";
import { Fleet } from "../../src/fleet/fleet.ts";
import { hold } from "../../src/fleet/hold.ts";
import type { Ready } from "../../src/fleet/renter.ts";
import { GithubClient } from "../../src/github/github-client.ts";
import { RunJobs } from "../../src/github/run-jobs.ts";
import { Runners } from "../../src/github/runners.ts";
import type { Report } from "../../src/machine/report.ts";
import { ServiceClient } from "../../src/service/service-client.ts";
import { anOffer } from "../unit/support/an-offer.ts";
import { mostPerHour } from "../unit/support/holding-world.ts";
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
const RUN: RunContext = {
  owner: "octo",
  repo: "lib",
  repositoryId: 1,
  runId: 4711,
  attempt: 1,
  jobName: "rent",
  runnerName: "hosted-1",
  apiUrl: "",
  serverUrl: "https://github.com",
  runnerLabel: "gpu-4711-1",
};

afterEach(() => {
  vi.restoreAllMocks();
});

/** Holds a machine in that world with the real clients, as main does. */
async function holdIn(world: LongWorld, signal: AbortSignal) {
  const { clock, url } = world;
  const log = new RecordedLog();
  const github = { apiUrl: url, owner: "octo", repo: "lib", clock };
  const registrar = new Runners(new GithubClient({ ...github, token: "registrar" }));
  const jobs = new RunJobs(new GithubClient({ ...github, token: "job" }), RUN);
  const runnerIds = new Set([21]);
  const runners = runnerPort({ runners: registrar, clock, log }, jobs, RUN.runnerLabel, runnerIds);
  await runners.mint("gpu-4711-1-abcdef-1");
  await using service = new ServiceClient({ baseUrl: url, apiKey: "key", clock });
  const fleet = new Fleet({ service, runners, clock, log });
  const nothing = () => {};
  const ledger = { runner: nothing, pending: nothing, created: nothing, report: nothing };
  const names = { prefix: "ghr1.1.4711-1.abcdef", runnerNamePrefix: "gpu-4711-1-abcdef" };
  const use = {
    service,
    fleet,
    runners,
    ledger,
    clock,
    log,
    signal,
    runnerIds,
    rented: new Set([7]),
    reports: new Map(),
    isGivenBack: false,
    ...names,
  };
  const price = { total: 0.4, storage: 0.01 };
  const report: Report = {
    instanceId: 7,
    offer: anOffer(),
    price,
    at: { asked: clock.now(), created: clock.now() },
    last: "ready",
  };
  const machine: Ready = {
    n: 1,
    instanceId: 7,
    runner: { id: 21, name: "gpu-4711-1-abcdef-1" },
    candidate: { offer: anOffer(), price },
    deadline: clock.now() / 1000 + 6 * HOUR,
    cutBy: "max-lifetime",
    report,
    instance: undefined,
    secondsToReady: 60,
    hideSecrets: String,
  };
  const rooms = { clock, log, jobs } as unknown as Rooms;
  const deps = holdingDeps({ inputs: { "job-check-run-id": "1" }, run: RUN, rooms, runnerIds, signal });
  const end = await hold(deps, heldMachine(rooms, use, machine), { hold: "auto", idleTimeoutMs: 300_000 });
  return { end, log, report };
}

/** The moments of the requests that count against that token's limit: an unchanged answer does not. */
function counted({ answered }: LongWorld, token: string): number[] {
  return answered.filter((each) => each.token === token && each.status !== 304).map(({ at }) => at);
}

/** What is still in use, after everything else was thrown away. */
function heapInUse(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let round = 0; round < 3; round += 1) collect();
  return process.memoryUsage().heapUsed;
}

test("a hold of 5 hours outlives outages, refused tokens and rate limits, and ends with its job", async () => {
  await using world = await longWorld(5 * HOUR, TROUBLES);
  const { end, log, report } = await holdIn(world, new AbortController().signal);
  expect(end).toMatchObject({ kind: "over", bad: [] });
  expect(world.clock.elapsed()).toBeGreaterThanOrEqual(5 * HOUR);
  // Not one request that could have cost the machine or its runner.
  expect(
    world.answered.filter(({ path }) => path.includes("runners/")).every(({ status }) => status < 400 || status > 499),
  ).toBe(true);
  expect(report.last).toBe("gave itself back");
  // What lasts is told once, not at each look.
  expect(log.lines.length + log.warnings.length).toBeLessThan(60);
});

test("it asks GitHub no more than 60 times in any hour, but for what costs nothing, also while GitHub fails", async () => {
  await using world = await longWorld(5 * HOUR, TROUBLES);
  await holdIn(world, new AbortController().signal);
  // While the job runs: that it came, and that its machine went, is asked for at once.
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
  await holdFor(0.9);
  const before = heapInUse();
  await holdFor(5);
  const growth = heapInUse() - before;
  process.removeListener("warning", note);
  expect(warnings).toEqual([]);
  expect(getEventListeners(cancel.signal, "abort")).toEqual([]);
  // Some 1,600 requests: what was kept of each would be more.
  expect(growth / 1e6).toBeLessThan(4);
});
