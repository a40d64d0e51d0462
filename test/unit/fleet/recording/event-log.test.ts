import { mkdtempSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { FleetEvent } from "../../../../src/fleet/events.ts";
import { EventLog } from "../../../../src/fleet/recording/event-log.ts";
import { replay } from "../../../../src/fleet/recording/replay.ts";
import { reduce } from "../../../../src/fleet/reduce.ts";
import { aFleet, booting, gpuJob, gpuJobs, NOW, someRules } from "../../support/a-fleet.ts";
import { RecordedLog } from "../../support/recorded-log.ts";

const MOST = 5_000_000;
const RULES = someRules();

function aPath(): string {
  return join(mkdtempSync(join(tmpdir(), "events-")), "events.jsonl");
}

/** The `n`th list of jobs, with a name of so many letters. */
function listed(n: number, letters: number): FleetEvent {
  const jobs = gpuJobs({}, { ours: [gpuJob(101, "running", { name: `${n} ${"x".repeat(letters)}` })] });
  return { kind: "JobsListed", askedAt: NOW + n, at: NOW + n, jobs };
}

/** Writes so many events down, each before it is written into the state, as the loop does. */
function written(path: string, events: number, letters: number) {
  const state = aFleet([booting(1)]);
  const log = new RecordedLog();
  const file = new EventLog(path, log);
  let most = 0;
  for (let n = 1; n <= events; n += 1) {
    const event = listed(n, letters);
    file.happened(event, state, RULES);
    reduce(state, event);
    most = Math.max(most, statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  }
  return { state, log, most };
}

test("every event is written down, after the rules and the state before the first", () => {
  const path = aPath();
  const { state } = written(path, 3, 10);
  const [header = "", ...lines] = readFileSync(path, "utf8").trim().split("\n");
  expect(JSON.parse(header)).toMatchObject({ version: 7, state: { machines: [{ machineNo: 1 }] } });
  expect(lines.map((line) => JSON.parse(line).kind)).toEqual(["JobsListed", "JobsListed", "JobsListed"]);
  expect(replay(readFileSync(path, "utf8")).state.jobs).toEqual(JSON.parse(JSON.stringify(state.jobs)));
});

describe("of many events", () => {
  const path = aPath();
  const { most, state } = written(path, 130, 100_000);
  const text = readFileSync(path, "utf8");

  test("at most 5 MB are kept, the newest", () => {
    expect(most).toBeLessThan(MOST + 400_000);
    expect(text.length).toBeGreaterThan(MOST / 3);
    expect(text).toContain('"name":"130 x');
    expect(text).not.toContain('"name":"1 x');
  });

  test("those that are left replay, though the older half was forgotten, to the same state", () => {
    expect(replay(text).state).toEqual(JSON.parse(JSON.stringify(state)));
  });
});

test("a disk that can't be written to is logged once, and keeps nothing from going on", () => {
  const { log } = written(join(aPath(), "no-such-folder", "events.jsonl"), 3, 10);
  expect(log.warnings).toHaveLength(1);
  expect(log.warnings[0]).toMatch(/^The events can't be written down any more: .* All else goes on\.$/);
});
