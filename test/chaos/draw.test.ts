import { expect, test } from "vitest";
import { Fault as GithubFault } from "../../simulator/github/faults.ts";
import { Fault as ServiceFault } from "../../simulator/scenario/fault.ts";
import { TROUBLES } from "../stories/troubles.ts";
import { drawPlan } from "./plan.ts";
import { isOfService, planOf } from "./simulated.ts";

const PLANS = Array.from({ length: 600 }, (_, index) => drawPlan(7, index));
const MANY = PLANS.map(planOf);
const FAULTS = MANY.flatMap(({ faults, machineFaults }) => [...Object.values(faults).flat(), ...machineFaults]);
const SERVICE = FAULTS.filter(isOfService);
const GITHUB = FAULTS.filter((fault) => !isOfService(fault));

test("the same seed and index give the same plan, another seed another one; it can be written down", () => {
  expect(drawPlan(7, 3)).toEqual(PLANS[3]);
  expect(drawPlan(8, 3)).not.toEqual(PLANS[3]);
  expect(PLANS.map((plan, index) => planOf(JSON.parse(JSON.stringify(plan)), index))).toEqual(MANY);
});

test("every trouble is drawn but those of the virtual world alone, and every kind of fault and death", () => {
  const playable = TROUBLES.filter(({ isVirtual }) => !isVirtual).map(({ name }) => name);
  expect(new Set(MANY.flatMap(({ had }) => had))).toEqual(new Set(playable));
  // Never drawn: filters (the market), junk in rows and pages that repeat (their own tests), the end of the old list,
  // which is only asked for where there are no pages, and a quota that is used up for the rest of the day.
  const never = ["search-quota", "deprecated", "ignore-filters", "junk", "repeat-page"];
  const kinds = ServiceFault.options.map((option) => option.shape.kind.value).filter((kind) => !never.includes(kind));
  expect(new Set(SERVICE.map(({ kind }) => kind))).toEqual(new Set(kinds));
  const ofGithub = GithubFault.options.map((option) => option.shape.kind.value);
  expect(new Set(GITHUB.map(({ kind }) => kind))).toEqual(new Set(ofGithub));
  const ends = (of: (plan: (typeof MANY)[number]) => unknown[]) => new Set(MANY.flatMap(of)).size;
  expect(ends(({ mainDeath }) => (mainDeath ? [mainDeath.how] : []))).toBe(4);
  expect(ends(({ machineDeaths }) => machineDeaths.map(({ how }) => how))).toBe(7);
  expect(ends(({ hasPost, postDeath }) => [hasPost, postDeath === undefined])).toBe(2);
});
