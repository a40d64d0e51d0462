import { beforeEach, expect, test, vi } from "vitest";
import { NoAnswerError } from "../../src/marketplace/errors.ts";
import { aFault, aHost, aRunJob, aStory } from "./a-story.ts";
import type { Mutation } from "./outside.ts";
import { play } from "./play.ts";
import type { Rule } from "./referee/rule.ts";
import type { Death, Story } from "./story.ts";

const NAMES = [
  "prefix compared without the dot",
  "no look after pending",
  "404 right after create means gone",
  "success: false is a success",
  "sweep takes its own attempt's machines",
  "sweep ignores the expiry",
  "sweep takes a doubt for the end of a run",
] as const;
type Name = (typeof NAMES)[number];

/** The mutant that the modules below play, if it is one of theirs. */
const present = vi.hoisted((): { name: string } => ({ name: "" }));
const is = vi.hoisted(() => (name: Name) => present.name === name);

// The one place with vi.mock: a decision changes for all callers, and no port leads to it.
vi.mock("../../src/machine/label.ts", async (original) => {
  const real = await original<typeof import("../../src/machine/label.ts")>();
  return {
    ...real,
    hasPrefix: (label: string | undefined, prefix: string) =>
      is("prefix compared without the dot") ? (label?.startsWith(prefix) ?? false) : real.hasPrefix(label, prefix),
  };
});

vi.mock("../../src/release/destroy-session.ts", async (original) => {
  const real = await original<typeof import("../../src/release/destroy-session.ts")>();
  return {
    ...real,
    remainsOf(...[ledger]: Parameters<typeof real.remainsOf>) {
      const remains = real.remainsOf(ledger);
      return remains && is("no look after pending") ? { ...remains, isUncertain: false } : remains;
    },
  };
});

vi.mock("../../src/release/destroy.ts", async (original) => {
  const real = await original<typeof import("../../src/release/destroy.ts")>();
  return {
    ...real,
    async destroyOnce(...[asking, course, isMissing]: Parameters<typeof real.destroyOnce>) {
      if (is("404 right after create means gone")) course.wasListed = true;
      if (!is("success: false is a success")) return await real.destroyOnce(asking, course, isMissing);
      await asking.service.destroy(course.id, asking.signal);
      course.goneAt = asking.clock.now();
      return true;
    },
  };
});

vi.mock("../../src/marketplace/vast/refusals.ts", async (original) => {
  const real = await original<typeof import("../../src/marketplace/vast/refusals.ts")>();
  return {
    ...real,
    saysNo: (...given: Parameters<typeof real.saysNo>) => !is("success: false is a success") && real.saysNo(...given),
  };
});

vi.mock("../../src/release/leftovers.ts", async (original) => {
  const real = await original<typeof import("../../src/release/leftovers.ts")>();
  return {
    ...real,
    judgeLeftover(...[label, evidence]: Parameters<typeof real.judgeLeftover>) {
      const { sweeper } = evidence;
      if (is("sweep takes its own attempt's machines"))
        return real.judgeLeftover(label, { ...evidence, sweeper: { ...sweeper, attempt: 99 } });
      if (is("sweep ignores the expiry"))
        return real.judgeLeftover({ ...label, expiry: Number.MAX_SAFE_INTEGER }, evidence);
      if (is("sweep takes a doubt for the end of a run") && evidence.state?.kind === "unknown")
        return real.judgeLeftover(label, { ...evidence, state: { kind: "completed", since: 0 } });
      return real.judgeLeftover(label, evidence);
    },
  };
});

/** A change of one decision, the smallest world that shows it, and the rule that it breaks. */
interface Mutant {
  name: string;
  story: Partial<Story>;
  mutation?: Mutation;
  breaks: Rule;
}

const killedAt = (request: number, more: Partial<Death> = {}): Death => ({
  ...{
    kind: "killed",
    request,
    isAfter: true,
    hasPost: true,
    postRequest: undefined,
    isDoubted: false,
    afterStartS: undefined,
  },
  ...more,
});
/** Requests of main until its create is on its way. */
const CREATE = 6;

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

const LOST = aFault({ where: "create", what: "lost after" });

const MUTANTS: readonly Mutant[] = [
  { name: "no pending entry", story: {}, mutation: noPending, breaks: "one create at a time, and written down" },
  {
    name: "create is sent again after no answer",
    story: { faults: [LOST] },
    mutation: createSentAgain,
    breaks: "one create at a time, and written down",
  },
  {
    name: "post does not look at the list",
    story: { death: killedAt(CREATE) },
    mutation: postWithoutList,
    breaks: "nothing bills after the end",
  },
  {
    name: "no look after pending",
    story: { hosts: [aHost({ bootS: 90, listedS: 20 })], death: killedAt(CREATE) },
    breaks: "nothing bills after the end",
  },
  {
    name: "prefix compared without the dot",
    story: { jobsOfRun: [aRunJob({ lastsS: 20 })] },
    breaks: "only what is ours is destroyed",
  },
  {
    name: "404 right after create means gone",
    story: {
      hosts: [aHost({ bootS: 90, listedS: 20 })],
      death: killedAt(CREATE + 1, { kind: "cancelled" }),
      faults: [aFault({ where: "destroy", what: "404" })],
    },
    breaks: "nothing bills after the end",
  },
  {
    name: "success: false is a success",
    story: {
      hosts: [aHost({ fate: "broken" }), aHost()],
      faults: [aFault({ where: "destroy", what: "success: false", lastsS: 60, times: 1000 })],
    },
    breaks: "no more machines than allowed",
  },
  {
    name: "sweep takes its own attempt's machines",
    story: { sweepsFirst: true },
    breaks: "only what is ours is destroyed",
  },
  {
    name: "sweep ignores the expiry",
    story: { death: killedAt(CREATE + 1, { hasPost: false, isDoubted: true }) },
    breaks: "nothing bills after a sweep",
  },
  {
    name: "sweep takes a doubt for the end of a run",
    story: { death: killedAt(40, { hasPost: false, isDoubted: true }) },
    breaks: "only what is ours is destroyed",
  },
];

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});

test.each(MUTANTS)("$name: the referee sees it", async ({ breaks, mutation, name, story }) => {
  present.name = name;
  const { broken } = await play(aStory(story), mutation);
  expect(broken.map(({ rule }) => rule)).toContain(breaks);
});

test.each(MUTANTS)("$name: without it the same story is clean", async ({ story }) => {
  present.name = "";
  const { broken } = await play(aStory(story));
  expect(broken).toEqual([]);
});
