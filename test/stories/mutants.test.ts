import { expect, test, vi } from "vitest";
import { aFault } from "./fault.ts";
import type { Mutation } from "./outside.ts";
import { play } from "./play.ts";
import type { Rule } from "./referee/rule.ts";
import { aDeath, aHost, aRunJob, aStory, type Death, type Story } from "./story.ts";

/** The mutant that is played. */
const mutant = vi.hoisted(() => ({ name: "" }));
const is = (name: Name) => mutant.name === name;

// The one place with vi.mock: a decision changes for all callers, and no port leads to it.
vi.mock(import("../../src/machine/label.ts"), async (original) => {
  const real = await original();
  const begins = (label: string | null | undefined, prefix: string) => label?.startsWith(prefix) ?? false;
  const isLoose = () => is("prefix compared without the dot");
  return { ...real, hasPrefix: (...given) => (isLoose() ? begins(...given) : real.hasPrefix(...given)) };
});
vi.mock(import("../../src/release/destroy-session.ts"), async (original) => {
  const real = await original();
  return {
    ...real,
    remainsOf(ledger) {
      const remains = real.remainsOf(ledger);
      return remains && is("no look after pending") ? { ...remains, isUncertain: false } : remains;
    },
  };
});
vi.mock(import("../../src/release/destroy.ts"), async (original) => {
  const real = await original();
  return {
    ...real,
    async destroyOnce(asking, course, isMissing) {
      if (is("404 right after create means gone")) course.wasListed = true;
      if (!is("success: false is a success")) return await real.destroyOnce(asking, course, isMissing);
      await asking.service.destroy(course.id, asking.signal);
      course.goneAt = asking.clock.now();
      return true;
    },
  };
});
vi.mock(import("../../src/marketplace/vast/refusals.ts"), async (original) => {
  const real = await original();
  return { ...real, saysNo: (...given) => !is("success: false is a success") && real.saysNo(...given) };
});
vi.mock(import("../../src/release/leftovers.ts"), async (original) => {
  const real = await original();
  return {
    ...real,
    judgeLeftover(label, evidence) {
      const { state, sweeper } = evidence;
      const expiry = is("sweep ignores the expiry") ? { expiry: Number.MAX_SAFE_INTEGER } : {};
      const own = is("sweep takes its own attempt's machines") ? { sweeper: { ...sweeper, attempt: 99 } } : {};
      const isDoubt = is("sweep takes a doubt for the end of a run") && state?.kind === "unknown";
      const over = isDoubt ? ({ state: { kind: "completed", since: 0 } } as const) : {};
      return real.judgeLeftover({ ...label, ...expiry }, { ...evidence, ...own, ...over });
    },
  };
});

const createSentAgain: Mutation = {
  service(service) {
    const create = service.createInstance.bind(service);
    service.createInstance = (...given) => create(...given).catch(() => create(...given));
  },
};

const postWithoutList: Mutation = {
  service(service, of) {
    if (of === "post") service.listInstances = async () => [];
  },
};

/** Requests of main until its create is on its way. */
const CREATE = 6;
const killedAt = (request: number, given: Partial<Death> = {}) => aDeath({ request, isAfter: true, ...given });
const LISTED_LATE = [aHost({ bootS: 90, listedS: 20 })];

/** The rule that a mutant breaks, the smallest world that shows it, and the change if it is none of those above. */
type Row = readonly [Rule, Partial<Story>, Mutation?];

const MUTANTS = {
  "no pending entry": ["one create at a time, and written down", {}, { ledger: { pending() {} } }],
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
} as const satisfies Record<string, Row>;
type Name = keyof typeof MUTANTS;

test.each(Object.entries<Row>(MUTANTS))(
  "%s: the referee sees it, and nothing without it",
  async (name, [breaks, story, mutation]) => {
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    mutant.name = name;
    const { broken } = await play(aStory(story), mutation);
    expect(broken.map(({ rule }) => rule)).toContain(breaks);
    mutant.name = "";
    expect((await play(aStory(story))).broken).toEqual([]);
  },
);
