import { beforeEach, expect, test, vi } from "vitest";
import { NoAnswerError } from "../../src/marketplace/errors.ts";
import { aFault } from "./fault.ts";
import type { Mutation } from "./outside.ts";
import { play } from "./play.ts";
import type { Rule } from "./referee/rule.ts";
import { aDeath, aHost, aRunJob, aStory, type Death, type Story } from "./story.ts";

/** The mutant that is played; and a module whose decisions differ by that. */
const mutant = vi.hoisted(() => ({
  name: "",
  async changed<Real extends object>(original: () => Promise<unknown>, change: (real: Real) => Partial<Real>) {
    const real = (await original()) as Real;
    return { ...real, ...change(real) };
  },
}));
const is = (name: Name) => mutant.name === name;

// The one place with vi.mock: a decision changes for all callers, and no port leads to it.
vi.mock("../../src/machine/label.ts", (original) =>
  mutant.changed<typeof import("../../src/machine/label.ts")>(original, ({ hasPrefix }) => ({
    hasPrefix: (label, prefix) =>
      is("prefix compared without the dot") ? (label?.startsWith(prefix) ?? false) : hasPrefix(label, prefix),
  })),
);
vi.mock("../../src/release/destroy-session.ts", (original) =>
  mutant.changed<typeof import("../../src/release/destroy-session.ts")>(original, (real) => ({
    remainsOf(ledger) {
      const remains = real.remainsOf(ledger);
      return remains && is("no look after pending") ? { ...remains, isUncertain: false } : remains;
    },
  })),
);
vi.mock("../../src/release/destroy.ts", (original) =>
  mutant.changed<typeof import("../../src/release/destroy.ts")>(original, (real) => ({
    async destroyOnce(asking, course, isMissing) {
      if (is("404 right after create means gone")) course.wasListed = true;
      if (!is("success: false is a success")) return await real.destroyOnce(asking, course, isMissing);
      await asking.service.destroy(course.id, asking.signal);
      course.goneAt = asking.clock.now();
      return true;
    },
  })),
);
vi.mock("../../src/marketplace/vast/refusals.ts", (original) =>
  mutant.changed<typeof import("../../src/marketplace/vast/refusals.ts")>(original, ({ saysNo }) => ({
    saysNo: (...given) => !is("success: false is a success") && saysNo(...given),
  })),
);
vi.mock("../../src/release/leftovers.ts", (original) =>
  mutant.changed<typeof import("../../src/release/leftovers.ts")>(original, (real) => ({
    judgeLeftover(label, evidence) {
      const { state, sweeper } = evidence;
      const expiry = is("sweep ignores the expiry") ? { expiry: Number.MAX_SAFE_INTEGER } : {};
      const own = is("sweep takes its own attempt's machines") ? { sweeper: { ...sweeper, attempt: 99 } } : {};
      const isDoubt = is("sweep takes a doubt for the end of a run") && state?.kind === "unknown";
      const over = isDoubt ? ({ state: { kind: "completed", since: 0 } } as const) : {};
      return real.judgeLeftover({ ...label, ...expiry }, { ...evidence, ...own, ...over });
    },
  })),
);

const createSentAgain: Mutation = {
  service(service) {
    const create = service.createInstance.bind(service);
    service.createInstance = (...given) =>
      create(...given).catch((error: unknown) => {
        if (error instanceof NoAnswerError) return create(...given);
        throw error;
      });
  },
};

const postWithoutList: Mutation = {
  service(service, of) {
    if (of === "post") service.listInstances = async () => [];
  },
};

const noPending: Mutation = {
  ledger: (ledger) => ({
    runners: (...given) => ledger.runners(...given),
    pending() {},
    created: (...given) => ledger.created(...given),
    report: (...given) => ledger.report(...given),
  }),
};

/** Requests of main until its create is on its way. */
const CREATE = 6;
const killedAt = (request: number, given: Partial<Death> = {}) => aDeath({ request, isAfter: true, ...given });
const LISTED_LATE = [aHost({ bootS: 90, listedS: 20 })];

/** A change of one decision, the smallest world that shows it, and the rule that it breaks. */
const MUTANTS = {
  "no pending entry": ["one create at a time, and written down", {}, noPending],
  "create is sent again after no answer": [
    "one create at a time, and written down",
    { faults: [aFault({ where: "create", what: "lost after" })] },
    createSentAgain,
  ],
  "post does not look at the list": ["nothing bills after the end", { death: killedAt(CREATE) }, postWithoutList],
  "no look after pending": ["nothing bills after the end", { hosts: LISTED_LATE, death: killedAt(CREATE) }],
  "prefix compared without the dot": ["only what is ours is destroyed", { jobsOfRun: [aRunJob({ lastsS: 20 })] }],
  "404 right after create means gone": [
    "nothing bills after the end",
    {
      ...{ hosts: LISTED_LATE, death: killedAt(CREATE + 1, { kind: "cancelled" }) },
      faults: [aFault({ where: "destroy", what: "404" })],
    },
  ],
  "success: false is a success": [
    "no more machines than allowed",
    {
      hosts: [aHost({ fate: "broken" }), aHost()],
      faults: [aFault({ where: "destroy", what: "success: false", lastsS: 60, times: 1000 })],
    },
  ],
  "sweep takes its own attempt's machines": ["only what is ours is destroyed", { sweepsFirst: true }],
  "sweep ignores the expiry": [
    "nothing bills after a sweep",
    { death: killedAt(CREATE + 1, { hasPost: false, isDoubted: true }) },
  ],
  "sweep takes a doubt for the end of a run": [
    "only what is ours is destroyed",
    { death: killedAt(40, { hasPost: false, isDoubted: true }) },
  ],
} as const satisfies Record<string, readonly [Rule, Partial<Story>, Mutation?]>;
type Name = keyof typeof MUTANTS;
const ROWS = Object.entries<readonly [Rule, Partial<Story>, Mutation?]>(MUTANTS);

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});

test.each(ROWS)("%s: the referee sees it, and nothing without it", async (name, [breaks, story, mutation]) => {
  mutant.name = name;
  const { broken } = await play(aStory(story), mutation);
  expect(broken.map(({ rule }) => rule)).toContain(breaks);
  mutant.name = "";
  expect((await play(aStory(story))).broken).toEqual([]);
});
