import { beforeEach, describe, expect, test } from "vitest";
import { Effects } from "../../../src/fleet/effects.ts";
import type { FleetEvent } from "../../../src/fleet/events.ts";
import { jobLogsToRead } from "../../../src/fleet/lifecycle/logs.ts";
import { recordsOf } from "../../../src/fleet/recording/records.ts";
import { reduce } from "../../../src/fleet/reduce.ts";
import type { FleetState } from "../../../src/fleet/state.ts";
import { GithubTokenError, GithubUnavailableError } from "../../../src/github/github-errors.ts";
import { aFleet, aSlot, aSlotJob, busy, NOW, someRules, spent, withNext } from "../support/a-fleet.ts";
import { decided } from "../support/decide-now.ts";
import { RentingWorld } from "../support/renting-world.ts";

const LINE =
  "The GPUs of instance 701 during this job: setup 41 s, idle 3 s, work 9 s, samples 2, median use 31%, peak use 98%.\n";
const FIGURES = { setupSeconds: 41, idleSeconds: 3, workSeconds: 9, samples: 2, useMedian: 31, usePeak: 98 };
const ON = someRules({ gpuFigures: true });

describe("which logs are read", () => {
  test("each job's that is over, once; with gpu-figures: false none", () => {
    const fleet = aFleet([spent(1), busy(2), withNext(spent(3))]);
    expect(jobLogsToRead(fleet, ON).map(({ jobId }) => jobId)).toEqual([101, 103]);
    expect(jobLogsToRead(fleet, someRules({ gpuFigures: false }))).toEqual([]);
    expect(jobLogsToRead(decided(fleet, { gpuFigures: true }), ON)).toEqual([]);
  });

  test("the answer is written to its job, and into the machine's record, where it was asked for", () => {
    const answered = (fleet: FleetState, figures?: object) => {
      reduce(fleet, {
        kind: "FiguresRead",
        askedAt: NOW,
        at: NOW + 1,
        machineNo: 1,
        id: 101,
        ...(figures && { figures }),
      });
      return fleet;
    };
    const asked = () => decided(aFleet([spent(1)]), { gpuFigures: true });
    const read = answered(asked(), FIGURES);
    expect(read.machines[0]?.slots[0]?.log).toEqual({ at: NOW + 1, figures: FIGURES });
    expect(recordsOf(read)[0]?.jobs?.[0]?.figures).toEqual(FIGURES);
    const none = answered(asked());
    expect(recordsOf(none)[0]?.jobs).toMatchObject([{ name: "test 1", figures: undefined }]);
    expect(jobLogsToRead(none, ON)).toEqual([]);
    expect(answered(aFleet([spent(1)]), FIGURES).machines[0]?.slots[0]).not.toHaveProperty("log");
  });
});

describe("a log that is read", () => {
  let world: RentingWorld;
  let events: FleetEvent[];
  beforeEach(() => {
    world = new RentingWorld();
    events = [];
  });

  function effects(): Effects {
    return new Effects(world.deps, world.request(), (event) => void events.push(event));
  }

  async function read(readJobLog = world.deps.readJobLog, job = 101): Promise<FleetEvent[]> {
    world.deps.readJobLog = readJobLog;
    const under = effects();
    const over = async () => {
      under.start({ kind: "read-job-log", machineNo: 1, jobId: job }, aFleet([spent(1)]));
      for (let second = 0; second < 60 && events.length === 0; second += 1) {
        await world.clock.sleep(1000);
        under.empty();
      }
    };
    await world.clock.run(over());
    return events;
  }

  test("has the machine's line, and how setup failed: they are the event, and no text of the job's is", async () => {
    const failed = "2026-11-23T18:22:02.1234567Z ##[error]setup ended with code 7. No matching distribution found";
    world.logs.set(101, `the job's own secret\n${failed}\n${LINE}`);
    const setup = "setup ended with code 7. No matching distribution found";
    expect(await read()).toMatchObject([{ kind: "FiguresRead", machineNo: 1, id: 101, figures: FIGURES, setup }]);
    expect(JSON.stringify(events)).not.toContain("secret");
  });

  test("is asked for again where GitHub has not stored it, and GitHub that is away", async () => {
    const faults = ["GitHub has not stored it yet", "503: no"];
    const late = async () => {
      const fault = faults.shift();
      if (fault !== undefined) throw new GithubUnavailableError("read the log of a job", fault);
      return LINE;
    };
    expect(await read(late)).toMatchObject([{ figures: FIGURES }]);
  });

  const throws = (error: Error) => () => Promise.reject(error);
  const unstored = new GithubUnavailableError("read the log of a job", "GitHub has not stored it yet");
  const forbidden = new GithubTokenError(
    { input: "job-token", task: "read the log of a job", remedy: "no" },
    403,
    "no",
  );

  test.each([
    ["never stored", throws(unstored), "GitHub has not stored it yet"],
    ["without a line", async () => "12 passed\n", "no line with its machine's figures"],
    ["of another machine", async () => LINE.replace("701", "9"), "no line with its machine's figures"],
    ["that the token may not read", throws(forbidden), "job-token may not read the log of a job"],
  ])("%s: not reported, and that is logged once", async (_name, readJobLog, why) => {
    expect(await read(readJobLog)).toMatchObject([{ kind: "FiguresRead", figures: undefined }]);
    const lines = world.log.lines.filter((line) => line.includes("not reported"));
    expect(lines).toEqual([expect.stringContaining(why)]);
  });

  test("is left when the loop ends: it delays nothing, and nothing is logged of it", async () => {
    world.deps.readJobLog = (_id, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const under = effects();
    under.start({ kind: "read-job-log", machineNo: 1, jobId: 101 }, aFleet([spent(1)]));
    await under[Symbol.asyncDispose]();
    expect(events).toEqual([]);
    expect(world.log.lines).toEqual([]);
  });
});

test("a second job's line has the set-up of the first one's, or it is not reported", async () => {
  const world = new RentingWorld();
  const events: FleetEvent[] = [];
  const second = aSlot(1, { runnerId: 121, spentAt: NOW, job: aSlotJob(2, { isOver: true }) });
  const first = { ...spent(1).slots[0], log: { at: NOW, figures: { setupSeconds: 40 } } };
  world.logs.set(102, LINE);
  const fleet = aFleet([{ ...spent(1), slots: [first as typeof second, second] }]);
  const under = new Effects(world.deps, world.request(), (event) => void events.push(event));
  under.start({ kind: "read-job-log", machineNo: 1, jobId: 102 }, fleet);
  await world.clock.run(world.clock.sleep(5000));
  under.empty();
  expect(events).toMatchObject([{ figures: { workSeconds: 9 } }]);
  expect(JSON.stringify(events)).not.toContain("setupSeconds");
});
