import { expect, test } from "vitest";
import type { PlannedRun } from "../planned-run.ts";
import type { RunFacts } from "../run-facts.ts";
import { checkJobs } from "./check-jobs.ts";
import { facts, instance, job, stage } from "./facts.ts";

const texts = (run: Partial<RunFacts>) => checkJobs(facts(run)).map(({ rule, text }) => `${rule}: ${text}`);
const planned = (more: Partial<PlannedRun>): PlannedRun => ({ ...facts({}).plan, ...more });
const red = (name: string, text: string) =>
  stage("main", { exitCode: 1, log: `::error title=What it says first (${name})::${text}` });

test("jobs that did well break no rule", () => {
  const machine = instance(1, { goneAt: 16_000, goneBy: "instance" });
  expect(texts({ instances: [machine], jobs: [job("a"), job("b", { instanceId: 2 })] })).toEqual([]);
});

test("a green main whose jobs failed, still run or wait is reported; one that no right list showed until the end is not", () => {
  const main = stage("main", { endedAt: 100_000 });
  const waits = { startedAt: undefined, endedAt: undefined, conclusion: undefined, instanceId: undefined };
  const jobs = [
    job("a", { conclusion: "failure" }),
    job("b", { endedAt: undefined, conclusion: undefined, instanceId: 9 }),
    job("c", waits),
    job("d", { ...waits, listedAt: 90_000 }),
    job("e", { ...waits, listedAt: undefined }),
  ];
  expect(texts({ main, jobs })).toEqual([
    "money: main is green, and 'a' ended with failure.",
    "money: main is green, and 'b' has not ended.",
    "money: main is green, and 'c' waits for a machine.",
  ]);
  expect(texts({ main, jobs, plan: planned({ inputs: { hold: "false" } }) })).toEqual([]);
});

test("a job that did well and is called lost or failed is reported", () => {
  const jobs = [job("a"), job("b", { conclusion: "failure" })];
  expect(texts({ main: red("MachineLostError", "Instance 1 vanished under 'a'."), jobs })).toEqual([
    "money: main says that 'a' did not do well, and it did.",
  ]);
  expect(texts({ main: red("GpuJobFailedError", "'b' (failure) did not succeed."), jobs })).toEqual([]);
});

test("an old or short list of jobs excuses that, while it can hide an end; another fault does not", () => {
  const main = { ...red("MachineLostError", "Instance 1 vanished under 'a'."), endedAt: 200_000 };
  const hit = (at: number, kind = "short-list") =>
    texts({ main, jobs: [job("a")], hits: [{ at, operation: "listJobs", kind }] });
  expect(hit(81_000)).toEqual([]);
  expect(hit(79_000)).toHaveLength(1);
  expect(hit(81_000, "status")).toHaveLength(1);
});

test("a machine that is taken away under a job is reported, by whomever; not at its deadline, and not by post", () => {
  const jobs = [job("a", { endedAt: undefined, conclusion: undefined })];
  const main = red("HoldError", "x");
  const gone = (more: object) => texts({ main, jobs, instances: [instance(1, { goneAt: 30_000, ...more })] });
  expect(gone({})).toEqual(["money: Instance 1 was destroyed by main while 'a' ran on it."]);
  expect(gone({ goneBy: "instance" })).toEqual(["money: Instance 1 was destroyed by itself while 'a' ran on it."]);
  expect(gone({ goneBy: "owner" })).toEqual([]);
  expect(gone({ deadline: 31_000 })).toEqual([]);
  expect(gone({ goneAt: 70_000 })).toEqual([]);
  const struck = (how: string, at = 25_000) => ({ machineDeaths: [{ at, how, id: 1 }] });
  const instances = [instance(1, { goneAt: 30_000 })];
  expect(texts({ main, jobs, instances, ...struck("outbid") })).toEqual([]);
  expect(texts({ main, jobs, instances, ...struck("outbid", 31_000) })).toHaveLength(1);
  expect(texts({ main, jobs, instances, ...struck("frozen") })).toHaveLength(1);
});

test("a green post that destroys a machine under a job, of a main that was green, is reported", () => {
  const run = {
    plan: planned({ inputs: { hold: "false" } }),
    post: stage("post", { startedAt: 60_000, endedAt: 90_000 }),
    jobs: [job("a", { endedAt: undefined, conclusion: undefined })],
    instances: [instance(1, { goneAt: 70_000 })],
  };
  expect(texts(run)).toEqual(["money: Post is green, and destroyed instance 1 under 'a'."]);
  expect(texts({ ...run, post: { ...run.post, exitCode: 1 } })).toEqual([]);
  const unread = (at: number) => ({ ...run, hits: [{ at, operation: "listJobs", kind: "status" }] });
  expect(texts(unread(61_000))).toEqual([]);
  expect(texts(unread(59_000))).toHaveLength(1);
  expect(texts({ ...run, main: red("HoldError", "x") })).toEqual([]);
});

test("where nothing goes wrong, a job that could do well and did not is late", () => {
  const inputs = { hold: "true", attempts: "4", "boot-timeout": "auto", "search-timeout": "30s" };
  const waits = { startedAt: undefined, endedAt: undefined, conclusion: undefined, instanceId: undefined };
  const run = (does: "short" | "failing") => ({
    plan: planned({ inputs, jobs: [{ name: "a", does }] }),
    main: red("ReadyTimeoutError", "x"),
    jobs: [job("a", waits)],
  });
  expect(texts(run("short"))).toEqual(["time: Nothing went wrong, and 'a' waits for a machine."]);
  expect(texts(run("failing"))).toEqual([]);
});
