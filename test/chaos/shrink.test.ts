import { expect, test } from "vitest";
import { drawRun } from "./draw/draw-run.ts";
import type { PlannedRun } from "./planned-run.ts";
import { shorter, shrink } from "./shrink.ts";

const SPARE = { "max-cost": "1", "keep-failed": "30s" };

/** The first drawn run of several jobs with faults, deaths, a matrix and a rival, and what is drawn seldom. */
const WHOLE = (() => {
  for (let index = 0; index < 5000; index += 1) {
    const plan = drawRun(3, index);
    const { faults, jobs, machineDeaths, matrix, rivals } = plan;
    if (jobs.length > 2 && faults.main.service.length > 1 && machineDeaths.length > 0 && matrix && rivals)
      return { ...plan, otherRunners: 120, inputs: { ...plan.inputs, ...SPARE } };
  }
  throw new Error("No such run is drawn.");
})();

const ALL = { most: 1000, atOnce: 1 };
const hasFault = ({ faults }: PlannedRun, kind: string) => faults.main.service.some((fault) => fault.kind === kind);

test("only what the broken rule needs is left, and that still breaks it", async () => {
  const [needed] = WHOLE.faults.main.service;
  const breaks = (plan: PlannedRun) => hasFault(plan, needed?.kind ?? "") && plan.jobs.length >= 2;
  const { plan, isShortest } = await shrink(WHOLE, { ...ALL, play: async (each) => breaks(each) || undefined });
  expect(isShortest).toBe(true);
  expect(breaks(plan)).toBe(true);
  expect(plan.jobs.map(({ does, shownAfter }) => [does, shownAfter])).toEqual([
    ["short", undefined],
    ["short", undefined],
  ]);
  expect(plan.faults.main.service.map(({ kind }) => kind)).toEqual([needed?.kind]);
  expect(plan.faults).toMatchObject({ main: { github: [] }, post: { service: [], github: [] } });
  expect(plan).toMatchObject({ machineDeaths: [], machineFaults: [], post: "runs", dialect: "observed" });
  expect(plan).not.toHaveProperty("matrix");
  expect(plan).not.toHaveProperty("otherRunners");
  for (const name of Object.keys(SPARE)) expect(plan.inputs[name]).toBeUndefined();
  expect(plan.offers.filter(({ id }) => id >= 11)).toHaveLength(1);
  expect(plan.inputs).toMatchObject({ machines: "1", hedge: "false" });
  // And nothing of the shortest one can be left out.
  expect(shorter(plan).filter((each) => breaks(each.plan))).toEqual([]);
});

test("the same is found however many are played side by side", async () => {
  const play = async (plan: PlannedRun) => (plan.rivals && plan.matrix ? plan.jobs.length : undefined);
  const one = await shrink(WHOLE, { ...ALL, play });
  const many = await shrink(WHOLE, { ...ALL, atOnce: 7, play });
  expect(many.plan).toEqual(one.plan);
  expect(one.plan).toMatchObject({ rivals: WHOLE.rivals, matrix: WHOLE.matrix });
  expect(one.broken).toBe(1);
});

test("what was needed together with something that is gone is tried again", async () => {
  // The offer is needed only while there is a matrix.
  const isNeeded = ({ matrix, offers }: PlannedRun) => !matrix || offers.length === WHOLE.offers.length;
  const { plan } = await shrink(WHOLE, { ...ALL, play: async (each) => isNeeded(each) || undefined });
  expect(plan.matrix).toBe(undefined);
  expect(plan.offers.filter(({ id }) => id >= 11)).toHaveLength(1);
});

test("plays are bounded, and that not all was tried is said; a run that is broken for nothing stays whole", async () => {
  const { plays, isShortest, plan } = await shrink(WHOLE, { most: 9, atOnce: 4, play: async () => undefined });
  expect({ plays, isShortest, plan }).toEqual({ plays: 8, isShortest: false, plan: WHOLE });
});
