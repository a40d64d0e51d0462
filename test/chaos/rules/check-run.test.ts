import { expect, test } from "vitest";
import { drawRun } from "../draw.ts";
import type { RunFacts, StageFacts } from "../run-facts.ts";
import { checkRun } from "./check-run.ts";
import { facts, instance, PREFIX, stage } from "./facts.ts";

const texts = (run: Partial<RunFacts>) => checkRun(facts(run)).map(({ rule, text }) => `${rule}: ${text}`);

test("a run in which all is well breaks no rule", () => {
  expect(texts({ instances: [instance(1), instance(2, { createdAt: 30_000, goneAt: 40_000 })] })).toEqual([]);
});

test("a leak after a green post is reported", () => {
  const instances = [instance(1, { goneAt: undefined })];
  expect(texts({ instances, post: stage("post", { alive: [1] }) })).toEqual([
    "money: After post, which ended with code 0, there still is instance 1.",
  ]);
});

test("the second machine of one create is no leak that lists showed only when post had looked; a sweep ends it", () => {
  const left = (label: string, visibleAt: number) => {
    const second = instance(2, { createdAt: 30_000, goneAt: undefined, label, visibleAt });
    return texts({ instances: [instance(1), second], post: stage("post", { endedAt: 100_000, alive: [2] }) });
  };
  expect(left(instance(1).label, 45_000)).toEqual([]);
  expect(left(instance(1).label, 35_000)).toHaveLength(1);
  expect(left(instance(2).label, 45_000)).toHaveLength(1);
});

test("a post that failed must name what is left; a whole prefix is a name, too", () => {
  const instances = [instance(77, { goneAt: undefined })];
  const red = (what: string) => {
    const log = `::error title=InstanceNotDestroyedError::${what} may still be billing: it could not be confirmed.`;
    return texts({
      instances,
      post: stage("post", { exitCode: 1, alive: [77], log }),
      plan: { ...drawRun(1, 1), isHeavy: true },
    });
  };
  expect(red("Instance 77")).toEqual([]);
  expect(red(`Whatever is labelled ${PREFIX}.…`)).toEqual([]);
  expect(red("Instance 76")).toEqual([expect.stringMatching(/^money: Post does not name instance 77: /)]);
});

test("a post that stops where it had the time, and one that takes too long, are late", () => {
  const log = "::error title=InstanceNotDestroyedError::Instance 1 may still be billing.";
  expect(texts({ post: stage("post", { exitCode: 1, log }) })).toEqual([
    expect.stringMatching(/^time: Post gave up though it had the time/),
  ]);
  expect(texts({ post: stage("post", { endedAt: 300_000 }) })).toEqual(["time: post took 300 s."]);
});

test("a leak after the last sweep, and one that a green sweep keeps silent about, are reported", () => {
  const instances = [instance(1, { goneAt: undefined })];
  expect(texts({ instances, post: undefined, sweeps: [stage("sweep", { alive: [1] })] })).toEqual([
    "money: After the last sweep there still is instance 1.",
    "money: A green sweep does not name instance 1, which is left.",
  ]);
});

test("a sweep need not name what a list that is too old did not show it yet; the next one must", () => {
  const instances = [instance(1, { goneAt: undefined, visibleAt: 37_000 })];
  const stale = { operation: "listInstances", kind: "stale-list", seconds: 7, nth: 1, times: 1 } as const;
  const { plan } = facts({});
  const faults = { ...plan.faults, sweep: { service: [stale], github: [] } };
  const swept = (startedAt: number, at = 50_000) => {
    const sweeps = [stage("sweep", { startedAt, alive: [1] }), stage("sweep", { startedAt: 90_000 })];
    const hits = [{ at, operation: "listInstances", kind: "stale-list" }];
    return texts({ plan: { ...plan, faults }, instances, post: undefined, sweeps, hits });
  };
  // Where it was not met, lists were as they should be.
  expect(swept(43_000, 42_000)).toHaveLength(1);
  expect(swept(43_000)).toEqual([]);
  expect(swept(44_000)).toEqual(["money: A green sweep does not name instance 1, which is left."]);
});

test("a sweep need not name what a list hid that said it was whole; nor may it hide behind one that did not", () => {
  const instances = [instance(1, { goneAt: undefined })];
  const { plan } = facts({});
  const swept = (total: "all" | "shown", at: number) => {
    const short = { operation: "listInstances", kind: "short-list", lacks: "all", total } as const;
    const faults = { ...plan.faults, sweep: { service: [short], github: [] } };
    const sweeps = [stage("sweep", { startedAt: 50_000, alive: [1] }), stage("sweep", { startedAt: 90_000 })];
    const hits = [{ at, operation: "listInstances", kind: "short-list" }];
    return texts({ plan: { ...plan, faults }, instances, post: undefined, sweeps, hits });
  };
  expect(swept("shown", 55_000)).toEqual([]);
  expect(swept("all", 55_000)).toHaveLength(1);
  expect(swept("shown", 45_000)).toHaveLength(1);
});

test("machines that cost more than max-cost are reported; a second one of the same create is not counted", () => {
  const { plan } = facts({});
  const limited = { ...plan, inputs: { ...plan.inputs, "max-cost": "0.03", machines: "2" } };
  const spent = (...costs: number[]) => costs.map((cost, index) => instance(index + 1, { cost }));
  expect(texts({ plan: limited, instances: spent(0.02, 0.02) })).toEqual([]);
  expect(texts({ plan: limited, instances: spent(0.02, 0.025) })).toEqual([
    "money: All machines cost 0.0450 USD, and max-cost is 0.03.",
  ]);
  const [first, second] = spent(0.02, 0.025);
  const twin = { ...second, label: first?.label } as typeof first;
  expect(texts({ plan: limited, instances: [first, twin].flatMap((each) => each ?? []) })).toEqual([]);
});

test("a machine that a sweep leaves and names, because it had no answer in time, is late: it counts when it comes again", () => {
  const instances = [instance(1, { goneAt: undefined })];
  const swept = (log: string) => texts({ instances, post: undefined, sweeps: [stage("sweep", { alive: [1], log })] });
  const why = "whether its run is over is not known (GitHub could not be asked); it goes after 2026-11-22.";
  expect(swept(`Instance 1 is left: ${why}`)).toEqual(["time: After the last sweep there still is instance 1."]);
  expect(swept("Instance 1 is left: its run is not over.")).toEqual([
    "money: After the last sweep there still is instance 1.",
  ]);
});

test("a machine that outlives its label is reported", () => {
  expect(texts({ overdue: [{ id: 5, expiry: 100, seenAt: 170_000 }] })).toEqual([
    "money: Instance 5 could have ended itself, and is there after the time on its label.",
  ]);
});

test("a machine too many is reported; a stray that main never knew is not, nor one next to a machine that is over", () => {
  const second = instance(2, { createdAt: 15_000, goneAt: 40_000 });
  expect(texts({ instances: [instance(1), second] })).toEqual([
    "money: Instance 2 was created while instance 1 lived, and machines is 1.",
  ]);
  expect(texts({ instances: [instance(1, { isKnown: false }), second] })).toEqual([]);
  expect(texts({ instances: [instance(1, { overAt: 14_000 }), second] })).toEqual([]);
  expect(texts({ instances: [instance(1, { overAt: 16_000 }), second] })).toHaveLength(1);
});

test("a fleet may have as many machines at a time as `machines` says, and no more", () => {
  const { plan } = facts({});
  const fleet = { plan: { ...plan, inputs: { ...plan.inputs, machines: "2" } } };
  const three = [1, 2, 3].map((id) => instance(id, { createdAt: 10_000 + id, goneAt: 50_000 }));
  expect(texts({ ...fleet, instances: three.slice(0, 2) })).toEqual([]);
  expect(texts({ ...fleet, instances: three })).toEqual([
    "money: Instance 3 was created while instance 1, 2 lived, and machines is 2.",
  ]);
});

test("a message that is not true is reported", () => {
  const main = (sentence: string, more: Partial<StageFacts> = {}) =>
    stage("main", { exitCode: 1, log: `::error title=NoOfferError::No offer. ${sentence}`, ...more });
  expect(texts({ main: main("Nothing was rented."), instances: [instance(1)] })).toEqual([
    "money: main says that nothing was rented, and there was instance 1.",
  ]);
  expect(texts({ main: main("Nothing is rented any more.", { alive: [1] }), instances: [instance(1)] })).toEqual([
    "money: main says that nothing is rented any more, and there is instance 1.",
  ]);
});

test("a post that says that nothing was rented, where something was, is reported", () => {
  const post = stage("post", { log: "Nothing was rented." });
  expect(texts({ post, instances: [instance(1)] })).toEqual([
    "money: post says that nothing was rented, and there was instance 1.",
  ]);
});

test("a colour and a message that don't agree are reported; a process that was killed owes no message", () => {
  expect(texts({ main: stage("main", { exitCode: 1 }) })).toEqual(["money: main is red, and does not say why."]);
  expect(texts({ main: stage("main", { log: "::error title=Bug::x" }) })).toEqual([
    "money: main is green, and says: ::error title=Bug::x",
  ]);
  expect(texts({ main: stage("main", { exitCode: 7 }) })).toEqual(["money: main ended with code 7."]);
  expect(texts({ main: stage("main", { exitCode: null, killed: { at: 1, how: "SIGKILL" } }) })).toEqual([]);
  expect(texts({ main: stage("main", { exitCode: null }) })).toEqual(["money: main ended with code null."]);
});
