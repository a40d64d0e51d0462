import { expect, test } from "vitest";
import { aFault } from "./fault.ts";
import { shrink } from "./shrink.ts";
import { aHost, aRunJob, aStory, type Story } from "./story.ts";

const OLD = aFault({ where: "jobs", what: "old", fromS: 5 });
const WHOLE = aStory({
  machines: 4,
  hosts: [aHost({ fate: "broken", bootS: 90 }), aHost({ price: 0.2, isDeaf: true })],
  jobsOfRun: [aRunJob({ appearsS: 30 }), aRunJob({ conclusion: "failure", lastsS: 20 })],
  faults: [aFault({ where: "create", what: "lost" }), OLD],
  maxCost: 5,
});

test.each<[string, (story: Story) => boolean, Partial<Story>]>([
  [
    "the fault and the host that the broken rule needs",
    ({ faults, hosts }) => faults.some(({ what }) => what === "old") && hosts.some(({ isDeaf }) => isDeaf),
    { hosts: [aHost({ isDeaf: true })], faults: [OLD] },
  ],
  [
    "so many plain jobs as it needs",
    ({ jobsOfRun, machines }) => jobsOfRun.length > 1 && machines > 1,
    { machines: 4, jobsOfRun: [aRunJob(), aRunJob()] },
  ],
  [
    "nothing that was needed only beside something that is gone",
    ({ faults, maxCost }) => faults.length < 2 || maxCost !== undefined,
    {},
  ],
  ["all, where it breaks for nothing", () => false, WHOLE],
])("what is left is %s, however many are played side by side", async (_what, breaks, left) => {
  const play = async (story: Story) => breaks(story) || undefined;
  for (const atOnce of [1, 7])
    expect((await shrink(WHOLE, aStory(), { most: 1000, atOnce, play })).plan).toEqual(aStory(left));
});

test("plays are bounded", async () => {
  const shrunk = await shrink(WHOLE, aStory(), { most: 9, atOnce: 4, play: async () => undefined });
  expect(shrunk).toEqual({ broken: undefined, plan: WHOLE, plays: 8 });
});
