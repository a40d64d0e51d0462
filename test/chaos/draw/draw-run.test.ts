import { expect, test } from "vitest";
import { Fault as GithubFault } from "../../../simulator/github/faults.ts";
import { Fault as ServiceFault } from "../../../simulator/scenario/fault.ts";
import { Scenario } from "../../../simulator/scenario/scenario.ts";
import type { PlannedRun } from "../planned-run.ts";
import { Dice } from "./dice.ts";
import { drawRun } from "./draw-run.ts";

const MANY = Array.from({ length: 400 }, (_, index) => drawRun(7, index));

test("the same seed and index give the same run, others another one", () => {
  expect(drawRun(7, 3)).toEqual(MANY[3]);
  expect(drawRun(7, 4)).not.toEqual(MANY[3]);
  expect(drawRun(8, 3)).not.toEqual(MANY[3]);
});

test("what is drawn are scenarios and faults that the simulator takes", () => {
  const byEntry = MANY.flatMap(({ faults }) => Object.values(faults));
  const service = [...byEntry.flatMap((one) => one.service), ...MANY.flatMap(({ machineFaults }) => machineFaults)];
  expect(() => service.map((fault) => ServiceFault.parse(fault))).not.toThrow();
  expect(() => byEntry.flatMap((one) => one.github).map((fault) => GithubFault.parse(fault))).not.toThrow();
  expect(() => MANY.map(({ offers }) => Scenario.parse({ offers }))).not.toThrow();
});

test("only fleets: what is drawn as one anyway is the same, and the others are fleets, too", () => {
  const fleets = MANY.map(({ index }) => drawRun(7, index, { fleets: true }));
  expect(fleets.every(({ inputs }) => inputs.machines !== undefined)).toBe(true);
  for (const [index, plan] of MANY.entries())
    if (plan.inputs.machines !== undefined) expect(fleets[index]).toEqual(plan);
});

test("with evidence that is none: the same runs, with faults in addition to their own, in half of the runs", () => {
  const plans = MANY.map(({ index }) => drawRun(7, index, { evidence: true }));
  const isSame = plans.map((plan, index) => JSON.stringify(plan) === JSON.stringify(MANY[index]));
  expect(isSame.filter(Boolean).length).toBeGreaterThan(150);
  expect(isSame.filter(Boolean).length).toBeLessThan(250);
  for (const [index, plan] of plans.entries()) {
    const { faults, ...rest } = plan;
    const { faults: before, ...same } = MANY[index] as PlannedRun;
    expect(rest).toEqual(same);
    expect(faults.main.service.slice(0, before.main.service.length)).toEqual(before.main.service);
    expect(faults.main.service.length > before.main.service.length).toBe(!isSame[index]);
  }
});

test("lists that lack rows and old ones are drawn for each list, and their totals give it away or not", () => {
  const github = MANY.flatMap(({ faults }) => Object.values(faults).flatMap((one) => one.github));
  const service = MANY.flatMap(({ faults }) => Object.values(faults).flatMap((one) => one.service));
  const lists = ["listInstances", "listJobs", "listRunners"];
  const short = [...github, ...service].filter((fault) => fault.kind === "short-list");
  for (const operation of lists) {
    const drawn = short.filter((fault) => fault.operation === operation);
    expect(new Set(drawn.map(({ lacks, total }) => `${lacks === "all" ? "empty" : "partial"}, ${total}`)).size).toBe(4);
  }
  const old = [...github, ...service].filter((fault) => fault.kind === "stale" || fault.kind === "stale-list");
  expect(new Set(old.filter(({ seconds = 0 }) => seconds >= 30).map(({ operation }) => operation))).toEqual(
    new Set(lists),
  );
});

test("max-cost from too little to plenty, keep-failed and more runners than a page has are drawn", () => {
  const costs = MANY.flatMap(({ inputs }) => inputs["max-cost"] ?? []).map(Number);
  expect([Math.min(...costs), Math.max(...costs)]).toEqual([0.005, 5]);
  expect(new Set(MANY.map(({ inputs }) => inputs["keep-failed"]))).toEqual(new Set([undefined, "30s", "60s"]));
  expect(new Set(MANY.map(({ otherRunners }) => otherRunners))).toEqual(new Set([undefined, 120]));
});

test("a plan is JSON: what is written down is the same plan", () => {
  for (const plan of MANY) expect(JSON.parse(JSON.stringify(plan))).toStrictEqual(plan);
});

test("fleets are drawn in all their kinds, calm and troubled, with hosts that are late or never call", () => {
  const fleets = MANY.filter(({ jobs }) => jobs.length > 1);
  expect(fleets.length).toBeGreaterThan(80);
  const drawn = (of: (plan: PlannedRun) => unknown) => new Set(fleets.map(of));
  expect(drawn(({ jobs }) => jobs.length)).toEqual(new Set([2, 3, 4, 5, 6]));
  expect(drawn(({ inputs }) => inputs.machines)).toEqual(new Set(["1", "2", "3", "4"]));
  expect(drawn(({ inputs }) => inputs["jobs-per-machine"])).toEqual(new Set(["1", "2"]));
  expect(drawn(({ inputs }) => inputs.hedge)).toEqual(new Set(["true", "false"]));
  const jobs = fleets.flatMap((plan) => plan.jobs);
  expect(new Set(jobs.map(({ does }) => does)).size).toBe(4);
  expect(jobs.some(({ shownAfter }) => shownAfter !== undefined)).toBe(true);
  expect(jobs.some(({ cancelledAfter }) => cancelledAfter !== undefined)).toBe(true);
  const hosts = fleets.flatMap(({ offers }) => offers.map(({ simulate }) => simulate));
  expect(hosts.some((host) => host?.machine?.onstart === "skip")).toBe(true);
  expect(hosts.some((host) => (host?.statuses?.at(-1)?.after ?? 0) > 60)).toBe(true);
  expect(fleets.some(({ rivals }) => rivals !== undefined)).toBe(true);
  expect(fleets.some(({ matrix }) => matrix !== undefined)).toBe(true);
  const troubles = fleets.map(({ faults, mainDeath }) => faults.main.service.length + (mainDeath ? 1 : 0));
  expect(troubles.some((count) => count === 0) && troubles.some((count) => count > 0)).toBe(true);
});

test("every kind of fault and of death is drawn", () => {
  const kinds = (texts: (string | undefined)[]) => new Set(texts.filter((text) => text !== undefined));
  const service = kinds(
    MANY.flatMap(({ faults, machineFaults }) =>
      [...Object.values(faults).flatMap((one) => one.service), ...machineFaults].map(({ kind }) => kind),
    ),
  );
  // Never drawn: untagged images (an input), filters (the market), junk in rows (its own tests),
  // starts (we never start), and the end of the old list, which is only asked for where there are
  // no pages.
  const never = ["deprecated", "untagged-image", "ignore-filters", "junk", "start-queued"];
  const all = ServiceFault.options.map((option) => option.shape.kind.value).filter((kind) => !never.includes(kind));
  expect([...service].toSorted()).toEqual(all.toSorted());
  const github = kinds(
    MANY.flatMap(({ faults }) => Object.values(faults).flatMap((one) => one.github)).map((f) => f.kind),
  );
  expect([...github].toSorted()).toEqual(GithubFault.options.map((option) => option.shape.kind.value).toSorted());
  expect(kinds(MANY.map(({ mainDeath }) => mainDeath?.how)).size).toBe(4);
  expect(kinds(MANY.flatMap(({ machineDeaths }) => machineDeaths.map(({ how }) => how))).size).toBe(7);
  expect(kinds(MANY.map(({ post }) => (typeof post === "string" ? post : post.how))).size).toBe(5);
});

test("a weight of 0 is never drawn, and the ends of a range are", () => {
  const dice = new Dice("x");
  const drawn = Array.from({ length: 200 }, () => dice.weighted({ never: 0, rarely: 1, often: 9 }));
  expect(new Set(drawn)).toEqual(new Set(["rarely", "often"]));
  expect(new Set(Array.from({ length: 200 }, () => dice.whole(1, 3)))).toEqual(new Set([1, 2, 3]));
});
