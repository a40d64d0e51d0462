import { expect, test } from "vitest";
import { UserError } from "../../../src/shared/user-error.ts";
import type { MainEnd } from "../drive.ts";
import { Faults } from "../fault.ts";
import { PREFIX } from "../outside.ts";
import type { Story } from "../story.ts";
import { aHost, aRunJob, aStory } from "../story.ts";
import type { Box } from "../things.ts";
import { World } from "../world.ts";
import type { Ended, Happening, Job, Machine, RunRecord } from "./record.ts";
import { judge } from "./referee.ts";
import { RULES, type Rule } from "./rule.ts";

const NEVER = Number.POSITIVE_INFINITY;
const LOST = new (class extends UserError {})("a machine was lost");
const S = 1000;

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

const FAILED = { conclusion: "failure", overAt: 20 * S } as const;
const RUNS = { conclusion: undefined, overAt: NEVER } as const;

/** What is said of a process that ended well after a minute. */
function process(log = "", given: Partial<NonNullable<Ended["process"]>> = {}): NonNullable<Ended["process"]> {
  return { exitCode: 0, wasKilled: false, isStopped: false, overran: false, tookMs: 60 * S, log, ...given };
}

const at = (seconds: number, happening: Happening) => ({ ...happening, at: seconds * S });
const asks = (...seconds: number[]) => seconds.map((each) => at(each, { what: "asks" }));
const begins = (seconds: number, phase: "main" | "post" | "sweep") =>
  at(seconds, { what: "begins", phase, isRunOver: phase === "sweep" });
const ends = (seconds: number, stage: Ended["stage"], given: Partial<Ended> = {}) =>
  at(seconds, { what: "ends", stage, isGreen: true, named: [], undestroyed: [], ...given });
const verdict = (given: Partial<MainEnd>): Partial<Ended> => ({
  isGreen: given.error === undefined,
  verdict: { kind: "over", bad: [], lost: [], error: undefined, ...given },
});

type Given = Partial<RunRecord> & { boxes?: Machine[]; jobs?: Job[]; story?: Partial<Story> };

/** Main and post, and nothing that must not be, but for what is given. */
function record({ boxes = [], jobs = [], story = {}, ...given }: Given): RunRecord {
  return {
    happened: { now: 0, story: aStory(story), boxes, jobs, note() {} },
    ...{ faults: new Faults([]), blurMs: 0, isKnown: () => true, mayGiveUp: () => false },
    timeline: [begins(0, "main"), ends(60, "main"), begins(60, "post"), ends(70, "post")],
    ...given,
  };
}

/** A record of the virtual world, in which somebody has let that be so. */
function inWorld(
  story: Partial<Story>,
  happens: (world: World) => RunRecord["timeline"],
  given: Partial<RunRecord> = {},
): RunRecord {
  const world = new World(aStory(story));
  const timeline = happens(world);
  return { ...record(given), happened: world, world, timeline };
}

/** A machine of that world whose first runner is online. */
function madeIn(world: World, offer = 1, runners = [world.register(`r${offer}`)]): Box {
  const [current] = runners;
  const box = world.make({
    n: offer,
    label: `${PREFIX}.${offer}.99`,
    offer,
    runners,
    deadline: 3600 * S,
    bid: undefined,
  });
  return Object.assign(box, { runningAt: 0, listenAt: NEVER, current, deadAt: NEVER, goneAt: NEVER });
}

/** The first job of that world runs on it, or waits. */
function jobIn(world: World, given: Partial<World["jobs"][number]> = {}): void {
  Object.assign(world.jobs[0] ?? {}, { appearedAt: 0, queuedAt: 0, shownAt: 0, ...given });
}

const ONE = machine(1);
const STAYS = machine(1, { goneAt: NEVER });
const TWINS = [STAYS, machine(2, { n: 1, isTwin: true, goneAt: NEVER })];
const KILLED = process("", { exitCode: 1, overran: true });
const many = (times: number, happening: Happening) => Array.from({ length: times }, () => at(1, happening));
const create = (n: number) => [at(1, { what: "creates", create: { n, label: "" } }), at(2, { what: "created" })];
const destroys = (seconds: number, one: Machine) => at(seconds, { what: "destroys", machine: one, by: "us" });
const RUNNER = new World(aStory()).register("r");

/** For each rule what breaks it, and nothing else. */
const ROWS: readonly [Rule, RunRecord][] = [
  ["nothing bills after the end", record({ boxes: [STAYS] })],
  [
    "nothing bills after the end",
    record({ timeline: [begins(60, "post"), ends(70, "post", { undestroyed: ["instance 1"] })] }),
  ],
  [
    "nothing bills after a sweep",
    record({ boxes: [STAYS], timeline: [begins(0, "sweep"), ends(90, "sweep", { isLast: true })] }),
  ],
  [
    "who leaves a machine names it",
    record({ boxes: [STAYS], mayGiveUp: () => true, timeline: [ends(70, "post", { undestroyed: ["instance 76"] })] }),
  ],
  [
    "who leaves a machine names it",
    record({ boxes: [STAYS], timeline: [begins(60, "sweep"), ends(70, "sweep", { process: process() })] }),
  ],
  ["nothing bills after its deadline", record({ boxes: [STAYS], timeline: asks(600, 900) })],
  ["nothing bills after its deadline", record({ timeline: [at(1, { what: "outlives its label", machine: STAYS })] })],
  ["nothing dead is kept", record({ boxes: [machine(1, { goneAt: NEVER, deadAt: 20 * S })], timeline: asks(30, 300) })],
  [
    "nobody keeps what no job needs",
    inWorld({}, (world) => {
      madeIn(world);
      jobIn(world, { startedAt: 0, overAt: 1, conclusion: "success" });
      return asks(10, 200);
    }),
  ],
  ["a running job keeps its machine", record({ boxes: [ONE], jobs: [job(ONE, RUNS)], timeline: [destroys(49, ONE)] })],
  [
    "a running job keeps its machine",
    record({
      boxes: [ONE],
      jobs: [job(ONE)],
      timeline: [begins(0, "post"), at(30, { what: "destroys", machine: ONE, by: "itself" })],
    }),
  ],
  [
    "who takes a machine from a job says so",
    record({
      ...{ story: { hold: false }, boxes: [ONE], jobs: [job(ONE, RUNS)] },
      timeline: [ends(20, "main"), begins(20, "post"), destroys(49, ONE), ends(70, "post")],
    }),
  ],
  [
    "machines of one create are not ended under its job",
    record({ boxes: TWINS, jobs: [job(STAYS, RUNS)], timeline: TWINS.slice(1).map((twin) => destroys(40, twin)) }),
  ],
  [
    "a shared runner is kept for its job",
    inWorld({ machines: 2 }, (world) => {
      const runner = world.register("r");
      madeIn(world, 1, [runner]);
      madeIn(world, 2, [runner]).n = 1;
      jobIn(world);
      return [at(60, { what: "removes", runner, isInVain: false })];
    }),
  ],
  ["a waiting job gets a machine", inWorld({}, () => asks(30, 300))],
  [
    "a waiting job gets a machine",
    record({ able: [0], jobs: [job(ONE, FAILED)], timeline: [ends(60, "main", { isGreen: false })] }),
  ],
  [
    "the end blames what is so",
    inWorld({}, () => [ends(60, "main", verdict({ kind: "stopped", stop: "refused", error: LOST }))]),
  ],
  [
    "the end blames what is so",
    record({ boxes: [ONE], mayGiveUp: () => true, timeline: [ends(400, "post", { undestroyed: ["instance 1"] })] }),
  ],
  [
    "failed is failed, lost is lost",
    record({
      boxes: [ONE],
      jobs: [job(ONE, FAILED)],
      timeline: [ends(60, "main", verdict({ lost: [0], error: LOST }))],
    }),
  ],
  ["the end is true of the jobs", record({ boxes: [ONE], jobs: [job(ONE, FAILED)] })],
  [
    "the end is true of the jobs",
    record({ boxes: [ONE], jobs: [job(ONE)], timeline: [ends(60, "main", { isGreen: false, named: [0] })] }),
  ],
  [
    "the end is true of the jobs",
    record({ boxes: [ONE], jobs: [job(ONE, FAILED)], timeline: [ends(60, "main", verdict({}))] }),
  ],
  [
    "no host is blamed for our own ending",
    inWorld({}, (world) => {
      madeIn(world);
      return [at(60, { what: "remembers", kind: "failed", host: 100 })];
    }),
  ],
  [
    "max-cost is kept",
    record({ story: { maxCost: 0.03 }, boxes: [machine(1, { billed: { cost: 0.05, hourly: 0.3 } })] }),
  ],
  [
    "max-cost is kept",
    inWorld({ maxCost: 0.1 }, () => [
      at(1, { what: "creates", create: { n: 1, label: "", offer: 1, deadline: 3600 * S } }),
    ]),
  ],
  ["GitHub is not asked too often", record({ timeline: [...many(301, { what: "asks GitHub" }), ...asks(2)] })],
  [
    "GitHub is not asked too often",
    record({ timeline: many(41, { what: "removes", runner: RUNNER, isInVain: true }) }),
  ],
  ["no more machines than allowed", record({ boxes: [ONE, machine(2)], timeline: asks(20) })],
  ["no more machines than allowed", record({ boxes: [machine(1, { createdAt: 0 })], timeline: create(2) })],
  ["one create at a time, and written down", record({ timeline: [...create(1), ...create(1)] })],
  ["one create at a time, and written down", record({ timeline: create(1), isPending: () => false })],
  [
    "only what is ours is destroyed",
    record({ timeline: [at(1, { what: "destroys another's", id: 5, swept: "by any sweep" })] }),
  ],
  [
    "a cancelled job is let end",
    inWorld({}, (world) => {
      const box = madeIn(world);
      jobIn(world, { startedAt: 10, box, runner: Object.assign(world.register("r"), { onlineAt: 5 }) });
      world.cancelledAt = 60 * S;
      return [begins(61, "post"), destroys(62, box)];
    }),
  ],
  [
    "a job that can have no machine does not wait",
    inWorld({}, () => [ends(60, "main", verdict({ kind: "threw", error: LOST })), ends(900, "post")]),
  ],
  [
    "a job has its own result",
    inWorld({ isCancelQuick: true, jobsOfRun: [] }, (world) => {
      world.cancelledAt = 60 * S;
      return [ends(50, "main", verdict({ kind: "threw", error: LOST })), ends(70, "post")];
    }),
  ],
  [
    "colour and message agree",
    record({ timeline: [ends(60, "main", { isGreen: false, process: process("", { exitCode: 1 }) })] }),
  ],
  ["colour and message agree", record({ timeline: [ends(60, "sweep", { process: process("::error title=Bug::x") })] })],
  [
    "no word of the bill is false",
    record({ boxes: [ONE], timeline: [ends(60, "post", { process: process("Nothing was rented.") })] }),
  ],
  [
    "no word of the bill is false",
    record({
      boxes: [STAYS],
      timeline: [
        ends(60, "main", { process: process("::error title=X::Nothing is rented any more.", { exitCode: 1 }) }),
      ],
    }),
  ],
  ...["known-1.x", `${`known-1.${"a".repeat(22)}.${"b".repeat(900)}\n`.repeat(60)}`].map((log): [Rule, RunRecord] => [
    "the history is one",
    record({ timeline: [ends(60, "post", { process: process(log) })] }),
  ]),
  [
    "the history is one",
    record({ timeline: [ends(60, "main", { process: process("Known: 1 host, from run 4700") })] }),
  ],
  ["post ends in time", record({ timeline: [ends(300, "post", { process: process("", { tookMs: 300 * S }) })] })],
  ["every story ends, and no fault is a bug", record({ timeline: [ends(60, "main", { process: KILLED })] })],
  [
    "every story ends, and no fault is a bug",
    record({ timeline: [ends(60, "main", verdict({ kind: "threw", error: new Error("x is undefined") }))] }),
  ],
  ["what no session may ever do", record({ breaches: ["The API key stands in a log."] })],
];

test.each(ROWS.map(([rule, broken], row) => ({ rule, broken, row })))("$rule (row $row)", ({ broken, rule }) => {
  expect(new Set(judge(broken).map((each) => each.rule))).toEqual(new Set([rule]));
});

test("each rule has a row that breaks it alone", () => {
  expect(new Set(ROWS.map(([rule]) => rule))).toEqual(new Set(Object.keys(RULES)));
});

/** Records that look wrong, and are not. */
test.each<[string, RunRecord]>([
  ["a run in which all is well", record({ boxes: [ONE], jobs: [job(ONE)], able: [0] })],
  [
    "a stray that main never knew stands beside one that it knew",
    record({ boxes: [ONE, machine(2, { isLate: true })], timeline: asks(20) }),
  ],
  [
    "one whose runners are used up stands beside another",
    record({ boxes: [machine(1, { overAt: 14 * S }), machine(2)], timeline: asks(20) }),
  ],
  [
    "a second machine of one create was listed when post had looked",
    record({ boxes: [machine(1, { isTwin: true, visibleAt: 40 * S, goneAt: NEVER })] }),
  ],
  [
    "post names the beginning of all labels",
    record({
      boxes: [STAYS],
      mayGiveUp: () => true,
      timeline: [ends(70, "post", { undestroyed: [`Whatever is labelled ${PREFIX}.…`] })],
    }),
  ],
  [
    "a machine is taken away at its deadline",
    record({ boxes: [ONE], jobs: [job(ONE, RUNS)], timeline: [destroys(600, machine(1, { deadline: 600 * S }))] }),
  ],
  [
    "its container had ended under the job",
    record({ boxes: [ONE], jobs: [job(ONE, { ...RUNS, lostAt: 30 * S })], timeline: [destroys(49, ONE)] }),
  ],
  ["no list had shown the job", record({ jobs: [job(ONE, { ...FAILED, appearedAt: NEVER, shownAt: NEVER })] })],
  [
    "a killed process owes no message",
    record({
      timeline: [ends(60, "main", { isGreen: undefined, process: process("", { exitCode: null, wasKilled: true }) })],
    }),
  ],
  [
    "the hosts of a world are slow",
    inWorld({ hosts: [aHost({ bootS: 900 })], jobsOfRun: [aRunJob()] }, () => asks(30, 300)),
  ],
])("%s breaks no rule", (_what, well) => {
  expect(judge(well)).toEqual([]);
});
