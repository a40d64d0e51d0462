import { mkdtempSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { FleetEvent } from "../../../../src/fleet/events.ts";
import { runFleet } from "../../../../src/fleet/loop.ts";
import { rulesOf } from "../../../../src/fleet/options.ts";
import { EventLog } from "../../../../src/fleet/recording/event-log.ts";
import { EVENTS_VERSION, EventsUnreadableError, replay } from "../../../../src/fleet/recording/replay.ts";
import { reduce } from "../../../../src/fleet/reduce.ts";
import type { FleetState } from "../../../../src/fleet/state.ts";
import { aFleet, gpuJob, gpuJobs, NOW, someOptions, someRules } from "../../support/a-fleet.ts";
import { waitingJob } from "../../support/a-job.ts";
import { booting } from "../../support/machines.ts";
import { RecordedLog } from "../../support/recorded-log.ts";
import { RentingWorld } from "../../support/renting-world.ts";

/** One job that a machine ran, and that failed, from the first look to the end: its events, and the state at its end. */
async function story(): Promise<{ file: string; events: FleetEvent[]; state: FleetState }> {
  const world = new RentingWorld();
  world.jobs = [waitingJob()];
  world.oneJob(300, "failure");
  const options = someOptions({ machines: 1, hedge: false });
  const rules = rulesOf(options, world.request());
  const events: FleetEvent[] = [];
  const header = JSON.stringify({ version: EVENTS_VERSION, rules, state: world.fleet });
  const lines: string[] = [header];
  const happened = (event: FleetEvent) => {
    events.push(structuredClone(event));
    lines.push(JSON.stringify(event));
  };
  await world.clock.run(runFleet(world.deps, world.request(), options, world.fleet, { happened }));
  return { file: `${lines.join("\n")}\n`, events, state: world.fleet };
}

/** As it is once it was written down and read again. */
const reread = <T>(value: T): T => JSON.parse(JSON.stringify(value));

describe("a story is a list of events", () => {
  test("that survives being written down, as the state does, and leads to it again", async () => {
    const { events, file, state } = await story();
    expect(events.length).toBeGreaterThan(20);
    for (const event of events) expect(reread(event)).toEqual(event);
    expect(reread(state)).toEqual(state);
    expect(reread(replay(file).state)).toEqual(state);
    // Nobody's secrets: no instance body, no environment.
    expect(file).not.toMatch(/configuration-of|GHR_JIT|onstart/);
  });

  test("that says what was decided, when and why", async () => {
    const { lines } = replay((await story()).file);
    expect(lines).toEqual([
      expect.stringMatching(/^ {5}0\.0 s {2}search on demand \(1 wanted, 1 lacking\)$/),
      expect.stringMatching(/^ +[\d.]+ s {2}create machine 1 of offer 1 \(1 wanted, 1 lacking\)$/),
      expect.stringMatching(/ s {2}machine 1 ends: over, it gave itself back \(0 wanted/),
      expect.stringMatching(/ s {2}destroy instance 701 of machine 1 \(/),
      expect.stringMatching(/ s {2}the end: over \(/),
    ]);
  });
});

describe("a file that can't be replayed is refused in a sentence", () => {
  const header = (given: object = {}) =>
    JSON.stringify({ version: EVENTS_VERSION, rules: someRules(), state: aFleet(), ...given });

  test.each<[string, string, RegExp]>([
    ["empty", "", /^Line 1 of the file is no JSON: the file is cut, or was changed\./],
    ["cut in an event", `${header()}\n{"kind":"Jobs`, /^Line 2 of the file is no JSON/],
    ["null", "null", /^The file does not begin/],
    ["without a state", header({ state: undefined }), /^The file's first line has no state\./],
    ["with a prototype's event", `${header()}\n{"kind":"constructor","askedAt":1,"at":1}`, /^Line 2 .* no event/],
  ])("%s", (_what, text, message) => {
    expect(() => replay(text)).toThrow(EventsUnreadableError);
    expect(() => replay(text)).toThrow(message);
  });

  test("what is in it can't reach beyond the state", () => {
    const file = `${header()}\n{"kind":"RunnersListed","askedAt":1,"at":1,"runners":{"__proto__":{"polluted":"yes"}}}`;
    replay(file);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});

const MOST = 5_000_000;

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
    file.happened(event, state, someRules());
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
  expect(replay(readFileSync(path, "utf8")).state.jobs).toEqual(reread(state.jobs));
});

test("of many events at most 5 MB are kept, the newest, and replay to the same state", () => {
  const path = aPath();
  const { most, state } = written(path, 130, 100_000);
  const text = readFileSync(path, "utf8");
  expect(most).toBeLessThan(MOST + 400_000);
  expect(text.length).toBeGreaterThan(MOST / 3);
  expect(text).toContain('"name":"130 x');
  expect(text).not.toContain('"name":"1 x');
  expect(replay(text).state).toEqual(reread(state));
});

test("a disk that can't be written to is logged once, and keeps nothing from going on", () => {
  const { log } = written(join(aPath(), "no-such-folder", "events.jsonl"), 3, 10);
  expect(log.warnings).toHaveLength(1);
  expect(log.warnings[0]).toMatch(/^The events can't be written down any more: .* All else goes on\.$/);
});
