import { expect, test } from "vitest";
import { UserError } from "../../../src/shared/user-error.ts";
import type { MainEnd } from "../drive.ts";
import { Faults } from "../fault.ts";
import { PREFIX } from "../outside.ts";
import { aHost, aStory, latestEnd, type Story } from "../story.ts";
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

/** A record of processes alone. */
const said = (...timeline: Timeline) => record([], [], timeline);

/** A record of the virtual world, in which somebody has let that be so. */
function inWorld(story: Partial<Story>, happens: (world: World) => Timeline): RunRecord {
  const world = new World(aStory(story));
  return { ...record([], [], happens(world)), happened: world, world };
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

/** For each rule what breaks it, and nothing else. */
const BREAKING: Record<Rule, readonly [RunRecord, ...RunRecord[]]> = {
  "nothing bills after the end": [record([STAYS]), said(begins(60, "post"), names(70, "instance 1"))],
  "nothing bills after a sweep": [record([STAYS], [], [begins(0, "sweep"), ends(90, "sweep", { isLast: true })])],
  "who leaves a machine names it": [
    record([STAYS], [], [names(70, "instance 76")], MAY_GIVE_UP),
    record([STAYS], [], [begins(60, "sweep"), ends(70, "sweep", process())]),
    record([ONE], [], [names(400, "instance 1")], MAY_GIVE_UP),
  ],
  "nothing bills after its deadline": [
    record([STAYS], [], asks(600, 900)),
    said(at(1, { what: "outlives its label", machine: STAYS })),
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
  "a waiting job gets a machine": [record([], [FAILED], [ends(60, "main", { isGreen: false })], { able: [0] })],
  "failed is failed, lost is lost": [
    record([ONE], [FAILED], [ends(60, "main", verdict({ lost: [0], error: LOST }))]),
    inWorld({ hosts: [aHost({ fate: "stopped" })] }, (world) => {
      const box = Object.assign(madeIn(world), { deadAt: 20 * S });
      jobIn(world, { startedAt: 12 * S, lostAt: 20 * S, overAt: 56 * S, conclusion: "failure", box });
      return [begins(0, "main"), ends(60, "main", verdict({ bad: [100], error: LOST }))];
    }),
  ],
  "the end is true of the jobs": [
    record([ONE], [FAILED]),
    record([ONE], [WELL], [ends(60, "main", { isGreen: false, named: [0] })]),
    record([ONE], [FAILED], [ends(60, "main", verdict({}))]),
    record([GONE], [], [ends(60, "main", verdict({ kind: "ready" }))], { story: { hold: false } }),
  ],
  "max-cost is kept": [
    record([machine(1, { billed: { cost: 0.05, hourly: 0.3 } })], [], [], { story: { maxCost: 0.03 } }),
    inWorld({ maxCost: 0.1 }, () => [creates(1, { offer: 1, deadline: 3600 * S })]),
  ],
  "GitHub is not asked too often": [
    said(...many(301, { what: "asks GitHub" }), ...asks(2)),
    said(...many(41, { what: "removes in vain", runner: RUNNER })),
  ],
  "no more machines than allowed": [
    record([ONE, machine(2)], [], asks(20)),
    record([machine(1, { createdAt: 0 })], [], create(2)),
    record([kept(1, 20, 400), kept(2, 400, 400)], [], asks(25, 240, 310)),
  ],
  "one create at a time, and written down": [
    said(...create(1), ...create(1)),
    record([], [], create(1), { isPending: () => false }),
  ],
  "only what is ours is destroyed": [said(at(1, { what: "destroys another's", id: 5, isLeft: true }))],
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
  "colour and message agree": [
    said(ends(60, "main", { isGreen: false, ...process("", { exitCode: 1 }) })),
    said(ends(60, "sweep", process("::error title=Bug::x"))),
  ],
  "no word of the bill is false": [
    record([ONE], [], [saysNoneWasRented("post")]),
    record([ONE], [], [saysNoneWasRented("main")]),
    record([STAYS], [], [ends(60, "main", process("::error title=X::Nothing is rented any more.", { exitCode: 1 }))]),
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

// A rule that is broken by nothing turns drawn stories red.
test("a run in which all is well breaks no rule", () => {
  expect(judge(record([ONE], [WELL], undefined, { able: [0] }))).toEqual([]);
});
