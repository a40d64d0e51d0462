import { expect, test } from "vitest";
import type { FleetDeps } from "../../../src/fleet/deps.ts";
import type { FleetOptions } from "../../../src/fleet/options.ts";
import { plan } from "../../../src/fleet/plan/plan.ts";
import { ProgressLog } from "../../../src/fleet/progress-log.ts";
import type { Fleet } from "../../../src/fleet/state.ts";
import { aFleet, aPolicy, booting, busy, gpuJobs, NOW, starting } from "../support/a-fleet.ts";
import { RecordedLog } from "../support/recorded-log.ts";

const SECOND = 1000;

/** The lines of one look. */
function told(fleet: Fleet, given: Partial<FleetOptions> = {}): string[] {
  const log = new RecordedLog();
  const policy = aPolicy(given);
  const deps = { log, requestsLeft: () => undefined } as Partial<FleetDeps> as FleetDeps;
  new ProgressLog(deps, policy).tell(fleet, plan(fleet, policy, NOW), NOW);
  return [...log.lines, ...log.warnings];
}

const one = { jobs: gpuJobs({ waiting: 1 }) };

test("a machine that boots for longer than expected is late by that", () => {
  const slow = booting(1, { createdAt: NOW - 130 * SECOND });
  expect(told(aFleet([slow], one))).toContain("machine 1: late (2m 10s, expected 1m 40s): starting another one.");
});

test("one that ran in time, and whose runner is not online, is late by that: not sooner than expected", () => {
  const slow = starting(1, { createdAt: NOW - 90 * SECOND, runningAt: NOW - 65 * SECOND });
  expect(told(aFleet([slow], one))).toContain(
    "machine 1: late (it runs for 1m 5s, and its runner is not online): starting another one.",
  );
});

test("another one is told where it is started, not where it has to wait", () => {
  const slow = booting(1, { createdAt: NOW - 130 * SECOND });
  expect(told(aFleet([slow], { ...one, repositoryAlive: 8 }))).toContain("machine 1: late (2m 10s, expected 1m 40s).");
});

test("as many machines as the repository may have: other runs are waited for where they have some of them", () => {
  const jobs = gpuJobs({ waiting: 4, running: 2 });
  const full = (repositoryAlive: number) => aFleet([busy(1), busy(2)], { jobs, repositoryAlive });
  expect(told(full(8))).toContain(
    "8 of 8 machines of this repository are alive (machines-per-repository); waiting for another run.",
  );
  expect(told(full(2), { machinesPerRepository: 2 })).toContain(
    "2 of 2 machines of this repository are alive (machines-per-repository), all of this job; waiting for one of them.",
  );
});

test("wait-for-job: 0s waits for no job, and rents", () => {
  const none = aFleet([], { jobs: gpuJobs({}) });
  expect(told(none).join()).toContain("Waiting up to 30m; nothing is rented.");
  expect(told(none, { waitForJobMs: 0 })).toContain(
    "No job asks for the GPU runner yet (1 other job in this run, 0 of them open). wait-for-job: 0s rents at once.",
  );
});
