import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Ledger } from "../../../src/action/ledger.ts";
import { reportUse } from "../../../src/action/report-use.ts";
import type { ServiceRoom } from "../../../src/action/rooms.ts";
import type { Report } from "../../../src/provisioning/report.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";
import { RecordedLog } from "../support/recorded-log.ts";

const HOUR = 3_600_000;

let clock: HandWoundClock;
let log: RecordedLog;

beforeEach(() => {
  clock = new HandWoundClock();
  log = new RecordedLog();
  vi.stubEnv("GITHUB_STEP_SUMMARY", undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A machine at 0.60 USD per hour that ran from the start of the test on. */
function report(gone?: number): Report {
  const start = clock.start;
  return {
    instanceId: 7,
    offer: { id: 11, machine_id: 100, gpu_name: "RTX 4090", num_gpus: 1 },
    price: { total: 0.6, storage: 0 },
    at: { asked: start, created: start, running: start, gone },
    last: "ready",
  };
}

async function reporting(reports: Report[], used: { destroyed?: number[]; undestroyed?: string[] } = {}) {
  await clock.advance(2 * HOUR);
  const written = new Map(reports.map((each, index) => [index + 1, each]));
  const ledger: Ledger = {
    prefix: "ghr1.1.2-1.abcdef",
    runners: new Map(),
    pending: new Map(),
    created: new Map(),
    reports: written,
  };
  // All that is asked of the room here.
  const room = { clock, log } as unknown as ServiceRoom;
  await reportUse(room, ledger, { destroyed: [], undestroyed: [], ...used }, { jobs: undefined, jobStatus: "success" });
}

test("nothing was rented", async () => {
  await reporting([]);
  expect(log.lines).toEqual(["Nothing was rented."]);
});

test("what a machine cost that gave itself back after an hour", async () => {
  await reporting([report(clock.start + HOUR)]);
  expect(log.lines).toEqual(["Nothing is rented any more. It cost about 0.60 USD, bytes not counted."]);
});

test("what post destroyed was there until now, whatever main had seen", async () => {
  await reporting([report(clock.start + HOUR)], { destroyed: [7] });
  expect(log.lines).toEqual(["Nothing is rented any more. It cost about 1.20 USD, bytes not counted."]);
});

test("a machine of which nothing was written down: its cost is not known, and not made up", async () => {
  await reporting([], { destroyed: [8] });
  expect(log.lines[0]).toContain("What instance 8 cost is not known");
});

test("does not say that nothing is rented while something may still bill", async () => {
  await reporting([report()], { undestroyed: ["instance 7"] });
  expect(log.lines).toEqual([]);
});

describe("the job's summary", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "summary-"));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test("one that can't be written is only told", async () => {
    vi.stubEnv("GITHUB_STEP_SUMMARY", join(folder, "no", "such", "folder"));
    await reporting([report()]);
    expect(log.warnings).toEqual([expect.stringContaining("The job summary could not be written")]);
  });
});
