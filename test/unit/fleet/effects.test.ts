import { beforeEach, describe, expect, test } from "vitest";
import type { Command } from "../../../src/fleet/decide.ts";
import { Effects } from "../../../src/fleet/effects.ts";
import type { FleetEvent } from "../../../src/fleet/events.ts";
import { jobLogsToRead } from "../../../src/fleet/lifecycle/logs.ts";
import type { FleetRequest } from "../../../src/fleet/options.ts";
import { recordsOf } from "../../../src/fleet/recording/records.ts";
import { reduce } from "../../../src/fleet/reduce.ts";
import type { FleetState, NoOffers } from "../../../src/fleet/state.ts";
import { GithubUnavailableError } from "../../../src/github/github-errors.ts";
import { NOTHING_KNOWN } from "../../../src/history/earlier-runs.ts";
import { NO_FACTS } from "../../../src/history/kept-facts.ts";
import { KeptHistory } from "../../../src/history/kept-history.ts";
import { refusalError } from "../../../src/marketplace/errors.ts";
import { aFleet, aMarket, anEmptyMarket, gpuJobs, NOW, someRules } from "../support/a-fleet.ts";
import { anOffer } from "../support/an-offer.ts";
import { decided, decideNow } from "../support/decide-now.ts";
import { anEnding, aSlot, aSlotJob, nextSlot, withNext } from "../support/machine-parts.ts";
import { booting, busy, ready, spent } from "../support/machines.ts";
import { RentingWorld } from "../support/renting-world.ts";
import { aRefusal, FAULTS } from "../support/service-faults.ts";

let world: RentingWorld;
let effects: Effects;
let events: FleetEvent[];

beforeEach(() => {
  world = new RentingWorld();
  events = [];
  begin();
});

function begin(given: Partial<FleetRequest> = {}): void {
  effects = new Effects(world.deps, world.request(given), (event) => void events.push(event));
}

/** The events of a command that is carried out to its end. */
async function carriedOut(command: Command, fleet: FleetState = aFleet()): Promise<FleetEvent[]> {
  const hasAnswer = () => events.some(({ kind }) => kind !== "RunnersRegistered" && kind !== "LogsFetched");
  const over = async () => {
    effects.start(command, fleet);
    for (let seconds = 0; seconds < 300 && !hasAnswer(); seconds += 1) {
      await world.clock.sleep(1000);
      effects.empty();
    }
  };
  await world.clock.run(over());
  return events;
}

const NO_PAUSE = { hosts: [], offers: [], taken: [] };
const SEARCH = {
  kind: "search",
  isBid: false,
  paused: NO_PAUSE,
  budget: undefined,
  finishedMs: [],
  times: 0,
} satisfies Command;

function aCreate(): Command {
  const now = world.clock.now();
  const lists = { jobsAt: now, instancesAt: now, runnersAt: now, market: aMarket({ searchedAt: now }) };
  const [command] = decideNow(aFleet([], { jobs: gpuJobs({ waiting: 1 }), ...lists }), {}, now).commands;
  if (command?.kind !== "create") throw new Error("No create was decided on.");
  return command;
}

describe("a create", () => {
  test("reports its runners before it is sent, and its answer; their configurations are secrets", async () => {
    const events = await carriedOut(aCreate());
    expect(events).toMatchObject([
      { kind: "RunnersRegistered", machineNo: 1, runners: [{ id: 21, name: "gpu-4711-1-abcdef-1" }] },
      { kind: "CreateAnswered", machineNo: 1, outcome: { kind: "created" }, instanceId: 701 },
    ]);
    expect(JSON.stringify(events)).not.toContain("configuration-of");
  });

  test("its secrets are hidden from before it is sent: one that turns up late may print them, too", async () => {
    world.service.next("create", FAULTS.noAnswer);
    expect((await carriedOut(aCreate())).at(-1)).toMatchObject({ outcome: { kind: "uncertain" } });
    expect(effects.hide(1, "./run.sh --jitconfig configuration-of-21")).toBe("./run.sh --jitconfig [GHR_JIT]");
  });
});

/** A service may show in its refusal what it was sent, and the file of events is handed on. */
test.each([
  ["refused", "rejected"],
  ["uncertain", "fault"],
] as const)("a create that is %s (%s) and shows the runner's configuration reports none of it", async (kind, code) => {
  const refusal = aRefusal(400, "env is no good: GHR_JIT=configuration-of-21", code);
  world.service.always("create", { kind, refusal });
  const text = JSON.stringify(await carriedOut(aCreate()));
  expect(text).toContain("CreateAnswered");
  expect(text).toContain("[GHR_JIT]");
  expect(text).not.toContain("configuration-of-21");
});

describe("a search", () => {
  const found = async () => {
    const [event] = await carriedOut(SEARCH);
    return event?.kind === "OffersFound" ? event.candidates : [];
  };

  test("ranks offers by what earlier runs knew, for which it waits", async () => {
    const kept = new KeptHistory();
    kept.ready = world.clock.sleep(3000).then(() => {
      const machines = new Map([[100, { servedAt: world.clock.now(), boots: [] }]]);
      kept.arrived({ ...NOTHING_KNOWN, facts: { ...NO_FACTS, machines } });
    });
    effects = new Effects({ ...world.deps, history: kept }, world.request(), (event) => void events.push(event));
    expect((await found()).map(({ expected }) => expected?.standing)).toContain("proven");
  });

  test("that finds nothing is an answer, with its reason", async () => {
    world.service.always("search", () => []);
    const nothing = { kind: "none-fits", explanation: { hint: expect.any(String) } };
    expect(await carriedOut(SEARCH)).toMatchObject([{ kind: "OffersFound", candidates: [], nothing }]);
  });

  test("asks for the CUDA version that hosts lacked, or for that of min-cuda if it is newer", async () => {
    const asked = async (minCuda: number, leastCuda?: number) => {
      begin({ offer: { ...world.request().offer, minCuda } });
      events.length = 0;
      await carriedOut({ ...SEARCH, leastCuda });
      return world.service.searches.at(-1)?.filters.cuda_max_good;
    };
    expect(await asked(12.4, 12.8)).toEqual({ gte: 12.8 });
    expect(await asked(13, 12.8)).toEqual({ gte: 13 });
    expect(await asked(0)).toBeUndefined();
  });

  test("that looks no wider finds what the last wider one said, and sends one request", async () => {
    world.service.always("search", () => []);
    const known = anEmptyMarket().nothing as Extract<NoOffers, { kind: "none-fits" }>;
    expect(await carriedOut({ ...SEARCH, known })).toMatchObject([{ candidates: [], nothing: known }]);
    expect(world.service.searches).toHaveLength(1);
    events.length = 0;
    world.service.always("search", () => [anOffer()]);
    expect(await carriedOut({ ...SEARCH, known })).toMatchObject([{ candidates: [{}], nothing: undefined }]);
  });

  test.each<[string, Error, object]>([
    ["a used up quota", refusalError({ ...aRefusal(429, "", "quota"), againAt: 7000 }), { quotaUntil: 7000 }],
    ["no answer, which says nothing of offers", FAULTS.noAnswer, { kind: "fault", fault: { isPassing: true } }],
  ])("that meets %s", async (_what, error, nothing) => {
    world.service.next("search", error);
    expect(await carriedOut(SEARCH)).toMatchObject([{ nothing }]);
  });
});

describe("taking runners away", () => {
  const runnerIds = [nextSlot(1).runnerId, nextSlot(1, 3).runnerId, 21];
  const drain: Command = { kind: "drain", machineNo: 1, runnerIds };

  test("a job came to the last one (422): reported with those that are gone", async () => {
    world.runners.states.set(21, "busy");
    const kept = { id: 21, answer: "busy" };
    expect(await carriedOut(drain)).toMatchObject([{ removed: runnerIds.slice(0, 2), kept }]);
    expect(world.log.lines).toEqual(["machine 1: kept, as GitHub says that a job runs on it."]);
  });
});

describe("a destruction", () => {
  const destroy: Command = { kind: "destroy", machineNo: 1, id: 701, showLogs: false };
  const put = () => world.service.put({ id: 701, label: "ghr1.1.4711-1.abcdef.1.1" });
  const read = async () => {
    effects.start({ kind: "read-machine-log", machineNo: 1, id: 701 }, aFleet([booting(1)]));
    await world.clock.run(world.clock.sleep(10_000));
    effects.empty();
    return events;
  };

  test("is reported when it is confirmed", async () => {
    put();
    const [event] = await carriedOut(destroy, aFleet([booting(1)]));
    expect(event).toMatchObject({ kind: "DestroyAnswered", machineNo: 1, id: 701, how: "destroyed" });
    expect(world.log.lines).toEqual(["machine 1: gone. Instance 701 is destroyed."]);
  });

  test("asks once, and answers whether it is gone: the next look decides again", async () => {
    put();
    world.service.always("destroy", FAULTS.noAnswer);
    const [event] = await carriedOut(destroy, aFleet([booting(1)]));
    expect(event).toMatchObject({ kind: "DestroyAnswered", machineNo: 1, id: 701 });
    // Its service may be back in a moment.
    for (const field of ["how", "fault"]) expect(event).not.toHaveProperty(field);
    expect(world.service.of("destroy")).toHaveLength(1);
  });

  test.each([
    ["over", "had given itself back"],
    ["lost", "was gone already"],
  ] as const)("of one that is gone, and ended as %s: it %s", async (kind, words) => {
    const machine = ready(1, { ending: anEnding(kind), foundAt: world.clock.now() });
    expect(await carriedOut(destroy, aFleet([machine]))).toMatchObject([{ how: "was-gone" }]);
    expect(world.log.lines).toEqual([`machine 1: gone. Instance 701 ${words}.`]);
  });

  test("why it gives itself back, by its log, is reported: before, and as it is destroyed, when it is shown", async () => {
    put();
    const at = "2026-11-23T18:22:02Z ghr:";
    world.service.texts.container = `${at} No job came to it. Its last words: Forbidden\n${at} Staying for 60 s.\n`;
    const words = { by: "runner", text: "Forbidden" };
    expect(await read()).toMatchObject([{ kind: "LogsFetched", machineNo: 1, id: 701, words }]);
    expect(world.log.lines).toEqual([]);
    await carriedOut({ ...destroy, showLogs: true }, aFleet([booting(1)]));
    expect(events.slice(1)).toMatchObject([{ kind: "LogsFetched", words }, { kind: "DestroyAnswered" }]);
    expect(world.log.lines.join("\n")).toContain("Forbidden");
  });

  test("a log that can't be had says nothing", async () => {
    world.service.always("logs", FAULTS.noAnswer);
    expect(await read()).toMatchObject([{ kind: "LogsFetched", isFault: true }]);
    expect(events[0]).not.toHaveProperty("words");
  });

  test("that gets no answer for a minute and a half is reported as a fault, and told once", async () => {
    put();
    world.service.always("destroy", FAULTS.noAnswer);
    const ask = async () => {
      events.length = 0;
      return (await carriedOut({ ...destroy, showLogs: true }, aFleet([booting(1)]))).map(({ kind }) => kind);
    };
    expect(await ask()).toEqual(["LogsFetched", "DestroyAnswered"]);
    await world.clock.run(world.clock.sleep(90_000));
    for (const _time of [1, 2]) expect(await ask()).toEqual(["DestroyAnswered"]);
    expect(events).toMatchObject([{ fault: { name: "InstanceNotDestroyedError" } }]);
    expect(events[0]).not.toHaveProperty("how");
    expect(world.log.warnings).toEqual([expect.stringContaining("machine 1: Instance 701 may still be billing")]);
  });
});

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
    const answer = { kind: "FiguresRead", askedAt: NOW, at: NOW + 1, machineNo: 1, id: 101 } as const;
    const answered = (fleet: FleetState, figures?: object) => {
      reduce(fleet, { ...answer, ...(figures && { figures }) });
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
  const throws = (error: Error) => (): Promise<string> => Promise.reject(error);
  const unstored = new GithubUnavailableError("read the log of a job", "GitHub has not stored it yet");
  const read = (readJobLog = world.deps.readJobLog) => {
    world.deps.readJobLog = readJobLog;
    begin();
    return carriedOut({ kind: "read-job-log", machineNo: 1, jobId: 101 }, aFleet([spent(1)]));
  };

  test("has the machine's line, and how setup failed: they are the event, and no text of the job's is", async () => {
    const failed = "2026-11-23T18:22:02.1234567Z ##[error]setup ended with code 7. No matching distribution found";
    world.logs.set(101, `the job's own secret\n${failed}\n${LINE}`);
    const setup = "setup ended with code 7. No matching distribution found";
    expect(await read()).toMatchObject([{ kind: "FiguresRead", machineNo: 1, id: 101, figures: FIGURES, setup }]);
    expect(JSON.stringify(events)).not.toContain("secret");
  });

  test("is asked for again where GitHub has not stored it, and GitHub that is away", async () => {
    const answers = [throws(unstored), throws(new GithubUnavailableError("read the log of a job", "503: no"))];
    expect(await read(async () => (await answers.shift()?.()) ?? LINE)).toMatchObject([{ figures: FIGURES }]);
  });

  test.each([
    ["never stored", throws(unstored), "GitHub has not stored it yet"],
    ["without a line", async () => "12 passed\n", "no line with its machine's figures"],
    ["of another machine", async () => LINE.replace("701", "9"), "no line with its machine's figures"],
  ])("%s: not reported, and that is logged once", async (_name, readJobLog, why) => {
    expect(await read(readJobLog)).toMatchObject([{ kind: "FiguresRead", figures: undefined }]);
    const lines = world.log.lines.filter((line) => line.includes("not reported"));
    expect(lines).toEqual([expect.stringContaining(why)]);
  });

  test("is left when the loop ends: it delays nothing, and nothing is logged of it", async () => {
    world.deps.readJobLog = (_id, signal) => world.clock.sleep(1e9, signal).then(() => LINE);
    effects.start({ kind: "read-job-log", machineNo: 1, jobId: 101 }, aFleet([spent(1)]));
    await effects[Symbol.asyncDispose]();
    expect([events, world.log.lines]).toEqual([[], []]);
  });
});

test.each(["MANIFEST_UNKNOWN", undefined])("the registry's word becomes an event: %s", async (missing) => {
  world.missing = missing;
  const at = world.clock.now();
  const event = { kind: "ImageLookedUp", askedAt: at, at, ...(missing && { missing }) };
  expect(await carriedOut({ kind: "look-up-image" })).toEqual([event]);
});

test("a second job's line has the set-up of the first one's, or it is not reported", async () => {
  const second = aSlot(1, { runnerId: 121, spentAt: NOW, job: aSlotJob(2, { isOver: true }) });
  const first = { ...spent(1).slots[0], log: { at: NOW, figures: { setupSeconds: 40 } } };
  world.logs.set(102, LINE);
  const fleet = aFleet([{ ...spent(1), slots: [first as typeof second, second] }]);
  await carriedOut({ kind: "read-job-log", machineNo: 1, jobId: 102 }, fleet);
  expect(events).toMatchObject([{ figures: { workSeconds: 9 } }]);
  expect(JSON.stringify(events)).not.toContain("setupSeconds");
});
