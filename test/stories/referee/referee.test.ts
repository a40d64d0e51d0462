import { expect, test } from "vitest";
import { UserError } from "../../../src/shared/user-error.ts";
import type { MainEnd } from "../drive.ts";
import { aFault, type Fault, Faults } from "../fault.ts";
import { PREFIX } from "../outside.ts";
import { aHost, aRunJob, aStory, type HostStory, latestEnd, type Story } from "../story.ts";
import type { Box } from "../things.ts";
import { World } from "../world.ts";
import type { Ended, Happening, Job, Machine, RunRecord } from "./record.ts";
import { judge } from "./referee.ts";
import type { Rule } from "./rule.ts";

type Timeline = RunRecord["timeline"];
const NEVER = Number.POSITIVE_INFINITY;
const LOST = new (class extends UserError {})("a machine was lost");
const S = 1000;
const LATEST_S = latestEnd(aStory()) / S;

/** A machine that bills from 10 to 50 s, but for what is said of it. */
function machine(id: number, given: Partial<Machine> = {}): Machine {
  return {
    ...{ id, n: id, label: `${PREFIX}.${id}.99`, isTwin: false, isLate: false, deadAt: NEVER, deadline: 600 * S },
    ...{ createdAt: 10 * S, visibleAt: 10 * S, shownAt: 12 * S, goneAt: 50 * S },
    ...given,
  };
}

/** A job that did well on that machine. */
function job(box: Machine, given: Partial<Job> = {}): Job {
  return {
    ...{ id: 0, name: "a", appearedAt: 0, shownAt: 0, startedAt: 12 * S, overAt: 40 * S },
    ...{ conclusion: "success", lostAt: undefined, box },
    ...given,
  };
}

/** What is said of a process that ended well after a minute. */
function process(log = "", given: Partial<NonNullable<Ended["process"]>> = {}): Partial<Ended> {
  const usual = { exitCode: 0, wasKilled: false, isStopped: false, overran: false, tookMs: 60 * S, log };
  return { process: { ...usual, ...given } };
}

const at = (seconds: number, happening: Happening) => ({ ...happening, at: seconds * S });
const many = (times: number, happening: Happening) => Array.from({ length: times }, () => at(1, happening));
const asks = (...seconds: number[]) => seconds.map((each) => at(each, { what: "asks" }));
const begins = (seconds: number, phase: "main" | "failing" | "post" | "sweep") =>
  at(seconds, { what: "begins", phase, isRunOver: phase === "sweep" });
const ends = (seconds: number, stage: Ended["stage"], given: Partial<Ended> = {}) =>
  at(seconds, { what: "ends", stage, isGreen: true, named: [], undestroyed: [], ...given });
const names = (seconds: number, ...undestroyed: string[]) => ends(seconds, "post", { undestroyed });
const verdict = (given: Partial<MainEnd>): Partial<Ended> => ({
  isGreen: given.error === undefined,
  verdict: { kind: "over", bad: [], lost: [], error: undefined, ...given },
});
const creates = (n: number, given = {}) => at(1, { what: "creates", create: { n, label: "", ...given } });
const create = (n: number) => [creates(n), at(2, { what: "created" })];
const destroys = (seconds: number, one: Machine, by: "us" | "itself" = "us") =>
  at(seconds, { what: "destroys", machine: one, by });

/** Main and post, and nothing that must not be, but for what is given. */
function record(
  boxes: Machine[],
  jobs: Job[] = [],
  timeline: Timeline = [begins(0, "main"), ends(60, "main"), begins(60, "post"), ends(70, "post")],
  { story = {}, ...given }: Partial<RunRecord> & { story?: Partial<Story> } = {},
): RunRecord {
  return {
    happened: { now: 0, story: aStory(story), boxes, jobs, note() {} },
    ...{ faults: new Faults(), blurMs: 0, isKnown: () => true, mayGiveUp: () => false },
    ...{ timeline, ...given },
  };
}

/** This went wrong after 15 s, or at each of these times. */
function met(fault: Partial<Fault>, ...seconds: number[]): Faults {
  const faults = new Faults();
  for (const each of seconds.length > 0 ? seconds : [15]) faults.met.push({ fault: aFault(fault), at: each * S });
  return faults;
}

/** A record of processes alone. */
const said = (...timeline: Timeline) => record([], [], timeline);

/** A record of the virtual world, in which somebody has let that be so. */
function inWorld(story: Partial<Story>, happens: (world: World) => Timeline): RunRecord {
  const world = new World(aStory(story));
  return { ...record([], [], happens(world)), happened: world, world };
}

/** Two runs of a repository that may have one machine; both are of the first. */
function twoOfARepository(given: Partial<World["runners"][number]> = {}, story: Partial<Story> = {}): RunRecord {
  return inWorld({ machines: 2, machinesPerRepository: 1, ...story }, (world) => {
    new World(aStory(), world.account);
    madeIn(world, 1);
    madeIn(world, 2, [Object.assign(world.register("r2"), given)]);
    jobIn(world);
    return asks(10, 150);
  });
}

/** Two machines of one create have these runners, of a repository with an older one, and main removes the last. */
function removesShared(given: Partial<World["runners"][number]>[], machinesPerRepository = 16): RunRecord {
  return inWorld({ machines: 2, machinesPerRepository }, (world) => {
    madeIn(new World(aStory(), world.account), 3);
    const runners = given.map((each) => Object.assign(world.register("r"), each));
    madeIn(world, 1, runners);
    madeIn(world, 2, runners).n = 1;
    jobIn(world);
    return runners.slice(-1).map((runner) => at(60, { what: "removes", runner, isInVain: false }));
  });
}

/** A main that fails after a minute keeps a machine whose runner came online then, and whose time is over by that. */
function isKeptByFailing(onlineS: number): RunRecord {
  const runners = [Object.assign(new World(aStory()).register("r"), { onlineAt: onlineS * S })];
  const box = machine(1, { goneAt: 950 * S, ordered: 900 * S, runners });
  return record([box], [], [...asks(50), begins(60, "failing"), ...asks(600, 820)]);
}

/** A machine of that host goes, and the history remembers it as failed. */
function remembers(host: HostStory): RunRecord {
  return inWorld({ hosts: [host] }, (world) => {
    madeIn(world);
    return [at(60, { what: "remembers", kind: "failed", host: 100 })];
  });
}

/** A machine stood ready from 10 to 50 s, GitHub is blamed for that, and another session's job ran meanwhile. */
function blamesGithub(ofJob: Partial<World["jobs"][number]>): RunRecord {
  return inWorld({ maxParallel: 1, offers: 0 }, (world) => {
    const runner = Object.assign(world.register("r"), { onlineAt: 10 * S });
    Object.assign(madeIn(world, 1, [runner]), { deadAt: 50 * S, goneAt: 50 * S });
    jobIn(world, { startedAt: 5 * S, overAt: 58 * S, conclusion: "success", ...ofJob });
    return [ends(60, "main", verdict({ kind: "stopped", stop: "passed-over-alone", error: LOST }))];
  });
}

/** A host stops a machine under its job, a list is read right after that, and the job is called failed. */
function callsStoppedFailed(instancesLagS: number): RunRecord {
  return inWorld({ hosts: [aHost({ fate: "stopped" })], instancesLagS }, (world) => {
    const box = Object.assign(madeIn(world), { deadAt: 40 * S });
    jobIn(world, { startedAt: 20 * S, lostAt: 40 * S, overAt: 42 * S, conclusion: "failure", box });
    return [begins(0, "main"), at(41, { what: "lists" }), ends(60, "main", verdict({ bad: [100], error: LOST }))];
  });
}

/** A job failed 70 s before the end of its machine's time, and is called lost. */
function callsCut(given: Parameters<typeof record>[3]): RunRecord {
  const box = machine(1, { deadline: 100 * S });
  const failed = job(box, { conclusion: "failure", overAt: 30 * S });
  return record([box], [failed], [ends(60, "main", verdict({ lost: [0], error: LOST }))], given);
}

/** A machine gave itself back after 50 s, its runner was removed, and main says that all attempts are used up. */
function gaveItselfBack(removedS: number): RunRecord {
  return inWorld({ attempts: 1, maxParallel: 0 }, (world) => {
    const runner = Object.assign(world.register("r"), { isRemoved: true, goneAt: removedS * S });
    Object.assign(madeIn(world, 1, [runner]), { deadAt: 50 * S, goneAt: 50 * S, endedBy: "itself" });
    jobIn(world);
    return [ends(60, "main", verdict({ kind: "stopped", stop: "attempts", error: LOST }))];
  });
}

/** A machine stands ready after its job while GitHub gives none to it, from 10 s on, and is ended at 150 s. */
function standsAfterItsJob(pausedS: number): RunRecord {
  const pauses = [{ fromS: 0, lastsS: pausedS, isSinceStart: false }];
  return inWorld({ offers: 1, jobsPerMachine: 2, jobsOfRun: [aRunJob(), aRunJob()], pauses }, (world) => {
    const first = Object.assign(world.register("r1"), { onlineAt: 0, goneAt: 8 * S, job: world.jobs[0] });
    const next = Object.assign(world.register("r2"), { onlineAt: 10 * S });
    const ended = { current: next, deadAt: 150 * S, goneAt: 150 * S, endedBy: "us" } as const;
    const box = Object.assign(madeIn(world, 1, [first, next]), ended);
    jobIn(world, { startedAt: 2 * S, overAt: 8 * S, conclusion: "success", box });
    Object.assign(world.jobs[1] ?? {}, { appearedAt: 0, queuedAt: 0, shownAt: 0 });
    return asks(20, 60, 100, 140, 160, 300, 450);
  });
}

/** GitHub gives no job to a machine, whose host falls silent just before it is ended at 150 s, and is blamed for that. */
function blamesPause(pausedS: number): RunRecord {
  const pauses = [{ fromS: 0, lastsS: pausedS, isSinceStart: false }];
  return inWorld({ hosts: [aHost({ fate: "silent", fateS: 140 })], offers: 0, pauses }, (world) => {
    const box = madeIn(world, 1, [Object.assign(world.register("r"), { onlineAt: 10 * S })]);
    Object.assign(box, { deadAt: 150 * S, goneAt: 150 * S, endedBy: "us" });
    jobIn(world);
    const verdictOf = verdict({ kind: "stopped", stop: "passed-over-alone", error: LOST });
    return [...asks(20, 60, 100, 140), ends(600, "main", verdictOf)];
  });
}

/** A machine is ready from 100 to 200 s, GitHub answers no removal at these times, and main has waited for `ready-timeout`. */
function hasWaited(...unanswered: number[]): RunRecord {
  const seconds = Array.from({ length: 32 }, (_, index) => 10 + index * 10);
  const given = inWorld({ offers: 0, readyS: 300 }, (world) => {
    const box = madeIn(world, 1, [Object.assign(world.register("r"), { onlineAt: 100 * S, goneAt: 200 * S })]);
    Object.assign(box, { createdAt: 100 * S, deadAt: 200 * S, goneAt: 200 * S, endedBy: "us" });
    jobIn(world);
    return [...asks(...seconds), ends(330, "main", verdict({ kind: "stopped", stop: "ready-timeout", error: LOST }))];
  });
  return unanswered.length === 0 ? given : { ...given, faults: met({ where: "remove" }, ...unanswered) };
}

/** A machine of that world whose first runner is online. */
function madeIn(world: World, offer = 1, runners = [world.register(`r${offer}`)]): Box {
  const label = `${PREFIX}.${offer}.99`;
  const box = world.make({ n: offer, label, offer, runners, deadline: 3600 * S, bid: undefined });
  return Object.assign(box, { runningAt: 0, listenAt: NEVER, current: runners[0], deadAt: NEVER, goneAt: NEVER });
}

/** The first job of that world runs on it, or waits. */
function jobIn(world: World, given: Partial<World["jobs"][number]> = {}): void {
  Object.assign(world.jobs[0] ?? {}, { appearedAt: 0, queuedAt: 0, shownAt: 0, ...given });
}

const ONE = machine(1);
const GONE = machine(1, { deadAt: 20 * S, goneAt: 20 * S });
const STAYS = machine(1, { goneAt: NEVER });
/** No job can come to it from that second on, and it stays until another. */
const kept = (id: number, overAt: number, goneAt: number, given: Partial<Machine> = {}) =>
  machine(id, { overAt: overAt * S, goneAt: goneAt * S, deadline: 3600 * S, ...given });
const TWINS = [STAYS, machine(2, { n: 1, isTwin: true, goneAt: NEVER })] as const;
const WELL = job(ONE);
const FAILED = job(ONE, { conclusion: "failure", overAt: 20 * S });
const RUNS = job(ONE, { conclusion: undefined, overAt: NEVER });
const RUNNER = new World(aStory()).register("r");
/** Post destroys the machine under its job. */
const TAKES = [ends(20, "main"), begins(20, "post"), destroys(49, ONE), ends(70, "post")];
const saysNoneWasRented = (stage: "main" | "post") =>
  ends(60, stage, process("::error title=X::Nothing was rented.", { exitCode: 1 }));
const MAY_GIVE_UP = { mayGiveUp: () => true };
const HISTORY = `known-1.${"a".repeat(22)}.${"b".repeat(900)}\n`;

/** For each rule what breaks it, and nothing else. */
const BREAKING: Record<Rule, readonly [RunRecord, ...RunRecord[]]> = {
  "nothing bills after the end": [record([STAYS]), said(begins(60, "post"), names(70, "instance 1"))],
  "nothing bills after a sweep": [record([STAYS], [], [begins(0, "sweep"), ends(90, "sweep", { isLast: true })])],
  "who leaves a machine names it": [
    record([STAYS], [], [names(70, "instance 76")], MAY_GIVE_UP),
    record([STAYS], [], [begins(60, "sweep"), ends(70, "sweep", process())]),
  ],
  "nothing bills after its deadline": [
    record([STAYS], [], asks(600, 900)),
    said(at(1, { what: "outlives its label", machine: STAYS })),
    isKeptByFailing(30),
  ],
  "nothing dead is kept": [record([machine(1, { goneAt: NEVER, deadAt: 20 * S })], [], asks(30, 300))],
  "nobody keeps what no job needs": [
    inWorld({}, (world) => {
      madeIn(world);
      jobIn(world, { startedAt: 0, overAt: 1, conclusion: "success" });
      return asks(10, 200);
    }),
  ],
  "a running job keeps its machine": [
    record([ONE], [RUNS], [destroys(49, ONE)]),
    record([ONE], [WELL], [begins(0, "post"), destroys(30, ONE, "itself")]),
  ],
  "who takes a machine from a job says so": [record([ONE], [RUNS], TAKES, { story: { hold: false } })],
  "machines of one create are not ended under its job": [
    record([...TWINS], [job(STAYS, { conclusion: undefined, overAt: NEVER })], [destroys(40, TWINS[1])]),
  ],
  "a shared runner is kept for its job": [removesShared([{}])],
  "a waiting job gets a machine": [
    inWorld({}, () => asks(30, 300)),
    standsAfterItsJob(80),
    record([], [FAILED], [ends(60, "main", { isGreen: false })], { able: [0] }),
  ],
  "the end blames what is so": [
    inWorld({}, () => [ends(60, "main", verdict({ kind: "stopped", stop: "refused", error: LOST }))]),
    blamesGithub({ overAt: 8 * S }),
    blamesPause(80),
    hasWaited(),
    gaveItselfBack(45),
    blamesGithub({ startedAt: 55 * S, box: machine(2) as Box }),
    record([ONE], [], [names(400, "instance 1")], MAY_GIVE_UP),
  ],
  "failed is failed, lost is lost": [
    record([ONE], [FAILED], [ends(60, "main", verdict({ lost: [0], error: LOST }))]),
    callsStoppedFailed(0),
    callsCut({}),
    callsCut({ story: { lifetimeS: 60 }, faults: met({ where: "runners", what: "lost" }, 5) }),
  ],
  "the end is true of the jobs": [
    record([ONE], [FAILED]),
    record([ONE], [WELL], [ends(60, "main", { isGreen: false, named: [0] })]),
    record([ONE], [FAILED], [ends(60, "main", verdict({}))]),
    record([GONE], [], [ends(60, "main", verdict({ kind: "ready" }))], { story: { hold: false } }),
  ],
  "no host is blamed for our own ending": [remembers(aHost())],
  "max-cost is kept": [
    record([machine(1, { billed: { cost: 0.05, hourly: 0.3 } })], [], [], { story: { maxCost: 0.03 } }),
    inWorld({ maxCost: 0.1 }, () => [creates(1, { offer: 1, deadline: 3600 * S })]),
  ],
  "GitHub is not asked too often": [
    said(...many(301, { what: "asks GitHub" }), ...asks(2)),
    said(...many(41, { what: "removes", runner: RUNNER, isInVain: true })),
  ],
  "no more machines than allowed": [
    record([ONE, machine(2)], [], asks(20)),
    record([ONE, machine(2, { heldFrom: 21 * S })], [], asks(20)),
    record([machine(1, { createdAt: 0 })], [], create(2)),
    record([kept(1, 20, 400), kept(2, 400, 400)], [], asks(25, 240, 310)),
    twoOfARepository(),
  ],
  "one create at a time, and written down": [
    said(...create(1), ...create(1)),
    record([], [], create(1), { isPending: () => false }),
  ],
  "only what is ours is destroyed": [said(at(1, { what: "destroys another's", id: 5, swept: "by any sweep" }))],
  "a cancelled job is let end": [
    inWorld({}, (world) => {
      const box = madeIn(world);
      jobIn(world, { startedAt: 10, box, runner: Object.assign(world.register("r"), { onlineAt: 5 }) });
      world.cancelledAt = 60 * S;
      return [begins(61, "post"), destroys(62, box)];
    }),
  ],
  "a job that can have no machine does not wait": [
    inWorld({}, () => [ends(60, "main", verdict({ kind: "threw", error: LOST })), ends(900, "post")]),
  ],
  "a job has its own result": [
    inWorld({ isCancelQuick: true, jobsOfRun: [] }, (world) => {
      world.cancelledAt = 60 * S;
      return [ends(50, "main", verdict({ kind: "threw", error: LOST })), ends(70, "post")];
    }),
  ],
  "colour and message agree": [
    said(ends(60, "main", { isGreen: false, ...process("", { exitCode: 1 }) })),
    said(ends(60, "sweep", process("::error title=Bug::x"))),
  ],
  "no word of the bill is false": [
    record([ONE], [], [saysNoneWasRented("post")]),
    record([ONE], [], [saysNoneWasRented("main")]),
    record([STAYS], [], [ends(60, "main", process("::error title=X::Nothing is rented any more.", { exitCode: 1 }))]),
  ],
  "the history is one": [
    said(ends(60, "post", process("known-1.x"))),
    said(ends(60, "post", process(HISTORY.repeat(60)))),
    said(ends(60, "main", process("Known: 1 host, from run 4700"))),
  ],
  "post ends in time": [said(ends(300, "post", process("", { tookMs: 300 * S })))],
  "every story ends, and no fault is a bug": [
    said(ends(60, "main", process("", { exitCode: 1, overran: true }))),
    said(ends(60, "main", verdict({ kind: "threw", error: new Error("x is undefined") }))),
    inWorld({}, () => asks(LATEST_S + 1)),
  ],
  "what no session may ever do": [record([], [], [], { breaches: ["The API key stands in a log."] })],
};

test.each(Object.entries(BREAKING))("%s", (rule, broken) => {
  for (const each of broken) expect([...new Set(judge(each).map((found) => found.rule))]).toEqual([rule]);
});

/** Records that look wrong, and are not. */
const NOT_BREAKING: Record<string, RunRecord> = {
  "a run in which all is well": record([ONE], [WELL], undefined, { able: [0] }),
  "a story that lasts as long as its runners are stuck": inWorld({ hosts: [aHost({ stuckS: 60 })] }, () =>
    asks(LATEST_S + 60),
  ),
  "a stray that main never knew stands beside one that it knew": record(
    [ONE, machine(2, { isLate: true })],
    [],
    asks(20),
  ),
  "one whose runners are used up stands beside another": record(
    [machine(1, { overAt: 14 * S }), machine(2)],
    [],
    asks(20),
  ),
  "failed machines that are kept stand one after the other beside one that works": record(
    [kept(1, 20, 500), kept(2, 420, 900, { createdAt: 210 * S }), kept(3, 990, 1000, { createdAt: 430 * S })],
    [],
    asks(25, 215, 425, 600, 890),
    { story: { keepFailedS: 300 } },
  ),
  "a machine that had acquired another one's job, too, has its next one": inWorld({ jobsPerMachine: 2 }, (world) => {
    madeIn(world, 1);
    const box = madeIn(world, 2);
    jobIn(world, { startedAt: 15 * S, box, runner: box.runners[0] });
    const bound = { ...world.jobs[0], overAt: 14 * S } as World["jobs"][number];
    Object.assign(box.runners[0] ?? {}, { bound, job: world.jobs[0] });
    return asks(20);
  }),
  "the record of a runner whose job is over stays for a while, and its machine gets no other job": inWorld(
    { machines: 1 },
    (world) => {
      const { runners } = madeIn(world);
      jobIn(world, { startedAt: 5 * S, overAt: 10 * S, conclusion: "success" });
      Object.assign(runners[0] ?? {}, { job: world.jobs[0], goneAt: 40 * S });
      madeIn(world, 2);
      return asks(20);
    },
  ),
  "one more than allowed is alive after a list of jobs from the past": record([ONE, machine(2)], [], asks(20), {
    faults: met({ where: "jobs", what: "old" }),
  }),
  "nobody could see for long that its runner was online, from which its time counts": record(
    [
      machine(1, {
        goneAt: 950 * S,
        runners: [Object.assign(new World(aStory()).register("r"), { onlineAt: 10 * S })],
      }),
    ],
    [],
    asks(600, 820, 900),
    { faults: met({ where: "runners" }, 50, 100, 150, 200) },
  ),
  "the runner came online when main had failed, so that nobody knew from when its time counts": isKeptByFailing(55),
  "GitHub had refused to remove the runner of one too many": record(
    [ONE, machine(2, { heldFrom: 19 * S })],
    [],
    asks(20),
  ),
  "GitHub says that the runner of one too many is busy": twoOfARepository({ onlineAt: 0, stuckUntil: NEVER }),
  "each list of jobs takes long, so that one too many goes later": twoOfARepository({}, { jobsTakeS: 30 }),
  "the runner of one that gave itself back was removed after that": gaveItselfBack(55),
  "no machine is to be had after one stood beside another session's job": blamesGithub({}),
  "the host of a machine to which GitHub gave no job fails as that is over": blamesPause(150),
  "a machine is ready while main asks GitHub in vain to take its runner away": hasWaited(
    95,
    110,
    125,
    140,
    155,
    170,
    185,
  ),
  "offers were there only between two searches": {
    ...inWorld({ hosts: [aHost({ offeredS: 109 })] }, () => [
      ...asks(50, 110, 215, 225, 400),
      ends(615, "main", verdict({ kind: "stopped", stop: "no-offer", error: LOST })),
    ]),
    faults: new Faults([aFault({ where: "search", what: "no offers", fromS: 222, lastsS: 394, times: 1000 })]),
  },
  "a shared runner is of one too many of the repository's machines": removesShared([{}], 1),
  "of two machines whose shared runner GitHub keeps busy, the next one's is removed": removesShared([
    { onlineAt: 0, stuckUntil: NEVER },
    {},
  ]),
  "GitHub kept the runner busy, and another host served that job": remembers(aHost({ stuckS: 900 })),
  "another session's job ended just before post, and lists that lag show it as running": inWorld(
    { jobsLagS: 9, jobsOfRun: [aRunJob(), aRunJob()] },
    (world) => {
      Object.assign(world.jobs[1] ?? {}, { appearedAt: 0, queuedAt: 0, startedAt: 0 });
      Object.assign(world.jobs[1] ?? {}, { overAt: 895 * S, conclusion: "success" });
      return [ends(60, "main", verdict({ kind: "threw", error: LOST })), ends(900, "post")];
    },
  ),
  "a second machine of one create was listed when post had looked": record([
    machine(1, { isTwin: true, visibleAt: 40 * S, goneAt: NEVER }),
  ]),
  "post names the beginning of all labels": record(
    [STAYS],
    [],
    [names(70, `Whatever is labelled ${PREFIX}.…`)],
    MAY_GIVE_UP,
  ),
  "a machine is taken away at its deadline": record([ONE], [RUNS], [destroys(600, ONE)]),
  "its container had ended under the job": record([ONE], [{ ...RUNS, lostAt: 30 * S }], [destroys(49, ONE)]),
  "its job was over and it was gone long before main saw that it had been ready": record(
    [GONE],
    [job(GONE, { overAt: 15 * S })],
    [ends(60, "main", verdict({ kind: "ready" }))],
    { story: { hold: false } },
  ),
  "no list could show yet the job whose machine post took": record([ONE], [{ ...RUNS, appearedAt: 41 * S }], TAKES, {
    story: { hold: false, jobsLagS: 30 },
  }),
  "post's list showed as held the job whose machine it took": record([ONE], [{ ...RUNS, queuedAt: 41 * S }], TAKES, {
    story: { hold: false, jobsLagS: 30 },
  }),
  "lists of jobs take long, so that nobody could see well when the machine of a job that failed was up": callsCut({
    story: { jobsTakeS: 16 },
  }),
  "the same, as a false list lacked jobs": callsCut({ story: { lifetimeS: 60 }, faults: met({ where: "jobs" }) }),
  "the same, as github-token was refused just before that machine was made": callsCut({
    story: { lifetimeS: 60 },
    faults: met({ where: "runners", what: "403" }, 5),
  }),
  "no list had shown the job": record([], [{ ...FAILED, appearedAt: NEVER, shownAt: NEVER }]),
  "no list could show yet that its machine was stopped under the job": callsStoppedFailed(6),
  "a false list hid what a refused create had made": record([ONE], [], [saysNoneWasRented("main")], {
    faults: met({ where: "list", what: "partial" }),
  }),
  "a killed process owes no message": said(
    ends(60, "main", { isGreen: undefined, ...process("", { exitCode: null, wasKilled: true }) }),
  ),
  "somebody else was quicker at the market": inWorld({}, () => [
    ...asks(30),
    at(200, { what: "refuses", offer: 1 }),
    ...asks(300),
  ]),
  "a host is left alone after GitHub gave no further job to its machine": standsAfterItsJob(150),
  "the hosts of a world are slow": inWorld({ hosts: [aHost({ bootS: 900 })] }, () => asks(30, 300)),
};

test.each(Object.entries(NOT_BREAKING))("%s breaks no rule", (_what, well) => {
  expect(judge(well)).toEqual([]);
});
