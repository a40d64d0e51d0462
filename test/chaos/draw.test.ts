import { expect, test } from "vitest";
import { Fault as GithubFault } from "../../simulator/github/faults.ts";
import { Fault as ServiceFault } from "../../simulator/scenario/fault.ts";
import { Scenario } from "../../simulator/scenario/scenario.ts";
import { TROUBLES } from "../stories/troubles.ts";
import { drawPlan, isOfService, type Moment } from "./plan.ts";
import { planOf } from "./simulated.ts";

const PLANS = Array.from({ length: 600 }, (_, index) => drawPlan(7, index));
const MANY = PLANS.map(planOf);
const FAULTS = MANY.flatMap(({ faults, machineFaults }) => [...Object.values(faults).flat(), ...machineFaults]);
const SERVICE = FAULTS.filter(isOfService);
const GITHUB = FAULTS.filter((fault) => !isOfService(fault)) as GithubFault[];

test("the same seed and index give the same plan, another seed another one; it can be written down", () => {
  expect(drawPlan(7, 3)).toEqual(PLANS[3]);
  expect(drawPlan(8, 3)).not.toEqual(PLANS[3]);
  expect(PLANS.map((plan, index) => planOf(JSON.parse(JSON.stringify(plan)), index))).toEqual(MANY);
});

test("what is drawn are scenarios and faults that the simulator takes", () => {
  expect(() => SERVICE.map((fault) => ServiceFault.parse(fault))).not.toThrow();
  expect(() => GITHUB.map((fault) => GithubFault.parse(fault))).not.toThrow();
  expect(() => MANY.map(({ offers }) => Scenario.parse({ offers }))).not.toThrow();
});

test("every trouble is drawn but those of the virtual world alone, and every kind of fault and death", () => {
  const playable = TROUBLES.filter(({ isVirtual }) => !isVirtual).map(({ name }) => name);
  expect(new Set(MANY.flatMap(({ had }) => had))).toEqual(new Set(playable));
  // Never drawn: filters (the market), junk in rows (its own tests), the end of the old list, which is only asked for
  // where there are no pages, and a quota that is used up for the rest of the day.
  const never = ["search-quota", "deprecated", "ignore-filters", "junk"];
  const kinds = ServiceFault.options.map((option) => option.shape.kind.value).filter((kind) => !never.includes(kind));
  expect(new Set(SERVICE.map(({ kind }) => kind))).toEqual(new Set(kinds));
  const ofGithub = GithubFault.options.map((option) => option.shape.kind.value);
  expect(new Set(GITHUB.map(({ kind }) => kind))).toEqual(new Set(ofGithub));
  const ends = (of: (plan: (typeof MANY)[number]) => unknown[]) => new Set(MANY.flatMap(of)).size;
  expect(ends(({ mainDeath }) => (mainDeath ? [mainDeath.how] : []))).toBe(4);
  const placeOf = (moment: Moment) => (moment.at === "request" ? isOfService(moment) : moment.at);
  expect(ends(({ mainDeath }) => (mainDeath ? [placeOf(mainDeath.moment)] : []))).toBe(4);
  expect(ends(({ machineDeaths }) => machineDeaths.map(({ how }) => how))).toBe(8);
  expect(ends(({ post }) => [typeof post === "string" ? post : post.how])).toBe(3);
});

test("lists that lack rows and old ones are drawn for each list, and their totals give it away or not", () => {
  for (const operation of ["listInstances", "listJobs", "listRunners"]) {
    const ofOne = [...SERVICE, ...GITHUB].filter((fault) => fault.operation === operation);
    const short = ofOne.filter((fault) => fault.kind === "short-list");
    expect(new Set(short.map(({ lacks, total }) => `${lacks === "all" ? "empty" : "partial"}, ${total}`)).size).toBe(4);
    expect(ofOne.some(({ kind }) => kind === "stale" || kind === "stale-list")).toBe(true);
  }
});
