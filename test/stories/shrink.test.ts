import { expect, test } from "vitest";
import { shorter, shrink } from "./shrink.ts";
import type { Story } from "./story.ts";
import { aHost, aRunJob, aStory } from "./story.ts";

const LOST = { where: "create", what: "lost", fromS: 0, lastsS: 60, times: 1, detail: 30 } as const;
const OLD = { where: "jobs", what: "old", fromS: 5, lastsS: 90, times: 2, detail: 60 } as const;
const PLAIN = aStory();
const WHOLE = aStory({
  machines: 4,
  hosts: [aHost({ fate: "broken", bootS: 90 }), aHost({ price: 0.2, isDeaf: true })],
  jobsOfRun: [aRunJob({ appearsS: 30 }), aRunJob({ conclusion: "failure", lastsS: 20 })],
  faults: [LOST, OLD],
  maxCost: 5,
});
const ALL = { most: 1000, atOnce: 1 };

test("only what the broken rule needs is left, and that still breaks it", async () => {
  const breaks = ({ faults, hosts }: Story) =>
    faults.some(({ what }) => what === "old") && hosts.some(({ isDeaf }) => isDeaf);
  const { isShortest, plan } = await shrink(WHOLE, PLAIN, { ...ALL, play: async (each) => breaks(each) || undefined });
  expect({ isShortest, plan }).toEqual({
    isShortest: true,
    plan: aStory({ hosts: [aHost({ isDeaf: true })], faults: [OLD] }),
  });
  expect(shorter(plan, PLAIN).filter(({ value }) => breaks(value))).toEqual([]);
});

test("the same is found however many are played side by side", async () => {
  const play = async ({ jobsOfRun, machines }: Story) => (jobsOfRun.length > 1 && machines > 1 ? machines : undefined);
  const one = await shrink(WHOLE, PLAIN, { ...ALL, play });
  const many = await shrink(WHOLE, PLAIN, { ...ALL, atOnce: 7, play });
  expect(many.plan).toEqual(one.plan);
  expect(one).toMatchObject({ broken: 4, plan: { faults: [], machines: 4 } });
});

test("what was needed together with something that is gone is tried again", async () => {
  const isNeeded = ({ faults, maxCost }: Story) => faults.length < 2 || maxCost !== undefined;
  const { plan } = await shrink(WHOLE, PLAIN, { ...ALL, play: async (each) => isNeeded(each) || undefined });
  expect(plan).toEqual(PLAIN);
});

test("plays are bounded, and that not all was tried is said; a plan that is broken for nothing stays whole", async () => {
  const { isShortest, plan, plays } = await shrink(WHOLE, PLAIN, { most: 9, atOnce: 4, play: async () => undefined });
  expect({ isShortest, plan, plays }).toEqual({ isShortest: false, plan: WHOLE, plays: 8 });
});
